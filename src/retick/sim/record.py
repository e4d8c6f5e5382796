"""Declare a flat state once; get the value, its checksum, its bytes, its names and its differences.

::

    class Ship(Record):
        x: I32
        y: I32
        fuel: U16 = 100

    class Duel(Record):
        frame: U32
        ships: Annotated[tuple[Ship, ...], Times(2)]
        shots: Annotated[tuple[Shot, ...], Most(8)] = ()
        rng: U32

A field is an integer of a width, a bool, an F64, an enum, a record, or a tuple of one of these: ``Times(n)`` of them,
or up to ``Most(n)``. The order of declaration is the order of hashing and of packing. A record is immutable and
compares by value; ``replace`` makes a changed copy. Records may contain records: ``duel.ships[0].x`` reads a field,
which is called ``ships[0].x`` in reports.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
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

from retick.errors import InvalidValue, LimitExceeded, SchemaError, TrailingData, Truncated, UsageError
from retick.sim.fields import FieldDifference, field_differences, wrong_names
from retick.sim.flat import FlatRecord, PartField, SlotField, fill_record, make_record, slots_checksum
from retick.sim.kinds import COUNT, Kind, Most, read_annotation


@dataclass(frozen=True, slots=True)
class Times:
    """Marks a tuple field with its fixed length: ``Annotated[tuple[Ship, ...], Times(2)]``."""

    count: int


class RecordMember(NamedTuple):
    """One declared attribute: its kind, how often it repeats (None if it is not a tuple), and its first slot."""

    name: str
    kind: "Kind | type[Record]"
    times: int | None
    offset: int
    is_bounded: bool = False
    """Whether ``times`` is a maximum; then the first slot holds the current length, and unused slots are 0."""

    @property
    def slots_each(self) -> int:
        return 1 if isinstance(self.kind, Kind) else len(self.kind.layout.names)

    @property
    def first(self) -> int:
        """The slot of the first value."""
        return self.offset + self.is_bounded

    def used(self, slots: Sequence[int]) -> int:
        """How many values a row holds for this attribute."""
        return slots[self.offset] if self.is_bounded else self.times or 1


class RecordLayout(NamedTuple):
    """Everything derived from one declaration; sequences have one entry per slot."""

    members: tuple[RecordMember, ...]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    wide: tuple[bool, ...]
    """For each slot, whether it is 64 bits wide and so takes two rounds of the checksum."""
    packed: struct.Struct
    bounded: tuple[tuple[int, int, int], ...]
    """For each tuple with a maximum, in other records too: the slot of its length, the maximum, the slots per item."""
    is_plain: bool
    """Whether all fields are integers of up to 32 bits or signed, without a tuple with a maximum."""


def _member_of(owner: str, name: str, hint: Any, offset: int) -> RecordMember:
    if isinstance(hint, type) and issubclass(hint, Record):
        return RecordMember(name, hint, None, offset)
    said = read_annotation(hint)
    mark = said.mark(Times) or said.mark(Most)
    if mark is not None and get_origin(hint) is Annotated:
        element = get_args(get_args(hint)[0])
        inner = _member_of(owner, name, element[0] if element else None, offset)
        if inner.times is not None or mark.count < 1:
            raise SchemaError(f"{owner}.{name}: a tuple repeats one field or record, once or more")
        return inner._replace(times=mark.count, is_bounded=isinstance(mark, Most))
    if said.kind is not None and not said.is_optional:
        return RecordMember(name, said.kind, None, offset)
    raise SchemaError(
        f"{owner}.{name} must be an int, a float, an integer with a width (I32, U8 ...), a bool, an enum, a Record, "
        f"or a tuple of those with Times(n) or Most(n), not {hint!r}"
    )


def _layout_of(owner: str, hints: dict[str, Any]) -> RecordLayout:
    members: list[RecordMember] = []
    names: list[str] = []
    kinds: list[Kind] = []
    bounded: list[tuple[int, int, int]] = []
    for name, hint in hints.items():
        member = _member_of(owner, name, hint, len(names))
        members.append(member)
        if member.is_bounded:
            bounded.append((len(names), member.times or 1, member.slots_each))
            names.append(f"{name}.length")
            kinds.append(COUNT)
        for index in range(member.times or 1):
            path = name if member.times is None else f"{name}[{index}]"
            if isinstance(member.kind, Kind):
                names.append(path)
                kinds.append(member.kind)
            else:
                inside = member.kind.layout
                bounded.extend((len(names) + at, most, each) for at, most, each in inside.bounded)
                names.extend(f"{path}.{inner}" for inner in inside.names)
                kinds.extend(inside.kinds)
    return RecordLayout(
        members=tuple(members),
        names=tuple(names),
        kinds=tuple(kinds),
        wide=tuple(kind.size == 8 for kind in kinds),
        packed=struct.Struct("<" + "".join(kind.code for kind in kinds)),
        bounded=tuple(bounded),
        is_plain=not bounded and all(kind.is_whole and kind.greatest < 1 << 63 for kind in kinds),
    )


class TupleField:
    """Reads a tuple of values or of records as an attribute."""

    def __init__(self, member: RecordMember) -> None:
        self._member = member

    def __get__(self, record: Any, _owner: type) -> Any:
        if record is None:
            return self
        member = self._member
        slots = record._slots()
        size = member.slots_each
        end = member.first + size * member.used(slots)
        if isinstance(member.kind, Kind):
            kind = member.kind
            return tuple(kind.value(kind.from_slot(slot)) for slot in slots[member.first : end])
        return tuple(make_record(member.kind, slots[at : at + size]) for at in range(member.first, end, size))

    def __set__(self, record: Any, _value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


def _field_of(member: RecordMember) -> SlotField | PartField | TupleField:
    """The descriptor that reads one member as an attribute."""
    if member.times is not None:
        return TupleField(member)
    kind = member.kind
    if isinstance(kind, Kind):
        return SlotField(member.offset, kind.greatest >= 1 << 63, None if kind.is_whole else kind)
    return PartField(kind, member.offset, member.slots_each)


def _own_names(cls: type) -> set[str]:
    """Names that every record has: a field of the same name would hide one."""
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
        cls._defaults = _defaults_of(name, layout, bases, namespace)  # type: ignore[attr-defined]  # as above
        for member in layout.members:
            setattr(cls, member.name, _field_of(member))
        return cls


def _defaults_of(
    owner: str, layout: RecordLayout, bases: tuple[type, ...], namespace: dict[str, Any]
) -> dict[str, list[int]]:
    """The slots of the fields with defaults, by name, those inherited included."""
    found: dict[str, list[int]] = {}
    for base in reversed(bases):
        found |= getattr(base, "_defaults", {})
    for member in layout.members:
        if member.name in namespace:
            try:
                found[member.name] = _slots_from(owner, member, namespace[member.name])
            except UsageError as error:
                raise SchemaError(f"{error}, so it cannot be the default") from None
    return found


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record(FlatRecord, metaclass=_RecordType):
    """The base of all declared states; the module's docstring shows a declaration."""

    layout: ClassVar[RecordLayout]
    _defaults: ClassVar[dict[str, list[int]]]

    def __init__(self, **values: Any) -> None:
        cls = type(self)
        members, defaults = cls.layout.members, cls._defaults
        slots: list[int] = []
        given = 0
        for member in members:
            name = member.name
            if name in values:
                slots += _slots_from(cls.__name__, member, values[name])
                given += 1
            elif name in defaults:
                slots += defaults[name]
            else:
                given = -1
                break
        if given != len(values):
            missing = [member.name for member in members if member.name not in values and member.name not in defaults]
            unknown = sorted(values.keys() - {member.name for member in members})
            raise wrong_names(cls.__name__, missing, unknown)
        fill_record(self, slots)

    def replace(self, **changes: Any) -> Self:
        """Copy the record with some fields changed."""
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

    def fields(self) -> Iterator[tuple[str, Any]]:
        """Pairs of dotted name and value, in order of declaration; tuples with a maximum give only the items held."""
        pairs = zip(self.layout.names, self._values(), strict=True)
        if not self.layout.bounded:
            return pairs
        unused = {at for first, end in self._unused() for at in range(first, end)}
        return iter([pair for at, pair in enumerate(pairs) if at not in unused])

    def diff(self, other: Self) -> tuple[FieldDifference, ...]:
        """The fields in which two records of one class differ."""
        if type(other) is not type(self):
            raise UsageError(f"a {type(self).__name__} cannot be compared with a {type(other).__name__}")
        return field_differences(self.fields(), other.fields())

    def checksum(self) -> int:
        """FNV-1a, one round per field (two for a 64-bit field: lower half, upper half)."""
        return slots_checksum(self._slots(), self.layout.wide)

    def to_bytes(self) -> bytes:
        """Pack the fields in their declared widths, little-endian, without padding."""
        layout, slots = self.layout, self._slots()
        if layout.is_plain:
            return layout.packed.pack(*slots)
        return layout.packed.pack(*[kind.from_slot(slot) for kind, slot in zip(layout.kinds, slots, strict=True)])

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The record that ``to_bytes`` packed; raises DecodeError if the length or a value is wrong."""
        layout = cls.layout
        needed = layout.packed.size
        if len(data) < needed:
            raise Truncated(
                f"{cls.__name__} takes {needed} bytes, not {len(data)}",
                needed=needed,
                available=len(data),
            )
        if len(data) > needed:
            raise TrailingData(f"{cls.__name__} takes {needed} bytes, not {len(data)}", extra=len(data) - needed)
        raws = layout.packed.unpack(data)
        if layout.is_plain:
            return make_record(cls, raws)  # type: ignore[no-any-return]  # mypy sees kernels untyped
        for name, kind, raw in zip(layout.names, layout.kinds, raws, strict=True):
            fault = None if kind.is_whole else kind.fault(raw, f"{cls.__name__}.{name}")
            if fault is not None:
                raise fault
        for at, most, _ in layout.bounded:
            if raws[at] > most:
                what = f"{cls.__name__}.{layout.names[at]}"
                raise LimitExceeded(f"{what} is at most {most}, not {raws[at]}", what=what, limit=most, actual=raws[at])
        slots = [kind.slot(raw) for kind, raw in zip(layout.kinds, raws, strict=True)]
        record: Self = make_record(cls, slots)
        if any(any(slots[first:end]) for first, end in record._unused()):
            raise InvalidValue(f"{cls.__name__}: the unused items of a tuple must be 0")
        return record

    def _values(self) -> tuple[Any, ...]:
        slots = self._slots()
        if self.layout.is_plain:
            return slots
        return tuple(kind.value(kind.from_slot(slot)) for kind, slot in zip(self.layout.kinds, slots, strict=True))

    def _unused(self) -> Iterator[tuple[int, int]]:
        """Yield the unused slots: for each tuple with a maximum, the first of them and the end."""
        slots = self._slots()
        for at, most, each in self.layout.bounded:
            yield at + 1 + slots[at] * each, at + 1 + most * each

    def __repr__(self) -> str:
        inside = ", ".join(f"{m.name}={getattr(self, m.name)!r}" for m in self.layout.members)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)


def _slots_from(owner: str, member: RecordMember, value: Any) -> list[int]:
    """The slots of one attribute's value, after checking it against its declaration."""
    if member.times is None:
        return _slots_of_one(owner, member.name, member.kind, value)
    wanted = f"up to {member.times}" if member.is_bounded else str(member.times)
    if (
        not isinstance(value, tuple | list)
        or len(value) > member.times
        or len(value) < member.times * (not member.is_bounded)
    ):
        raise UsageError(f"{owner}.{member.name} takes {wanted} values, not {value!r}")
    slots = [len(value)] if member.is_bounded else []
    for index, element in enumerate(value):
        slots.extend(_slots_of_one(owner, f"{member.name}[{index}]", member.kind, element))
    return slots + [0] * (member.slots_each * (member.times - len(value)))


