"""Turns the annotations of a class into its plan: which fields there are, where they are held, how they are packed."""

import dataclasses
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from retick.errors import SchemaError, UsageError
from retick.sim.kinds import F64, I32, REAL, U8, Kind, Most, kind_of
from retick.sim.shapes import FRect, Rect, Shape, Vector2, blank
from retick.sim.world.advice import advice_on
from retick.sim.world.boxes import boxes_of
from retick.sim.world.storage import (
    IS_COMPILED,
    Cell,
    FieldAttribute,
    FieldPlan,
    Root,
    Step,
    ThingList,
    ThingPlan,
    ValueList,
)

__all__ = [
    "NOBODY",
    "TEXT_BYTES",
    "Angle",
    "Cache",
    "Form",
    "Jumps",
    "Mark",
    "Member",
    "Most",
    "OwnerOnly",
    "Player",
    "Range",
    "Ref",
    "ServerOnly",
    "TextForm",
    "Visible",
    "declared_text",
    "form_of",
    "members_of",
    "plan_of",
    "thing_fields",
]


# Vectors, rectangles and texts as fields: how each is checked and packed.
#
# These are values: an assignment copies, so that no two fields share one.

TEXT_BYTES = 255
"""The bytes that a text declared as plain ``str`` may take."""

_WHOLE = kind_of(I32)
assert _WHOLE is not None


@dataclass(frozen=True, slots=True)
class Form:
    """How a vector or a rectangle is checked and packed."""

    shape: type[Shape]
    text: str
    """Its name in the text of a declaration (docs/formats/world.md)."""
    names: tuple[str, ...]
    """The names of its numbers, in the order in which they are packed."""
    kind: Kind
    """The kind of each of its numbers."""

    @property
    def zero(self) -> Shape:
        """The initial value of a field without a declared default."""
        return self.blank()

    def blank(self) -> Shape:
        """A new shape with all numbers zero."""
        return blank(self.shape)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def checked(self, value: Any, where: str) -> Shape:
        """A copy of ``value`` as the field stores it; raises a UsageError that names the field."""
        if not isinstance(value, int | float):  # Vector2 takes one number for both
            try:
                return self.shape(value)  # type: ignore[call-arg]  # all shapes take one argument
            except (TypeError, ValueError, OverflowError):
                pass
        what = f"{len(self.names)} {'floats' if self.kind.is_real else 'integers of 32 bits'}"
        raise UsageError(f"{where}: {value!r} is not a {self.shape.__name__}, and not {what}")


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text with a bounded number of bytes is checked and packed."""

    most: int
    zero: str = ""

    @property
    def text(self) -> str:
        """Its name in the text of a declaration."""
        return f"text({self.most})"

    def checked(self, value: Any, where: str) -> str:
        """Return ``value`` if it is valid; raise a UsageError that names the field if not."""
        if not isinstance(value, str):
            raise UsageError(f"{where}: {value!r} is not a str")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise UsageError(f"{where}: {value!r} is not valid text: it has half of a character") from None
        if size > self.most:
            raise UsageError(f"{where} holds at most {self.most} bytes of UTF-8, not {size}")
        return str(value)


_FORMS = {
    Vector2: Form(Vector2, "vector2", ("x", "y"), REAL),
    Rect: Form(Rect, "rect", ("x", "y", "w", "h"), _WHOLE),
    FRect: Form(FRect, "frect", ("x", "y", "w", "h"), REAL),
}


def form_of(hint: Any, most: int | None) -> Form | TextForm | None:
    """The form that an annotation names; None if it names no vector, rectangle or text."""
    if hint is str:
        return TextForm(TEXT_BYTES if most is None else most)
    return _FORMS.get(hint) if isinstance(hint, type) else None


# What a declaration of a world can say about a field besides its type.

# retick: floats -- they are kept as their bits; only exact operations are done with them


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Range:
    """The bounds of a value, and the steps in which a server sends it. An assignment does not check them."""

    low: float
    high: float
    step: float | None = None
    """Sent values are rounded to a multiple of this; None sends them exactly."""

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
"""Marks a field that a server sends only to the owner of the thing."""
ServerOnly: Final = Visible.SERVER
"""Marks a field that a server does not send."""


class Mark(Enum):
    """Marks in the annotations below."""

    REF = "reference"
    CACHE = "cache"
    ANGLE = "angle"
    PLAYER = "player"
    JUMPS = "jumps"


Ref = Annotated[T | None, Mark.REF]
"""A reference to an item of a list, saved as its id; None once the item has left its list."""
Cache = Annotated[T, Mark.CACHE]
"""A value that is not saved: a load resets it to its default, then calls the world's ``rebuild``."""
Angle = Annotated[F64, Mark.ANGLE]
"""A float in radians. Drawing between two states turns it the shorter way round."""
Player = Annotated[U8, Mark.PLAYER]
"""The owner of a thing: a seat, 0 to ``num_players - 1``, or ``NOBODY``. A class has at most one such field."""
NOBODY: Final = 255
"""The ``Player`` of a thing that has no owner."""
Jumps = Annotated[U8, Mark.JUMPS]
"""How often a thing has jumped to another place, modulo 256. When it changes, drawing between two states does not
move the thing from one place to the other. A class has at most one such field."""


