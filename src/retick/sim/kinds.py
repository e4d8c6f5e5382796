"""The kinds of fields: what every kind says about itself, and the kinds whose values are one number each.

Records and worlds read annotations with :func:`read_annotation`, and share the scalar kinds: integers of a width, bool,
F64 and enums. A kind is one class. It says how a value is checked, which 64-bit slot stands for it, in how many bytes
it is packed, and what it is called. Modules that walk a declaration do not ask which kind a field has: they read what
the kind says of itself, such as of which numbers a value consists. ``retick.sim.world.members`` has the kinds that only
worlds have.

A slot holds an integer as it is (an unsigned 64-bit one as the signed number with the same bits), a bool as 0 or 1, an
enum member as its position in the enum, and a float as its bits.
"""

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, Flag
from functools import cache
from math import isnan
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, Union, get_args, get_origin

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

NUMBER, WIDE, TRUTH, DOUBLE, MEMBER = range(5)
"""How a plan holds a scalar; the kernel ``storage`` has the same numbers, and a test compares them."""


class FieldKind:
    """One kind of field. What a class does not say of itself is so as here."""

    __slots__ = ()
    plan_code: ClassVar[int]
    """How the kernels of worlds hold, save and load a field."""
    text: str
    """Its name in the text of a declaration (docs/formats/world.md)."""
    zero: Any = None
    """The initial value of a field without a declared default."""
    size: int = 0
    """How many bytes the packed form of a value takes; of one element, if there are several."""
    most: int = 0
    """The most elements that a value has; 0 if it is not counted."""
    inside: Any = None
    """The class of the things that a value consists of: one, or several if they are counted."""
    target: Any = None
    """The class of the things that a value refers to."""
    numbers: "tuple[tuple[str, Kind], ...]" = ()
    """The numbers of which a value, or each element, consists, with the names of their attributes; of a scalar: "", and
    itself."""
    is_needed: ClassVar[bool] = True
    """Whether a new thing needs a value if there is no default."""
    is_state: ClassVar[bool] = True
    """Whether it is saved, and has a name in reports."""
    is_in_row: ClassVar[bool] = False
    """Whether the row of a thing has a slot for it."""
    is_listed: ClassVar[bool] = False
    """Whether lists of it can be declared."""
    is_made_when_read: bool = False
    """Whether it is read through a descriptor of ours, for each read anew."""

    def checked(self, value: Any, where: str) -> Any:
        """``value`` as the field stores it; raises a UsageError that names the field."""
        raise NotImplementedError

    def default(self, given: Any, where: str) -> Any:
        """Check a declared default; raises a SchemaError that names the field."""
        try:
            return self.checked(given, where)
        except UsageError as error:
            raise SchemaError(f"{error}, so it cannot be the default") from None

    def plan(self) -> dict[str, Any]:
        """What the plan of a field has besides its code and its place."""
        return {"kind": self, "most": self.most}

    def raw(self, value: Any) -> Any:
        """Convert a checked value to the integer or float that is packed for it."""
        return value

    def saved(self, value: Any) -> bytes:
        """The packed form of a checked value."""
        raise NotImplementedError

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value for reports."""
        yield name, value

    def shown(self, value: Any) -> str:
        """A value in the repr of its thing."""
        return repr(value)

    def things(self, _value: Any) -> Sequence[Any]:
        """The things that a value consists of."""
        return ()


@dataclass(frozen=True, slots=True)
class Kind(FieldKind):
    """One kind of scalar: a value is one number, or stands for one. What is not there has the number 0."""

    name: str
    """Its name in messages: "U8", "F64", "bool", or the name of an enum."""
    text: str
    code: str
    """The struct module's letter for the packed form."""
    least: int = 0
    greatest: int = 0
    """The greatest number; like ``least``, unused for floats."""
    members: tuple[Any, ...] = ()
    """The values in the order of their numbers, if the kind lists them."""

    plan_code: ClassVar[int] = MEMBER
    is_in_row: ClassVar[bool] = True
    is_listed: ClassVar[bool] = True
    is_real: ClassVar[bool] = False
    is_whole: ClassVar[bool] = False
    """Whether this kind is a plain integer."""
    is_converted: ClassVar[bool] = False
    """Whether a value is another object than the number that is stored for it."""

    @property
    def size(self) -> int:  # type: ignore[override]  # it follows from the letter
        return struct.calcsize("<" + self.code)

    @property
    def numbers(self) -> "tuple[tuple[str, Kind], ...]":  # type: ignore[override]  # as above
        return (("", self),)

    @property
    def described(self) -> str:
        """Describe the kind with article and bounds: "a U8 (0 to 255)"."""
        return f"a {self.name}"

    def refusal(self, value: Any, where: str) -> UsageError:
        """The error for a value that is not of this kind."""
        return UsageError(f"{where}: {value!r} is not {self.described}")

    def value(self, raw: Any) -> Any:
        """Convert what was packed back to the field's value."""
        return raw

    def fault(self, raw: Any, where: str) -> RetickError | None:
        """The error in a packed value from outside; None if it is valid."""
        if self.least <= raw <= self.greatest:
            return None
        return InvalidValue(f"{where}: {raw} is not from {self.least} to {self.greatest}")

    def slot(self, raw: Any) -> int:
        """The signed 64-bit integer that stands for a packed value in a row."""
        return int(raw)

    def from_slot(self, slot: int) -> Any:
        """The packed value that a slot stands for."""
        return slot

    def saved(self, value: Any) -> bytes:
        return struct.pack(f"<{self.code}", self.raw(value))

    def __repr__(self) -> str:
        """Show a kind as a mark of an annotation: errors have it in their texts, which stay as they were."""
        shown = [f"{name}={getattr(self, name)!r}" for name in (*Kind.__slots__, "is_real")]
        return f"Kind({', '.join(shown)}, is_bool={self.plan_code == TRUTH})"


