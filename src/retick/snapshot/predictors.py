"""What a schema says about how its values go on, for compact deltas: docs/formats/compact.md has the rules.

A :class:`Group` is a list of fields of one component that are predicted together. Fields without a group get one by
their names and types: see :mod:`retick.snapshot.compact.defaults`.
"""

from dataclasses import dataclass

from retick.errors import SchemaError
from retick.snapshot.fields import is_int

__all__ = ["Angle", "Choice", "Group", "Hold", "Integral", "Motion", "Predictor", "Real", "Rotation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """It stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A vector that goes on as it went: ``v = damping * v + acceleration; x = x + v`` each tick."""

    damping: float = 1.0
    """What is left of the velocity after a tick."""
    acceleration: tuple[float, ...] = ()
    """Of each field, in its own steps a tick squared; tried with and without. Empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Integral:
    """It is what another group adds up to, such as a position of a velocity that is sent too."""

    of: tuple[int, ...]
    """Ids of the other group's fields, in the same component; that group is coded before."""
    rate: float
    """Steps of this field that one step of the other adds in one tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Angle:
    """One number that goes round."""

    modulus: int | None = None
    """Steps of a full turn; None for all values of the field."""
    damping: float = 1.0
    """What is left of the speed after a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """A quaternion as its smallest three: index of the largest component, and the others in x, y, z, w order."""

    damping: float = 1.0
    """What is left of the spin after a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A flag, or one of at most 256 values that have no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """A float that goes on in a line, sent as the 64 bits of its IEEE double: a field of 64 bits, unsigned."""


Predictor = Hold | Motion | Integral | Angle | Rotation | Choice | Real


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that are predicted together; groups, and fields in them, are coded in the order given."""

    component: int
    """Id of the component."""
    fields: tuple[int, ...]
    """Ids of the fields."""
    predictor: Predictor

    def __post_init__(self) -> None:
        ids = (self.component, *self.fields, *getattr(self.predictor, "of", ()))
        modulus = getattr(self.predictor, "modulus", None)
        if not all(is_int(number) for number in (*ids, 0 if modulus is None else modulus)):
            raise SchemaError(f"ids and a modulus are whole numbers, not {(*ids, modulus)!r}")
        if not self.fields or len(set(self.fields)) != len(self.fields):
            raise SchemaError(f"a group needs different fields, not {self.fields!r}")
        if not isinstance(self.predictor, Predictor):
            raise SchemaError(f"a group's predictor is one such as Motion(), not {self.predictor!r}")
        given = self.predictor
        damping = getattr(given, "damping", 1.0)
        if not (isinstance(damping, int | float) and 0.1 <= damping <= 1.5):
            raise SchemaError(f"a damping must be from 0.1 to 1.5, not {damping!r}")
        if isinstance(given, Motion) and given.acceleration and len(given.acceleration) != len(self.fields):
            raise SchemaError(f"{len(self.fields)} fields have {len(given.acceleration)} accelerations")
        if isinstance(given, Integral) and len(given.of) != len(self.fields):
            raise SchemaError(f"{len(self.fields)} fields are the integral of {len(given.of)}")
        if isinstance(given, Angle | Choice | Real) and len(self.fields) != 1:
            raise SchemaError(f"a {type(given).__name__} is one field, not {len(self.fields)}")
        if isinstance(given, Rotation) and len(self.fields) != 4:
            raise SchemaError("a Rotation is four fields: the index of the largest component, and the three others")
        numbers = (*getattr(given, "acceleration", ()), getattr(given, "rate", 0.0))
        if not all(isinstance(number, int | float) and -1e9 <= number <= 1e9 for number in numbers):
            raise SchemaError(f"accelerations and rates are numbers up to 1e9, not {numbers!r}")