def mark_of(marks: tuple[Any, ...], kind: type[T]) -> T | None:
    """The mark of class ``kind`` in an annotation; None if there is none."""
    return next((mark for mark in marks if isinstance(mark, kind)), None)


NUMBER, WIDE, TRUTH, DOUBLE, MEMBER, LINK, PART, ITEMS, VALUES, CACHE, SHAPE, TEXT = range(12)
"""What a field can hold; the kernel ``storage`` has the same numbers, and a test compares them."""
LIST_ITEMS = 1024
"""The most items of a list that is declared without ``Most``."""
_NOTHING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One declared field, for code that needs the declaration: reports, servers, pictures between two states."""

    name: str
    holds: int
    """What the field holds: NUMBER to TEXT."""
    kind: Kind | None = None
    """The kind of a scalar, or of the values of a list."""
    form: Form | TextForm | None = None
    """The form of a vector, a rectangle or a text, or of the vectors or rectangles of a list."""
    thing: Any = None
    """The class of a thing, of the items of a list, or of the target of a reference."""
    optional: bool = False
    most: int = 0
    """The most items that a list holds; unused for other fields."""
    range: Range | None = None
    visible: Visible = Visible.ALL
    is_angle: bool = False
    is_player: bool = False
    """Whether this field names the owner of the thing."""
    is_jumps: bool = False
    """Whether this field counts the thing's jumps."""

    @property
    def is_needed(self) -> bool:
        """Whether a new thing needs a value here if there is no default. Lists, parts and optionals start empty."""
        is_plain = self.holds <= MEMBER or self.holds >= SHAPE
        return self.holds == LINK or (is_plain and not self.optional and not self.is_jumps)