class WholeKind(Kind):
    """An integer."""

    __slots__ = ()
    plan_code = NUMBER
    is_whole = True

    @property
    def zero(self) -> int:
        return max(self.least, 0)

    @property
    def described(self) -> str:
        article = "an" if self.name.startswith("I") else "a"
        return f"{article} {self.name} ({self.least} to {self.greatest})"

    def checked(self, value: Any, where: str) -> int:
        if isinstance(value, int) and self.least <= value <= self.greatest:
            return int(value)
        raise self.refusal(value, where)

    def refusal(self, value: Any, where: str) -> UsageError:
        if self.name == "I64" and isinstance(value, float):  # declared as int, often by mistake
            return UsageError(f"{where}: {value!r} is not {self.described}: declare float, or write int(...)")
        return UsageError(f"{where}: {value!r} is not {self.described}")


class WideKind(WholeKind):
    """An integer of 64 bits without a sign: its slot is the signed number with the same bits."""

    __slots__ = ()
    plan_code = WIDE

    def slot(self, raw: Any) -> int:
        return raw - (1 << 64) if raw >= 1 << 63 else int(raw)

    def from_slot(self, slot: int) -> int:
        return slot + (1 << 64) if slot < 0 else slot


class BoolKind(Kind):
    """True or False."""

    __slots__ = ()
    plan_code = TRUTH
    zero = False

    def checked(self, value: Any, where: str) -> bool:
        if value is True or value is False:
            return value
        raise self.refusal(value, where)

    def raw(self, value: bool) -> int:
        return int(value)

    def value(self, raw: Any) -> bool:
        return bool(raw)


