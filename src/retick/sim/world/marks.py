"""What a declaration of a world can say about a field, beside its type."""
# retick: floats -- they are kept as their bits; only exact operations are done with them

from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Annotated, Any, Final, TypeVar

from retick.errors import SchemaError
from retick.sim.kinds import F64, Most
from retick.sim.widths import U8

__all__ = [
    "NOBODY",
    "Angle",
    "Cache",
    "Jumps",
    "Mark",
    "Most",
    "OwnerOnly",
    "Player",
    "Range",
    "Ref",
    "ServerOnly",
    "Visible",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Range:
    """From where to where a value goes, and in which steps a server sends it. Writing a field does not look at it."""

    low: float
    high: float
    step: float | None = None
    """What a sent value is rounded to; None sends it exactly."""

    def __init__(self, low: float, high: float, *, step: float | None = None) -> None:
        for name, value in (("low", low), ("high", high), ("step", step)):
            object.__setattr__(self, name, value)
        if not (isfinite(low) and isfinite(high) and low < high):
            raise SchemaError(f"a Range goes from a lower to a higher number, not from {low!r} to {high!r}")
        if step is not None and not 0 < step <= high - low:
            raise SchemaError(f"the step of a Range is more than 0 and at most {high - low!r}, not {step!r}")


class Visible(Enum):
    """Who may see a field on a server. Rollback does not use it: there every peer has the whole state."""

    ALL = "all"
    OWNER = "owner"
    SERVER = "server"


OwnerOnly: Final = Visible.OWNER
"""Marks a field that a server sends to the owner of the thing only."""
ServerOnly: Final = Visible.SERVER
"""Marks a field that a server does not send."""


class Mark(Enum):
    """Marks inside of the names below."""

    REF = "reference"
    CACHE = "cache"
    ANGLE = "angle"
    PLAYER = "player"
    JUMPS = "jumps"


Ref = Annotated[T | None, Mark.REF]
"""A reference to an item of a list, saved as its id; None once the item has left its list."""
Cache = Annotated[T, Mark.CACHE]
"""A value that is not saved: a load puts it back to its default, and then calls the world's ``rebuild``."""
Angle = Annotated[F64, Mark.ANGLE]
"""A float in radians. Whoever draws between two states turns it the shorter way."""
Player = Annotated[U8, Mark.PLAYER]
"""Whose thing this is: a seat, 0 to ``num_players - 1``, or ``NOBODY``. A class has at most one field of it."""
NOBODY: Final = 255
"""The ``Player`` of a thing that is nobody's."""
Jumps = Annotated[U8, Mark.JUMPS]
"""How often a thing was put elsewhere, modulo 256. Whoever draws between two states draws no way between two places
if it has changed. A class has at most one field of it."""


def mark_of(marks: tuple[Any, ...], kind: type[T]) -> T | None:
    """The mark of one class; None if there is none."""
    return next((mark for mark in marks if isinstance(mark, kind)), None)