class Later:
    """Stands for a class that a reference names before it is declared."""

    def __init__(self, name: str, module: str) -> None:
        self.name, self.module = name, module

    def __or__(self, _other: Any) -> "Later":
        return self

    __ror__ = __or__

    def __call__(self) -> None:
        """Never called: exists because only callables may stand in an annotation."""

    def found(self, where: str) -> type:
        """The class that was meant; it must be declared by now."""
        # retick: allow environment -- the module of the game itself, on every peer
        kind = vars(sys.modules[self.module]).get(self.name) if self.module in sys.modules else None
        if not isinstance(kind, type):
            raise UsageError(f"{where} refers to {self.name}, which is not declared in {self.module}")
        return kind


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of the fields. A ``Later`` stands for a class that is not declared yet."""
    later: dict[str, Any] = {cls.__name__: Later(cls.__name__, cls.__module__)}
    while True:
        try:
            hints = get_type_hints(cls, localns=later, include_extras=True)
            break
        except NameError as error:
            if error.name is None or error.name in later:
                raise SchemaError(f"{cls.__name__}: {error}") from None
            later[error.name] = Later(error.name, cls.__module__)
        except TypeError as error:
            raise SchemaError(f"{cls.__name__}: {error}") from None
    # The library's own classes are annotated too.
    own = {name for base in cls.__mro__[1:] if "_members" not in vars(base) for name in get_type_hints(base)}
    return {
        name: hint
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar and (name not in own or name in vars(cls).get("__annotations__", ()))
    }


def member_of(owner: str, name: str, hint: Any) -> Member:
    """What one annotation declares."""
    marks: tuple[Any, ...] = ()
    optional = False
    while True:
        if get_origin(hint) is Annotated:
            marks += get_args(hint)[1:]
            if not any(isinstance(mark, Kind) for mark in marks) and kind_of(hint) is not None:
                break
            hint = get_args(hint)[0]
        elif get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint) and len(get_args(hint)) == 2:
            optional = True
            hint = next(part for part in get_args(hint) if part is not NoneType)
        else:
            break
    visible = mark_of(marks, Visible) or Visible.ALL
    common: dict[str, Any] = {"name": name, "visible": visible, "range": mark_of(marks, Range)}
    most = mark_of(marks, Most)
    if Mark.CACHE in marks:
        return Member(holds=CACHE, **common)
    if Mark.REF in marks:
        if not isinstance(hint, Later) and not _is_thing(hint):
            raise SchemaError(f"{owner}.{name}: a reference is to a class of things, not to {hint!r}")
        return Member(holds=LINK, thing=hint, optional=True, **common)
    if get_origin(hint) is list:
        return _list_member(owner, name, get_args(hint)[0], most, optional, common)
    kind = mark_of(marks, Kind) or kind_of(hint)
    if kind is not None:
        is_player, is_jumps = Mark.PLAYER in marks, Mark.JUMPS in marks
        if optional and (is_player or is_jumps):
            raise SchemaError(
                f"{owner}.{name} cannot be None: a thing of no player has the Player NOBODY, and Jumps is 0"
            )
        return Member(
            holds=_holds(kind),
            kind=kind,
            optional=optional,
            is_angle=Mark.ANGLE in marks,
            is_player=is_player,
            is_jumps=is_jumps,
            **common,
        )
    if _is_thing(hint):
        return Member(holds=PART, thing=hint, optional=optional, **common)
    form = form_of(hint, most.count if most is not None else None)
    if form is not None:
        holds, size = (TEXT, form.most) if isinstance(form, TextForm) else (SHAPE, 0)
        return Member(holds=holds, form=form, most=size, optional=optional, **common)
    if isinstance(hint, Later):
        raise SchemaError(
            f"{owner}.{name}: {hint.name} is not declared yet: move its class above {owner}, or write "
            f'Ref["{hint.name}"] if it only refers to one that is in a list'
        )
    raise SchemaError(f"{owner}.{name} {advice_on(hint)}")


def _list_member(owner: str, name: str, hint: Any, most: Most | None, optional: bool, common: dict[str, Any]) -> Member:
    if optional:
        raise SchemaError(f"{owner}.{name}: a list may be empty, never None: write it without | None")
    inner = member_of(owner, name, hint)
    if inner.optional or inner.holds not in (NUMBER, WIDE, TRUTH, DOUBLE, MEMBER, PART, SHAPE):
        raise SchemaError(
            f"{owner}.{name}: a list holds things, numbers, bools, enums, vectors or rectangles, not {hint!r}"
        )
    holds = ITEMS if inner.holds == PART else VALUES
    count = LIST_ITEMS if most is None else most.count
    common["range"] = common["range"] or inner.range
    same: dict[str, Any] = {"kind": inner.kind, "form": inner.form, "thing": inner.thing, "is_angle": inner.is_angle}
    return Member(holds=holds, most=count, **same, **common)


def check_members(owner: str, members: tuple[Member, ...]) -> None:
    """Refuse a class that has two of a field of which only one is allowed."""
    for what, names in (
        ("Player", [member.name for member in members if member.is_player]),
        ("Jumps", [member.name for member in members if member.is_jumps]),
    ):
        if len(names) > 1:
            raise SchemaError(f"{owner}.{names[1]}: a class has one {what}, and {owner}.{names[0]} has it already")


def _is_thing(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Cell) and not issubclass(hint, Root)


def _holds(kind: Kind) -> int:
    if kind.members:
        return MEMBER
    if kind.is_bool:
        return TRUTH
    if kind.is_real:
        return DOUBLE
    return WIDE if kind.greatest >= 1 << 63 else NUMBER


def members_of(cls: type) -> tuple[Member, ...]:
    """The declared fields of a class of things or of a world, in order."""
    members: tuple[Member, ...] = cls._members  # type: ignore[attr-defined]  # made by ThingType for each class
    return members


def plan_of(cls: type, members: tuple[Member, ...], defaults: dict[str, Any]) -> ThingPlan:
    """Plan how the things of a class are held and packed."""
    fields: list[Any] = []
    blank: list[Any] = []
    boxes = iter(boxes_of(cls))
    parts = 0
    for member in members:
        where = f"{cls.__name__}.{member.name}"
        default = _default_of(where, member, defaults.get(member.name, _NOTHING))
        options: dict[str, Any] = {"optional": member.optional, "kind": member.kind or member.form, "most": member.most}
        if member.holds <= LINK:
            options["slot"] = len(blank)
            blank += _blank_slots(member, default)
        else:
            options["part"], parts = parts, parts + 1
        if member.holds == LINK:
            options["target"], options["optional"] = member.thing, False
        elif member.thing is not None:
            options["plan"] = member.thing._declared
        if isinstance(member.form, Form):
            options["numbers"] = len(member.form.names)
        if member.holds in (ITEMS, VALUES):
            if member.kind is not None:
                options["scalar"] = _holds(member.kind)
            options["make_list"] = ThingList if member.holds == ITEMS else ValueList
        if _is_made_when_read(member):
            fields.append(FieldAttribute(cls.__name__, member.name, member.holds, default=default, **options))
        else:
            options["box"] = next(boxes)
            fields.append(FieldPlan(cls.__name__, member.name, member.holds, default=default, **options))
    row: Any = blank
    if IS_COMPILED:
        row = b"".join(struct.pack("=d" if isinstance(raw, float) else "=q", _signed(raw)) for raw in blank)
    needed = [member.name for member in members if member.is_needed and member.name not in defaults]
    return ThingPlan(cls, fields, tuple(_steps(fields)), len(blank), parts, row, needed)


def _is_made_when_read(member: Member) -> bool:
    """Whether a field has no box: a reference, and vectors, which a read-only world copies."""
    return member.holds in (LINK, SHAPE) or (member.holds == VALUES and isinstance(member.form, Form))


def _signed(raw: Any) -> Any:
    return raw - (1 << 64) if isinstance(raw, int) and raw >= 1 << 63 else raw


def _default_of(where: str, member: Member, given: Any) -> Any:
    """The checked default of a field; for a field without one, the initial value of its kind."""
    if isinstance(given, dataclasses.Field):
        raise SchemaError(f"{where}: {advice_on(given)}")
    value_kind = member.kind or member.form
    if member.holds == VALUES:
        assert value_kind is not None
        values = [] if given is _NOTHING else list(given)
        if len(values) > member.most:
            raise SchemaError(f"{where}: the default has {len(values)} values, and Most is {member.most}")
        return tuple(value_kind.checked(value, f"{where}, default") for value in values)
    if member.holds == CACHE:
        if isinstance(given, list | dict | set):
            raise SchemaError(f"{where}: all objects would share this default: write None and make it in rebuild")
        return None if given is _NOTHING else given
    if given is _NOTHING and member.is_player:
        return NOBODY
    if given is _NOTHING or (member.holds == ITEMS and given == []):
        return value_kind.zero if value_kind is not None and not member.optional else None
    if value_kind is None or member.holds == ITEMS:
        if given is None and member.optional:
            return None
        if given is None and member.holds == PART:
            kind = member.thing.__name__
            raise SchemaError(
                f"{where} cannot have the default None: write Ref[{kind}] if it only refers to one that is in a list, "
                f"or {kind} | None if it has one of its own"
            )
        raise SchemaError(f"{where} cannot have the default {given!r}: it starts with the defaults of its own class")
    if given is None and member.optional:
        return None
    try:
        return value_kind.checked(given, where)
    except UsageError as error:
        raise SchemaError(f"{error}, so it cannot be the default") from None


def _blank_slots(member: Member, default: Any) -> list[Any]:
    if member.holds == LINK:
        return [0]
    assert member.kind is not None
    raw = 0 if default is None else member.kind.raw(default)
    return [raw, int(default is not None)] if member.optional else [raw]


def _steps(fields: list[Any]) -> Iterator[Step]:
    """Group the fields into steps: runs of scalars that are always there, and one step for every other field."""
    run: list[Any] = []

    def ended() -> Iterator[Step]:
        if run:
            yield Step(None, run[0].slot, [field.kind for field in run], [field.where for field in run])
            run.clear()

    for field in fields:
        if field.code <= MEMBER and not field.optional:
            run.append(field)
            continue
        yield from ended()
        kinds, names = _packed_as(field)
        yield Step(field, max(field.slot, 0), kinds, names)
    yield from ended()


def _packed_as(field: Any) -> tuple[list[Kind], list[str]]:
    """The scalars of a field outside a run, with their names: none, one, or the numbers of a shape."""
    form = field.kind
    if isinstance(form, Form):
        return [form.kind] * len(form.names), [f"{field.where}.{name}" for name in form.names]
    return ([form], [field.where]) if isinstance(form, Kind) else ([], [])


def declared_text(cls: type) -> str:
    """The text of a declaration, the input of its CRC-32 (docs/formats/world.md)."""
    fields = [f"{member.name}:{_type_text(member)}" for member in members_of(cls) if member.holds != CACHE]
    # A world's name is left out: a subclass that only plays differently has the same states.
    name = "" if issubclass(cls, Root) else cls.__name__
    return f"{name}{{{','.join(fields)}}}"


def _type_text(member: Member) -> str:
    if member.holds == LINK:
        return f"ref {member.thing.name if isinstance(member.thing, Later) else member.thing.__name__}"
    value_kind = member.kind or member.form
    inner = value_kind.text if value_kind is not None else declared_text(member.thing)
    if member.most and member.holds != TEXT:
        return f"[{member.most}]{inner}"
    return f"{inner}?" if member.optional else inner


# Names for every value of a world, for reports: an item is named by its id, since its index shifts.


def thing_fields(thing: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Pairs of name and value, in the order of declaration; names begin with ``prefix``."""
    for member in members_of(type(thing)):
        if member.holds != CACHE:
            yield from _fields_of(member, getattr(thing, member.name), prefix + member.name)


def _fields_of(member: Member, value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if member.holds == ITEMS:
        yield name, tuple(item.id for item in value)
        for item in value:
            yield from thing_fields(item, f"{name}[id {item.id}].")
    elif member.holds == VALUES:
        yield f"{name}.length", len(value)
        for index, each in enumerate(value):
            yield from _values_of(member, each, f"{name}[{index}]")
    elif member.holds == PART and value is not None:
        yield from thing_fields(value, f"{name}.")
    elif member.holds == LINK:
        yield name, None if value is None else value.id
    else:
        yield from _values_of(member, value, name)


def _values_of(member: Member, value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Pairs of name and value for one member; a vector or a rectangle gives each of its numbers."""
    if isinstance(member.form, Form) and value is not None:
        for part, number in zip(member.form.names, value, strict=True):
            yield f"{name}.{part}", number
    else:
        yield name, value
