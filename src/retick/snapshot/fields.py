"""The field types: what values a field holds and how many bits they take. A new type is added here.

============  ===============================  ==============================================================
codec         values                           on the wire
============  ===============================  ==============================================================
Bool          False, True                      1 bit
UInt(n)       0 to 2**n - 1                    n bits
SInt(n)       -2**(n-1) to 2**(n-1) - 1        n bits, two's complement
VarUInt       0 to 2**32 - 1                   padding to a byte boundary, then a varuint
VarSInt       -2**31 to 2**31 - 1              padding to a byte boundary, then a varsint
Fixed         integers min_q to max_q          q - min_q in just enough bits for max_q - min_q
============  ===============================  ==============================================================

A ``Fixed`` field holds integers too, already quantised. :meth:`Fixed.quantise` makes them from floats by this
project's own convention: ``q = round(x * scale)`` with ties to even, then clamped into the range; a value that is
not a number is refused. The scale is part of the schema's hash and never of the bytes.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeGuard

from retick.errors import EncodeError, SchemaError, with_code
from retick.snapshot.layout import FIXED_WIDTH, VARSINT, VARUINT
from retick.wire.bits import BitReader, BitWriter
from retick.wire.varint import MAX_VARSINT, MAX_VARUINT, MIN_VARSINT

_INT64 = range(-(1 << 63), 1 << 63)


class FieldCodec:
    """Everything that the schema, the kernels and the tools need of a codec.

    A codec of fixed width writes ``(value - lowest) ^ flip`` in ``bits`` bits, and need not override more.
    """

    __slots__ = ()
    kind: ClassVar[str]
    """The codec's name in messages."""
    tag: ClassVar[int]
    """The codec's first byte in the schema hash."""
    range_code: ClassVar[str]
    """The last part of the error code for a value that does not fit."""
    json_name: ClassVar[str]
    """The codec's name in a schema's JSON."""
    json_keys: ClassVar[dict[str, str]] = {}
    """The parameters' names in JSON, with their names here."""
    coding: ClassVar[int] = FIXED_WIDTH
    """How the kernels code a value: FIXED_WIDTH, VARUINT or VARSINT."""
    holds_bools: ClassVar[bool] = False
    """Whether values are True and False; such a field has no distances, and so no threshold."""
    takes_unsigned: ClassVar[bool] = False
    """Whether a column may be given as unsigned integers."""

    @property
    def bits(self) -> int:
        """Bits on the wire; 0 for varints, whose size depends on the value."""
        return 0

    @property
    def lowest(self) -> int:
        return 0

    @property
    def highest(self) -> int:
        return 0

    @property
    def wraps(self) -> bool:
        """Whether columns hold unsigned 64-bit numbers as the signed ones with the same bits."""
        return self.highest >= 1 << 63

    @property
    def flip(self) -> int:
        """The bits in which the wire differs from ``value - lowest``."""
        return 0

    def hash_bytes(self) -> bytes:
        """The codec's part of the schema hash's input."""
        return bytes((self.tag,))

    def write(self, writer: BitWriter, value: int) -> None:
        """Write a valid value, bit by bit, as the kernels do for whole snapshots."""
        writer.write_bits((value - self.lowest) ^ self.flip, self.bits)

    def read(self, reader: BitReader) -> int | bool:
        """Read a value; the kernels have checked its range."""
        return (reader.read_bits(self.bits) ^ self.flip) + self.lowest


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is an int but not a bool, as declarations require."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Bool(FieldCodec):
    """True or False, in one bit."""

    kind: ClassVar[str] = "bool"
    tag: ClassVar[int] = 0
    range_code: ClassVar[str] = "TypeMismatch"
    json_name: ClassVar[str] = "Bool"
    holds_bools: ClassVar[bool] = True
    takes_unsigned: ClassVar[bool] = True

    @property
    def bits(self) -> int:
        return 1

    @property
    def highest(self) -> int:
        return 1

    def read(self, reader: BitReader) -> bool:
        return reader.read_bit()