def _slots_of_one(owner: str, name: str, kind: "Kind | type[Record]", value: Any) -> list[int]:
    if isinstance(kind, Kind):
        if type(value) is int and kind.least <= value <= kind.greatest < 1 << 63 and kind.is_whole:
            return [value]  # the common case; the table of kinds covers all of them
        return [kind.slot(kind.raw(kind.checked(value, f"{owner}.{name}")))]
    if type(value) is not kind:
        raise UsageError(f"{owner}.{name} is a {kind.__name__}, not a {type(value).__name__}")
    return list(value._slots())


# The base of games whose state is one record: they write ``num_players``, ``initial_state`` and ``step``.


class RecordGame:
    """A Simulation whose state is one record: checksum, fields and bytes follow from the declaration."""

    num_players: int
    """How many players there are."""

    def initial_state(self, seed: int) -> Any:
        """The state before frame 0; games override this."""
        raise UsageError(f"{type(self).__name__} has no initial_state(self, seed)")

    def step(self, state: Any, inputs: Sequence[int], /) -> Any:
        """The state one frame later; games override this."""
        raise UsageError(f"{type(self).__name__} has no step(self, state, inputs)")

    def checksum(self, state: Record) -> int:
        return state.checksum()

    def fields(self, state: Record) -> Iterable[tuple[str, Any]]:
        return state.fields()

    def pack_state(self, state: Record) -> bytes:
        return state.to_bytes()

    def unpack_state(self, data: bytes) -> Record:
        # Every state of a game is a record of the same class, so the first state tells it.
        first: Record = self.initial_state(1)
        return type(first).from_bytes(data)
