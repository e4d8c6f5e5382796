"""The kinds of fields that only worlds have, and what else a declaration says of one field.

Scalars are in ``retick.sim.kinds``. Here are references, things inside things, lists, vectors and rectangles, texts,
and caches: one class each. Vectors, rectangles and texts are values: an assignment copies, so that no two fields share
one.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any

from retick.errors import SchemaError, UsageError
from retick.sim.kinds import I32, REAL, FieldKind, Kind, kind_of
from retick.sim.shapes import FRect, Rect, Shape, Vector2, blank
from retick.sim.world.storage import Root, ThingList, ValueList

TEXT_BYTES = 255
"""The bytes that a text declared as plain ``str`` may take."""
LINK, PART, ITEMS, VALUES, CACHE, SHAPE, TEXT = range(5, 12)
"""How a plan holds what is no scalar; the kernel ``storage`` has the same numbers, and a test compares them."""

_ID, _COUNT = struct.Struct("<I"), struct.Struct("<H")


@dataclass(frozen=True, slots=True)
class ReferenceKind(FieldKind):
    """A reference to an item of a list, by its id; None is a value of it."""

    target: Any
    plan_code = LINK
    size = _ID.size
    is_in_row = True
    is_made_when_read = True

    @property
    def text(self) -> str:  # type: ignore[override]  # a class that is declared later is known by its name
        return f"ref {self.target.__name__}"

    def default(self, given: Any, where: str) -> None:
        if given is not None:
            raise _starts_by_itself(given, where)

    def plan(self) -> dict[str, Any]:
        return {"target": self.target}

    def raw(self, value: Any) -> int:
        return 0 if value is None else int(value.id)

    def saved(self, value: Any) -> bytes:
        return _ID.pack(self.raw(value))

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        yield name, None if value is None else value.id

    def shown(self, value: Any) -> str:
        return repr(value) if value is None else f"<id {value.id}>"


@dataclass(frozen=True, slots=True)
class PartKind(FieldKind):
    """A thing inside another one."""

    inside: Any
    plan_code = PART
    is_needed = False
    is_listed = True

    @property
    def text(self) -> str:  # type: ignore[override]  # made when it is asked for
        return declared_text(self.inside)

    def default(self, given: Any, where: str) -> None:
        if given is None:
            kind = self.inside.__name__
            raise SchemaError(
                f"{where} cannot have the default None: write Ref[{kind}] if it only refers to one that is in a list, "
                f"or {kind} | None if it has one of its own"
            )
        raise _starts_by_itself(given, where)

    def plan(self) -> dict[str, Any]:
        return {"plan": self.inside._declared}

    def saved(self, value: Any) -> bytes:
        """The packed form of one with all fields at their defaults."""
        plans = self.inside._declared.fields
        return b"".join(member.saved(plan.default) for member, plan in zip(members_of(self.inside), plans, strict=True))

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        return iter([(name, None)]) if value is None else thing_fields(value, f"{name}.")

    def things(self, value: Any) -> Sequence[Any]:
        return () if value is None else (value,)


@dataclass(frozen=True, slots=True)
class ThingsKind(FieldKind):
    """A list of things, which have ids."""

    inside: Any
    most: int
    plan_code = ITEMS
    is_needed = False

    @property
    def text(self) -> str:  # type: ignore[override]  # as above
        return f"[{self.most}]{declared_text(self.inside)}"

    def default(self, given: Any, where: str) -> None:
        if given != []:
            raise _starts_by_itself(given, where)

    def plan(self) -> dict[str, Any]:
        return {"plan": self.inside._declared, "most": self.most, "make_list": ThingList}

    def saved(self, value: Any) -> bytes:
        """The packed form of an empty list, the only default."""
        return _COUNT.pack(0)

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        # An item is named by its id, since its index shifts.
        yield name, tuple(item.id for item in value)
        for item in value:
            yield from thing_fields(item, f"{name}[id {item.id}].")

    def things(self, value: Any) -> Sequence[Any]:
        return value  # type: ignore[no-any-return]  # a list of things


def _starts_by_itself(given: Any, where: str) -> SchemaError:
    return SchemaError(f"{where} cannot have the default {given!r}: it starts with the defaults of its own class")


@dataclass(frozen=True, slots=True)
class ValuesKind(FieldKind):
    """A list of scalars, vectors or rectangles."""

    each: FieldKind
    most: int
    plan_code = VALUES
    zero = ()
    is_needed = False

    @property
    def text(self) -> str:  # type: ignore[override]  # it follows from what is listed
        return f"[{self.most}]{self.each.text}"

    @property
    def size(self) -> int:  # type: ignore[override]  # as above
        return self.each.size

    @property
    def numbers(self) -> tuple[tuple[str, Kind], ...]:  # type: ignore[override]  # as above
        return self.each.numbers

    @property
    def is_made_when_read(self) -> bool:  # type: ignore[override]  # as above
        return self.each.is_made_when_read

    def default(self, given: Any, where: str) -> tuple[Any, ...]:
        values = list(given)
        if len(values) > self.most:
            raise SchemaError(f"{where}: the default has {len(values)} values, and Most is {self.most}")
        return tuple(self.each.checked(value, f"{where}, default") for value in values)

    def plan(self) -> dict[str, Any]:
        return {**self.each.plan(), "scalar": self.each.plan_code, "most": self.most, "make_list": ValueList}

    def saved(self, value: Any) -> bytes:
        return _COUNT.pack(len(value)) + b"".join(map(self.each.saved, value))

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        yield f"{name}.length", len(value)
        for index, each in enumerate(value):
            yield from self.each.fields(each, f"{name}[{index}]")


@dataclass(frozen=True, slots=True)
class CacheKind(FieldKind):
    """A value that is not saved."""

    plan_code = CACHE
    is_needed = False
    is_state = False

    def default(self, given: Any, where: str) -> Any:
        if isinstance(given, list | dict | set):
            raise SchemaError(f"{where}: all objects would share this default: write None and make it in rebuild")
        return given

    def plan(self) -> dict[str, Any]:
        return {}

    def saved(self, value: Any) -> bytes:
        return b""

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        return iter(())


@dataclass(frozen=True, slots=True)
class ShapeKind(FieldKind):
    """A vector or a rectangle."""

    shape: type[Shape]
    text: str
    axes: str
    """The names of its numbers, a letter each, in the order in which they are packed."""
    kind: Kind
    """The kind of each of its numbers."""
    plan_code = SHAPE
    is_listed = True
    is_made_when_read = True

    @property
    def numbers(self) -> tuple[tuple[str, Kind], ...]:  # type: ignore[override]  # it follows from the axes
        return tuple((axis, self.kind) for axis in self.axes)

    @property
    def size(self) -> int:  # type: ignore[override]  # as above
        return self.kind.size * len(self.axes)

    @property
    def zero(self) -> Shape:
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
        what = f"{len(self.axes)} {'floats' if self.kind.is_real else 'integers of 32 bits'}"
        raise UsageError(f"{where}: {value!r} is not a {self.shape.__name__}, and not {what}")

    def plan(self) -> dict[str, Any]:
        return {"kind": self, "numbers": len(self.axes)}

    def saved(self, value: Any) -> bytes:
        return b"".join(self.kind.saved(getattr(value, axis)) for axis in self.axes)

    def fields(self, value: Any, name: str) -> Iterator[tuple[str, Any]]:
        if value is None:
            yield name, None
        else:
            for axis, number in zip(self.axes, value, strict=True):
                yield f"{name}.{axis}", number


@dataclass(frozen=True, slots=True)
class TextKind(FieldKind):
    """A text with a bounded number of bytes, which are its elements."""

    most: int
    plan_code = TEXT
    zero = ""
    size = 1

    @property
    def text(self) -> str:  # type: ignore[override]  # it follows from the bound
        return f"text({self.most})"

    def checked(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            raise UsageError(f"{where}: {value!r} is not a str")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise UsageError(f"{where}: {value!r} is not valid text: it has half of a character") from None
        if size > self.most:
            raise UsageError(f"{where} holds at most {self.most} bytes of UTF-8, not {size}")
        return str(value)

    def saved(self, value: Any) -> bytes:
        data: bytes = value.encode()
        return _COUNT.pack(len(data)) + data


_WHOLE = kind_of(I32)
assert _WHOLE is not None
_SHAPES = {
    Vector2: ShapeKind(Vector2, "vector2", "xy", REAL),
    Rect: ShapeKind(Rect, "rect", "xywh", _WHOLE),
    FRect: ShapeKind(FRect, "frect", "xywh", REAL),
}


def value_kind_of(hint: Any, most: int | None) -> FieldKind | None:
    """The kind that an annotation names; None if it names no vector, rectangle or text."""
    if hint is str:
        return TextKind(TEXT_BYTES if most is None else most)
    return _SHAPES.get(hint) if isinstance(hint, type) else None


# What a declaration says of a field besides its kind.

# retick: floats -- bounds of what a server sends; no field is checked against them


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One declared field, for code that needs the declaration: reports, servers, pictures between two states."""

    name: str
    kind: FieldKind
    optional: bool = False
    """Whether it may be None, which is saved in a byte of its own."""
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
        return self.kind.is_needed and not self.optional and not self.is_jumps

    @property
    def text(self) -> str:
        """The field in the text of a declaration."""
        return f"{self.name}:{self.kind.text}{'?' * self.optional}"

    def saved(self, default: Any) -> bytes:
        """The saved bytes of the field at its default."""
        if not self.optional:
            return self.kind.saved(default)
        return b"\x00" if default is None else b"\x01" + self.kind.saved(default)

    def things(self, thing: Any) -> Sequence[Any]:
        """The things that are in this field of ``thing``."""
        return () if self.kind.inside is None else self.kind.things(getattr(thing, self.name))


def members_of(cls: type) -> tuple[Member, ...]:
    """The declared fields of a class of things or of a world, in order."""
    members: tuple[Member, ...] = cls._members  # type: ignore[attr-defined]  # made by ThingType for each class
    return members


def declared_text(cls: type) -> str:
    """The text of a declaration, the input of its CRC-32 (docs/formats/world.md)."""
    fields = [member.text for member in members_of(cls) if member.kind.is_state]
    # A world's name is left out: a subclass that only plays differently has the same states.
    name = "" if issubclass(cls, Root) else cls.__name__
    return f"{name}{{{','.join(fields)}}}"


def thing_fields(thing: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Name every value of a thing: pairs in the order of declaration; names begin with ``prefix``."""
    for member in members_of(type(thing)):
        yield from member.kind.fields(getattr(thing, member.name), prefix + member.name)