class FloatKind(Kind):
    """A float of 64 bits."""

    __slots__ = ()
    plan_code = DOUBLE
    is_real = True
    zero = 0.0

    @property
    def described(self) -> str:
        return "an F64 (a float that is not NaN, or an integer that a float holds exactly)"

    def checked(self, value: Any, where: str) -> float:
        if isinstance(value, float):
            if not isnan(value):
                return float(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            try:
                if float(value) == value:
                    return float(value)
            except OverflowError:
                pass
        raise self.refusal(value, where)

    def fault(self, raw: Any, where: str) -> RetickError | None:
        return InvalidValue(f"{where}: NaN is not {self.described}") if isnan(raw) else None

    def slot(self, raw: Any) -> int:
        bits: int = _SIGNED.unpack(_DOUBLE.pack(raw))[0]
        return bits

    def from_slot(self, slot: int) -> float:
        real: float = _DOUBLE.unpack(_SIGNED.pack(slot))[0]
        return real


class EnumKind(Kind):
    """A member of an enum; its number is its position."""

    __slots__ = ()
    is_converted = True

    @property
    def zero(self) -> Any:
        return self.members[0]

    def checked(self, value: Any, where: str) -> Any:
        for member in self.members:
            if value is member:
                return value
        raise self.refusal(value, where)

    def raw(self, value: Any) -> int:
        return self.members.index(value)

    def value(self, raw: Any) -> Any:
        return self.members[raw]


REAL = FloatKind("F64", "f64", "d")
BOOL = BoolKind("bool", "bool", "B", greatest=1)
SEED = WholeKind("seed", "dice", "I", least=1, greatest=0xFFFFFFFF)
"""The state of a generator: 32 bits that are not 0."""

F64 = Annotated[float, REAL]
"""A float of 64 bits; NaN is refused, because it has many forms."""


def _whole(width: Width) -> Kind:
    made = WideKind if width.greatest >= 1 << 63 else WholeKind
    return made(width.name.upper(), width.name, width.code, width.least, width.greatest)


_WHOLE = {Width(bits, signed): _whole(Width(bits, signed)) for bits in _CODES for signed in (False, True)}
COUNT = _WHOLE[Width(16, signed=False)]
"""The length of a list or tuple."""
SCALARS = "an int, a float, a number with a width (I32, U8, F64 ...), a bool, an enum"
"""All scalars, in the words of an error."""
_BUILT_IN: dict[Any, Kind] = {bool: BOOL, float: REAL, int: _WHOLE[Width(64, signed=True)]}


def kind_of(hint: Any) -> Kind | None:
    """The kind that an annotation names; None if it is not a scalar."""
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Kind):
                return mark
            if isinstance(mark, Width):
                return _WHOLE[mark]
        return kind_of(get_args(hint)[0])
    if not isinstance(hint, type):
        return None
    return _kind_of_enum(hint) if issubclass(hint, Enum) else _BUILT_IN.get(hint)


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
    return EnumKind(enum.__name__, text, code, greatest=len(members) - 1, members=members)


T = TypeVar("T")


class FieldAnnotation(NamedTuple):
    """What the annotation of a field says."""

    hint: Any
    """The type, without marks and None; a scalar that its marks decide has them."""
    marks: tuple[Any, ...]
    is_optional: bool
    """Whether the field may be None."""
    kind: Kind | None
    """The kind of a scalar; None for everything else."""

    def mark(self, kind: type[T]) -> T | None:
        """The first mark of a class; None if there is none."""
        return next((mark for mark in self.marks if isinstance(mark, kind)), None)


def read_annotation(hint: Any) -> FieldAnnotation:
    """Take an annotation apart."""
    marks: tuple[Any, ...] = ()
    is_optional = False
    while True:
        inside = get_args(hint)
        if get_origin(hint) is Annotated:
            marks += inside[1:]
            if not any(isinstance(mark, Kind) for mark in marks) and kind_of(hint) is not None:
                break
            hint = inside[0]
        elif get_origin(hint) in (Union, UnionType) and NoneType in inside and len(inside) == 2:
            is_optional = True
            hint = next(part for part in inside if part is not NoneType)
        else:
            break
    kind = next((mark for mark in marks if isinstance(mark, Kind)), None) or kind_of(hint)
    return FieldAnnotation(hint, marks, is_optional, kind)
