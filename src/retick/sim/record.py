"""Declare a flat integer state once; get the value, its checksum, its bytes, its names and its differences.

::

    class Ship(Record):
        x: I32
        y: I32
        fuel: U16

    class Duel(Record):
        frame: U32
        ships: Annotated[tuple[Ship, ...], Times(2)]
        rng: U32

The order of declaration is the order of hashing and of packing. A record is immutable and compares by value;
``replace`` makes a changed copy. Records may contain records: ``duel.ships[0].x`` reads a field, which is called
``ships[0].x`` in reports.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NoReturn,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from retick.errors import SchemaError, TrailingData, Truncated, UsageError
from retick.sim.fields import FieldDifference, field_differences
from retick.sim.slots import FlatRecord, PartField, SlotField, fill_record, make_record, slots_checksum
from retick.sim.widths import Width

__all__ = ["Layout", "Record", "Times"]


@dataclass(frozen=True, slots=True)
class Times:
    """Marks a tuple field with its fixed length: ``Annotated[tuple[Ship, ...], Times(2)]``."""

    count: int


class Member(NamedTuple):
    """One declared attribute: its kind, how often it repeats (None: not a tuple), and its first slot."""

    name: str
    kind: "Width | type[Record]"
    times: int | None
    offset: int

    @property
    def slots_each(self) -> int:
        return 1 if isinstance(self.kind, Width) else len(self.kind.layout.names)


class Layout(NamedTuple):
    """Everything derived from one declaration, slot by slot."""

    members: tuple[Member, ...]
    names: tuple[str, ...]
    widths: tuple[Width, ...]
    wide: tuple[bool, ...]
    """Which slots are 64 bits wide, and so take two rounds of the checksum."""
    packed: struct.Struct


def _member_of(owner: str, name: str, hint: Any, offset: int) -> Member:
    if isinstance(hint, type) and issubclass(hint, Record):
        return Member(name, hint, None, offset)
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    for mark in marks:
        if isinstance(mark, Width):
            return Member(name, mark, None, offset)
        if isinstance(mark, Times):
            element = get_args(get_args(hint)[0])[0]
            inner = _member_of(owner, name, element, offset)
            if inner.times is not None or mark.count < 1:
                raise SchemaError(f"{owner}.{name}: a tuple repeats one field or record, once or more")
            return inner._replace(times=mark.count)
    raise SchemaError(
        f"{owner}.{name} must be an integer with a width (I32, U8 ...), a Record, or a tuple of those "
        f"with Times(n), not {hint!r}"
    )


def _layout_of(owner: str, hints: dict[str, Any]) -> Layout:
    members: list[Member] = []
    names: list[str] = []
    widths: list[Width] = []
    for name, hint in hints.items():
        member = _member_of(owner, name, hint, len(names))
        members.append(member)
        for index in range(member.times or 1):
            path = name if member.times is None else f"{name}[{index}]"
            if isinstance(member.kind, Width):
                names.append(path)
                widths.append(member.kind)
            else:
                names.extend(f"{path}.{inner}" for inner in member.kind.layout.names)
                widths.extend(member.kind.layout.widths)
    return Layout(
        members=tuple(members),
        names=tuple(names),
        widths=tuple(widths),
        wide=tuple(width.bits == 64 for width in widths),
        packed=struct.Struct("<" + "".join(width.code for width in widths)),
    )


class TupleField:
    """Reads a tuple of integers or of records as an attribute."""

    def __init__(self, member: Member) -> None:
        self._member = member

    def __get__(self, record: Any, _owner: type) -> Any:
        if record is None:
            return self
        member = self._member
        if isinstance(member.kind, Width):
            values = record._values()
            return values[member.offset : member.offset + (member.times or 1)]
        size = member.slots_each
        slots = record._slots()
        return tuple(
            make_record(member.kind, slots[at : at + size])
            for at in range(member.offset, member.offset + size * (member.times or 1), size)
        )

    def __set__(self, record: Any, _value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


def _field_of(member: Member) -> SlotField | PartField | TupleField:
    """The descriptor that reads one member as an attribute."""
    if member.times is not None:
        return TupleField(member)
    if isinstance(member.kind, Width):
        return SlotField(member.offset, member.kind.bits == 64 and not member.kind.signed)
    return PartField(member.kind, member.offset, member.slots_each)


def _own_names(cls: type) -> set[str]:
    """Names that every record has; a field of such a name would hide it."""
    undeclared = [base for base in cls.__mro__[1:] if "layout" not in vars(base)]
    return {"layout", *(name for base in undeclared for name in vars(base))}


class _RecordType(type):
    """Gives each record class empty ``__slots__``, its layout, and a descriptor for each field."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "_RecordType":
        namespace.setdefault("__slots__", ())
        cls = super().__new__(mcls, name, bases, namespace)
        if not any(isinstance(base, _RecordType) for base in bases):
            return cls
        hints = {
            field: hint
            for field, hint in get_type_hints(cls, include_extras=True).items()
            if get_origin(hint) is not ClassVar and not field.startswith("_")
        }
        taken = sorted(hints.keys() & _own_names(cls))
        if taken:
            raise SchemaError(f"{name}.{taken[0]} cannot be a field: every record has its own {taken[0]!r}")
        layout = _layout_of(name, hints)
        if not layout.names:
            raise SchemaError(f"{name} declares no field")
        cls.layout = layout  # type: ignore[attr-defined]  # made by Record for each class
        for member in layout.members:
            setattr(cls, member.name, _field_of(member))
        return cls


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record(FlatRecord, metaclass=_RecordType):
    """Base of all declared states; the module's docstring shows a declaration."""

    layout: ClassVar[Layout]

    def __init__(self, **values: Any) -> None:
        cls = type(self)
        members = cls.layout.members
        if values.keys() != {member.name for member in members}:
            missing = [member.name for member in members if member.name not in values]
            unknown = sorted(values.keys() - {member.name for member in members})
            raise UsageError(f"{cls.__name__}: missing fields {missing}, unknown fields {unknown}")
        slots: list[int] = []
        for member in members:
            slots.extend(_slots_from(cls.__name__, member, values[member.name]))
        fill_record(self, slots)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        cls = type(self)
        slots = list(self._slots())
        by_name = {member.name: member for member in cls.layout.members}
        for name, value in changes.items():
            if name not in by_name:
                raise UsageError(f"{cls.__name__} has no field {name!r}")
            member = by_name[name]
            fresh = _slots_from(cls.__name__, member, value)
            slots[member.offset : member.offset + len(fresh)] = fresh
        return make_record(cls, slots)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def fields(self) -> Iterator[tuple[str, int]]:
        """Pairs of dotted name and value, in order of declaration."""
        return zip(self.layout.names, self._values(), strict=True)

    def diff(self, other: Self) -> tuple[FieldDifference, ...]:
        """The fields in which two records of one class differ."""
        if type(other) is not type(self):
            raise UsageError(f"a {type(self).__name__} cannot be compared with a {type(other).__name__}")
        return field_differences(self.fields(), other.fields())

    def checksum(self) -> int:
        """FNV-1a, one round a field (two for a 64-bit field: lower half, upper half)."""
        return slots_checksum(self._slots(), self.layout.wide)

    def to_bytes(self) -> bytes:
        """The fields in their declared widths, little-endian, without padding."""
        return self.layout.packed.pack(*self._values())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The record that ``to_bytes`` packed; a DecodeError if the length is wrong."""
        needed = cls.layout.packed.size
        if len(data) < needed:
            raise Truncated(
                f"{cls.__name__} takes {needed} bytes, not {len(data)}",
                needed=needed,
                available=len(data),
            )
        if len(data) > needed:
            raise TrailingData(f"{cls.__name__} takes {needed} bytes, not {len(data)}", extra=len(data) - needed)
        values = cls.layout.packed.unpack(data)
        return make_record(cls, [_signed(value) for value in values])  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def _values(self) -> tuple[int, ...]:
        slots = self._slots()
        if not any(self.layout.wide):
            return slots
        return tuple(
            slot + (1 << 64) if slot < 0 and not width.signed else slot
            for slot, width in zip(slots, self.layout.widths, strict=True)
        )

    def __repr__(self) -> str:
        inside = ", ".join(f"{m.name}={getattr(self, m.name)!r}" for m in self.layout.members)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)


def _signed(value: int) -> int:
    """The signed 64-bit number with the same bits, which is how a slot holds it."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _slots_from(owner: str, member: Member, value: Any) -> list[int]:
    """The slots of one attribute's value, checked against its declaration."""
    if member.times is None:
        return _slots_of_one(owner, member.name, member.kind, value)
    if not isinstance(value, tuple | list) or len(value) != member.times:
        raise UsageError(f"{owner}.{member.name} takes {member.times} values, not {value!r}")
    slots: list[int] = []
    for index, element in enumerate(value):
        slots.extend(_slots_of_one(owner, f"{member.name}[{index}]", member.kind, element))
    return slots


def _slots_of_one(owner: str, name: str, kind: "Width | type[Record]", value: Any) -> list[int]:
    if isinstance(kind, Width):
        if not isinstance(value, int) or not kind.least <= value <= kind.greatest:
            raise UsageError(f"{owner}.{name} is {kind.name} ({kind.least} to {kind.greatest}), not {value!r}")
        return [_signed(int(value))]
    if type(value) is not kind:
        raise UsageError(f"{owner}.{name} is a {kind.__name__}, not a {type(value).__name__}")
    return list(value._slots())
