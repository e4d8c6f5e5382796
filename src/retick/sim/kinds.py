"""The kinds of values that a declared field can have: integers of a width, bool, F64 and enums.

One table for records and worlds. A kind says how a value is checked, which 64-bit slot stands for it, and in how many
bytes it is packed. A slot holds an integer as it is (an unsigned 64-bit one as the signed number with the same bits), a
bool as 0 or 1, an enum member as its position in the enum, and a float as its bits.
"""

import struct
import sys
from dataclasses import dataclass
from enum import Enum, Flag
from functools import cache
from math import isnan
from typing import Annotated, Any, get_args, get_origin

from retick.errors import InvalidValue, RetickError, SchemaError, UsageError

# The widths that a field of a record can have: I8 to U64.


@dataclass(frozen=True, slots=True)
class Width:
    """The width of an integer field, and whether it has a sign."""

    bits: int
    signed: bool

    def __post_init__(self) -> None:
        if self.bits not in _CODES:
            raise SchemaError(f"a field is 8, 16, 32 or 64 bits wide, not {self.bits}")

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    @property
    def name(self) -> str:
        return f"{'i' if self.signed else 'u'}{self.bits}"

    @property
    def code(self) -> str:
        """The struct module's letter for this layout."""
        letter = _CODES[self.bits]
        return letter if self.signed else letter.upper()


_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}

I8 = Annotated[int, Width(8, signed=True)]
U8 = Annotated[int, Width(8, signed=False)]
I16 = Annotated[int, Width(16, signed=True)]
U16 = Annotated[int, Width(16, signed=False)]
I32 = Annotated[int, Width(32, signed=True)]
U32 = Annotated[int, Width(32, signed=False)]
I64 = Annotated[int, Width(64, signed=True)]
U64 = Annotated[int, Width(64, signed=False)]


# retick: floats -- they are kept as their bits; only exact operations are done with them


MOST_MEMBERS = 65536
"""The most members an enum may have: a position is packed in one or two bytes."""

LONGEST = 65535
"""The largest ``Most``: the length of a list is saved in two bytes."""


@dataclass(frozen=True, slots=True)
class Most:
    """The most items a list may hold: ``Annotated[list[Tank], Most(4)]``."""

    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or not 1 <= self.count <= LONGEST:
            raise SchemaError(f"a list holds at most 1 to {LONGEST} items, not {self.count!r}")


_DOUBLE, _SIGNED = struct.Struct("<d"), struct.Struct("<q")