@dataclass(frozen=True, slots=True)
class _FixedWidth(FieldCodec):
    """An integer whose width is declared."""

    width: int
    """The width in bits, 1 to 64, the sign of a signed integer included."""
    json_keys: ClassVar[dict[str, str]] = {"bits": "width"}

    def __post_init__(self) -> None:
        if not is_int(self.width) or not 1 <= self.width <= 64:
            raise with_code(SchemaError(f"bits must be from 1 to 64, not {self.width!r}"), "InvalidBitWidth")

    @property
    def bits(self) -> int:
        return self.width

    def hash_bytes(self) -> bytes:
        return bytes((self.tag, self.width))


@dataclass(frozen=True, slots=True)
class UInt(_FixedWidth):
    """An unsigned integer of a fixed number of bits."""

    kind: ClassVar[str] = "uint"
    tag: ClassVar[int] = 1
    range_code: ClassVar[str] = "UnsignedOutOfRange"
    json_name: ClassVar[str] = "UInt"
    takes_unsigned: ClassVar[bool] = True

    @property
    def highest(self) -> int:
        return (1 << self.width) - 1


@dataclass(frozen=True, slots=True)
class SInt(_FixedWidth):
    """A signed integer of a fixed number of bits, in two's complement."""

    kind: ClassVar[str] = "sint"
    tag: ClassVar[int] = 2
    range_code: ClassVar[str] = "SignedOutOfRange"
    json_name: ClassVar[str] = "SInt"

    @property
    def lowest(self) -> int:
        return -(1 << (self.width - 1))

    @property
    def highest(self) -> int:
        return (1 << (self.width - 1)) - 1

    @property
    def flip(self) -> int:
        """The sign bit, which makes it two's complement."""
        return 1 << (self.width - 1)


@dataclass(frozen=True, slots=True)
class VarUInt(FieldCodec):
    """An unsigned 32-bit integer that takes one byte when small."""

    kind: ClassVar[str] = "varuint"
    tag: ClassVar[int] = 3
    range_code: ClassVar[str] = "VarUIntOutOfRange"
    json_name: ClassVar[str] = "VarUInt"
    coding: ClassVar[int] = VARUINT
    takes_unsigned: ClassVar[bool] = True

    @property
    def highest(self) -> int:
        return MAX_VARUINT

    def write(self, writer: BitWriter, value: int) -> None:
        writer.align()
        writer.write_varuint(value)

    def read(self, reader: BitReader) -> int:
        reader.align()
        return reader.read_varuint()