if sys.float_info.mant_dig != 53 or sys.float_info.max_exp != 1024:  # pragma: no cover - no such platform is known
    raise ImportError("this Python does not compute in IEEE binary64, which F64 needs")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of scalar."""

    name: str
    """Its name in messages: "U8", "F64", "bool", or the name of an enum."""
    text: str
    """Its name in the text of a declaration (docs/formats/world.md)."""
    code: str
    """The struct module's letter for the packed form."""
    least: int = 0
    greatest: int = 0
    """The greatest integer, bool or position; like ``least``, unused for floats."""
    members: tuple[Any, ...] = ()
    """The enum's members in the order of declaration; empty for other kinds."""
    is_real: bool = False
    is_bool: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether this kind is a plain integer."""
        return not (self.members or self.is_bool or self.is_real)

    @property
    def size(self) -> int:
        """How many bytes the packed form takes."""
        return struct.calcsize("<" + self.code)

    @property
    def zero(self) -> Any:
        """The initial value of a field of this kind without a declared default."""
        if self.is_real:
            return 0.0
        if self.is_bool:
            return False
        return self.members[0] if self.members else max(self.least, 0)

    def checked(self, value: Any, where: str) -> Any:
        """``value`` as the field stores it; raises a UsageError that names the field."""
        if self.members:
            if any(value is member for member in self.members):
                return value
        elif self.is_bool:
            if value is True or value is False:
                return value
        elif self.is_real:
            number = _real(value)
            if number is not None:
                return number
        elif isinstance(value, int) and self.least <= value <= self.greatest:
            return int(value)
        raise self.refusal(value, where)

    def refusal(self, value: Any, where: str) -> UsageError:
        """The error for a value that is not of this kind."""
        is_short = self.name == "I64" and isinstance(value, float)  # declared as int, often by mistake
        advice = ": declare float, or write int(...)" if is_short else ""
        return UsageError(f"{where}: {value!r} is not {self.described}{advice}")

    @property
    def described(self) -> str:
        """Describe the kind with article and bounds: "a U8 (0 to 255)"."""
        if self.members or self.is_bool:
            return f"a {self.name}"
        if self.is_real:
            return "an F64 (a float that is not NaN, or an integer that a float holds exactly)"
        article = "an" if self.name.startswith("I") else "a"
        return f"{article} {self.name} ({self.least} to {self.greatest})"

    def raw(self, value: Any) -> Any:
        """Convert a checked value to the integer or float that is packed for it."""
        if self.members:
            return self.members.index(value)
        return int(value) if self.is_bool else value

    def value(self, raw: Any) -> Any:
        """Convert what was packed back to the field's value."""
        if self.members:
            return self.members[raw]
        return bool(raw) if self.is_bool else raw

    def fault(self, raw: Any, where: str) -> RetickError | None:
        """The error in a packed value from outside; None if it is valid."""
        if self.is_real:
            return InvalidValue(f"{where}: NaN is not {self.described}") if isnan(raw) else None
        if self.least <= raw <= self.greatest:
            return None
        return InvalidValue(f"{where}: {raw} is not from {self.least} to {self.greatest}")

    def slot(self, raw: Any) -> int:
        """The signed 64-bit integer that stands for a packed value in a row."""
        if self.is_real:
            bits: int = _SIGNED.unpack(_DOUBLE.pack(raw))[0]
            return bits
        return raw - (1 << 64) if raw >= 1 << 63 else int(raw)

    def from_slot(self, slot: int) -> Any:
        """The packed value that a slot stands for."""
        if self.is_real:
            return _DOUBLE.unpack(_SIGNED.pack(slot))[0]
        return slot + (1 << 64) if slot < 0 <= self.least else slot


def _real(value: Any) -> float | None:
    """A float, or an integer that a float holds exactly; None for anything else, and for NaN."""
    if isinstance(value, float):
        return None if isnan(value) else float(value)
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if number == value else None
    return None


REAL = Kind("F64", "f64", "d", is_real=True)
BOOL = Kind("bool", "bool", "B", greatest=1, is_bool=True)
SEED = Kind("seed", "dice", "I", least=1, greatest=0xFFFFFFFF)
"""The state of a generator: 32 bits that are not 0."""

F64 = Annotated[float, REAL]
"""A float of 64 bits; NaN is refused, because it has many forms."""

_WHOLE = {
    Width(bits, signed): Kind(
        Width(bits, signed).name.upper(),
        Width(bits, signed).name,
        Width(bits, signed).code,
        Width(bits, signed).least,
        Width(bits, signed).greatest,
    )
    for bits in (8, 16, 32, 64)
    for signed in (False, True)
}
COUNT = _WHOLE[Width(16, signed=False)]
"""The length of a list or tuple."""


def kind_of(hint: Any) -> Kind | None:
    """The kind that an annotation names; None if it is not a scalar."""
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Kind):
                return mark
            if isinstance(mark, Width):
                return _WHOLE[mark]
        return kind_of(get_args(hint)[0])
    if hint is bool:
        return BOOL
    if hint is float:
        return REAL
    if hint is int:
        return _WHOLE[Width(64, signed=True)]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _kind_of_enum(hint)
    return None


@cache
def _kind_of_enum(enum: type[Enum]) -> Kind:
    members = tuple(enum)
    if issubclass(enum, Flag) or not 1 <= len(members) <= MOST_MEMBERS:
        raise SchemaError(
            f"{enum.__name__} cannot be a field: an enum has 1 to {MOST_MEMBERS} members and is no Flag; "
            "declare flags as an integer (U8, U16 ...)"
        )
    text = f"enum {enum.__name__}({','.join(member.name for member in members)})"
    code = "B" if len(members) <= 256 else "H"
    return Kind(enum.__name__, text, code, greatest=len(members) - 1, members=members)