@dataclass(frozen=True, slots=True)
class VarSInt(FieldCodec):
    """A signed 32-bit integer that takes one byte when near zero."""

    kind: ClassVar[str] = "varsint"
    tag: ClassVar[int] = 4
    range_code: ClassVar[str] = "VarSIntOutOfRange"
    json_name: ClassVar[str] = "VarSInt"
    coding: ClassVar[int] = VARSINT

    @property
    def lowest(self) -> int:
        return MIN_VARSINT

    @property
    def highest(self) -> int:
        return MAX_VARSINT

    def write(self, writer: BitWriter, value: int) -> None:
        writer.align()
        writer.write_varsint(value)

    def read(self, reader: BitReader) -> int:
        reader.align()
        return reader.read_varsint()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed(FieldCodec):
    """A fixed-point number: an integer q between two bounds that stands for ``q / scale``."""

    min_q: int
    """The lowest q, a signed 64-bit integer."""
    max_q: int
    """The highest q, a signed 64-bit integer."""
    scale: int
    """The number of steps in one unit, 1 to 2**32 - 1."""
    kind: ClassVar[str] = "fixed"
    tag: ClassVar[int] = 5
    range_code: ClassVar[str] = "FixedPointOutOfRange"
    json_name: ClassVar[str] = "FixedPoint"
    json_keys: ClassVar[dict[str, str]] = {"min_q": "min_q", "max_q": "max_q", "scale": "scale"}

    def __post_init__(self) -> None:
        if not is_int(self.scale) or not 1 <= self.scale <= 0xFFFFFFFF:
            raise with_code(
                SchemaError(f"scale must be from 1 to 4294967295, not {self.scale!r}"), "InvalidFixedPointScale"
            )
        # Types first: `in range` searches all of its numbers for anything but an int.
        bounds = (self.min_q, self.max_q)
        if not (all(is_int(q) and q in _INT64 for q in bounds) and self.min_q <= self.max_q):
            raise with_code(
                SchemaError(
                    f"min_q must not be above max_q, both 64-bit integers, not {self.min_q!r} to {self.max_q!r}"
                ),
                "InvalidFixedPointRange",
            )

    @property
    def bits(self) -> int:
        return (self.max_q - self.min_q).bit_length()

    @property
    def lowest(self) -> int:
        return self.min_q

    @property
    def highest(self) -> int:
        return self.max_q

    def hash_bytes(self) -> bytes:
        low, high = self.min_q.to_bytes(8, "little", signed=True), self.max_q.to_bytes(8, "little", signed=True)
        return bytes((self.tag,)) + low + high + self.scale.to_bytes(4, "little")

    @classmethod
    def between(cls, lowest: float, highest: float, *, scale: int) -> "Fixed":
        """The codec for values from ``lowest`` to ``highest`` in steps of ``1 / scale``."""
        if not (math.isfinite(lowest) and math.isfinite(highest)):
            raise with_code(SchemaError(f"{lowest!r} to {highest!r} is not a range"), "InvalidFixedPointRange")
        return cls(min_q=round(lowest * scale), max_q=round(highest * scale), scale=scale)

    def quantise(self, value: float) -> int:
        """The nearest q (ties to even), clamped into the range."""
        # An int may be larger than any float, so it is compared as it is.
        if not isinstance(value, int) and math.isnan(value):
            raise with_code(EncodeError("not a number cannot be quantised", value=value), "InvalidValue.TypeMismatch")
        scaled = value * self.scale
        # Clamped before rounding too, since an infinite number cannot be rounded.
        if scaled >= self.max_q:
            return self.max_q
        return self.min_q if scaled <= self.min_q else round(scaled)

    def value_of(self, q: int) -> float:
        """The number that ``q`` stands for."""
        return q / self.scale


KINDS: tuple[type[FieldCodec], ...] = (Bool, UInt, SInt, VarUInt, VarSInt, Fixed)
"""Every codec that a schema's JSON may name."""


# How a schema says that its values change, for compact deltas: docs/formats/compact.md has the rules.
#
# A :class:`Group` is a list of fields of one component that are predicted together. Fields without a group get one by
# their names and types: see :mod:`retick.snapshot.compact.defaults`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Predicts no change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A vector that continues its motion: ``v = damping * v + acceleration; x = x + v`` each tick."""

    damping: float = 1.0
    """The share of the velocity that remains after a tick."""
    acceleration: tuple[float, ...] = ()
    """The acceleration of each field, in its steps per tick squared; tried with and without. Empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Integral:
    """The integral of another group, such as a position whose velocity is sent too."""

    of: tuple[int, ...]
    """Ids of the other group's fields, in the same component; that group is coded first."""
    rate: float
    """How many steps of this field one step of the other adds per tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Angle:
    """A number that wraps round."""

    modulus: int | None = None
    """The steps of a full turn; None if all values of the field are one turn."""
    damping: float = 1.0
    """The share of the speed that remains after a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """A quaternion as its smallest three: index of the largest component, and the others in x, y, z, w order."""

    damping: float = 1.0
    """The share of the spin that remains after a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A flag, or one of at most 256 unordered values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """A float that continues along a line, sent as its 64 bits: the field must have 64 bits, unsigned."""


Predictor = Hold | Motion | Integral | Angle | Rotation | Choice | Real


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that are predicted together; groups, and fields in them, are coded in the order given."""

    component: int
    """The id of the component."""
    fields: tuple[int, ...]
    """The ids of the fields."""
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
