"""The snapshot: every entity's components at one tick.

A snapshot only holds values. Whether they fit their fields is checked on encoding, since columns over a user's own
buffers can change at any time. Only what a column cannot hold is refused here.
"""

import operator
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import byteorder
from typing import Any, Literal, NamedTuple

from retick.errors import EncodeError, UsageError, with_code
from retick.snapshot.columns import Columns, columns_of_buffers, columns_of_items, duplicate, select
from retick.snapshot.errors import value_error
from retick.snapshot.schema import Component, Field, Schema

# Views a user's buffer or list as the integers that a column holds; each error names column and entity.
#
# ``columns_of_buffers`` is the fast path for buffers of the usual types. This is the whole rule, and the only path
# uncompiled.


class ItemKind(NamedTuple):
    """The items of one kind of buffer."""

    code: Literal["I", "q", "B"]
    """The format code in which they are read."""
    size: int
    """The size in bytes."""
    taken: str
    """Formats that are read without a copy, if their items have the right size."""
    lowest: int
    highest: int


IDS = ItemKind("I", 4, "IL", 0, (1 << 32) - 1)
FLAGS = ItemKind("B", 1, "Bb?", 0, 1)
COLUMN = ItemKind("q", 8, "ql", -(1 << 63), (1 << 63) - 1)
UNSIGNED = ItemKind("q", 8, "qlQL", -(1 << 63), (1 << 64) - 1)
"""A column of an unsigned field: numbers above 2**63 - 1 are stored as the signed ones with the same bits."""

_INTEGERS = "bBhHiIlLqQnN?"
_NATIVE = ("@", "=", "<" if byteorder == "little" else ">")
"""Format prefixes that change nothing; ctypes always writes one."""
_PREFIXES = ("@", "=", "<", ">", "!")

EntityOf = Callable[[int], int]
"""Returns the id of the entity in a row."""


def integer_view(buffer: Any, kind: ItemKind, what: str, entity_of: EntityOf | None = None) -> memoryview:
    """A contiguous view of the wanted item type; of a converted copy if the buffer has another."""
    try:
        view = memoryview(buffer)
    except TypeError:
        return memoryview(_converted(buffer, kind, what, entity_of))
    if _reads_as(view, kind):
        return _cast(view, kind)
    if view.ndim != 1:
        raise UsageError(f"{what} must have one dimension, not {view.ndim}")
    if len(view) and _letter(view.format) not in _INTEGERS:
        raise UsageError(f"{what} must hold integers, not items of format {view.format!r}: quantise floats first")
    return memoryview(_converted(_listed(buffer, view), kind, what, entity_of))


def exact_view(buffer: Any, kind: ItemKind, what: str) -> memoryview:
    """A contiguous view without conversion: a buffer of another item type is refused."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise UsageError(f"{what} must be a buffer to be bound, not a {type(buffer).__name__}") from None
    if not _reads_as(view, kind):
        raise UsageError(
            f"{what} must be contiguous integers of {kind.size} bytes to be bound, not items of format "
            f"{view.format!r} with shape {view.shape} and strides {view.strides}"
        )
    return _cast(view, kind)


def _letter(form: str) -> str:
    return form[1:] if form[:1] in _PREFIXES else form


def _reads_as(view: memoryview, kind: ItemKind) -> bool:
    form = view.format[1:] if view.format[0] in _NATIVE else view.format
    same_kind = len(form) == 1 and form in kind.taken and view.itemsize == kind.size
    return same_kind and view.contiguous and view.ndim == 1


def _cast(view: memoryview, kind: ItemKind) -> memoryview:
    return view.cast("B").cast(kind.code) if view.format != kind.code else view


def _listed(buffer: Any, view: memoryview) -> Any:
    """The items; in a format that a memoryview cannot read, such as the other byte order, as the owner gives them."""
    try:
        return view.tolist()
    except NotImplementedError:
        return buffer.tolist() if hasattr(buffer, "tolist") else buffer


def _converted(values: Any, kind: ItemKind, what: str, entity_of: EntityOf | None) -> "array[int]":
    """Convert to 64-bit numbers; those of unsigned fields become the signed ones with the same bits."""
    made = array(kind.code)
    try:
        given = list(values)
    except TypeError:
        raise UsageError(f"{what} must be a buffer or a list of integers, not {values!r}") from None
    for row, value in enumerate(given):
        try:
            number = operator.index(value)
        except TypeError:
            raise UsageError(f"{what}, {_where(row, entity_of)}: {value!r} is not an integer") from None
        if not kind.lowest <= number <= kind.highest:
            raise UsageError(f"{what}, {_where(row, entity_of)}: {number} is not from {kind.lowest} to {kind.highest}")
        made.append(number - (1 << 64) if kind is UNSIGNED and number > COLUMN.highest else number)
    return made


def _where(row: int, entity_of: EntityOf | None) -> str:
    if entity_of is None:
        return f"index {row}"
    try:
        return f"entity {entity_of(row)}"
    except IndexError:
        return f"row {row}"


Values = Sequence[Any]
"""One component's values in schema order: bools, and integers (quantised where the field is fixed-point)."""
Entities = Mapping[int, Mapping[int, Values]]
"""Component ids with their values, by entity id."""

_UNSIGNED64 = range(1 << 64)
_SIGNED64 = range(-(1 << 63), 1 << 63)
_IDS = range(1 << 32)


class Snapshot(Columns):
    """Immutable entity state: build it with :meth:`of` or :meth:`from_columns`."""

    __slots__ = ()

    def __init__(self) -> None:
        raise UsageError("a snapshot is made by Snapshot.of, Snapshot.from_columns or a codec")

    @property
    def schema(self) -> Schema:
        return self.table.schema  # type: ignore[no-any-return]  # mypy sees kernels untyped

    @classmethod
    def of(
        cls, schema: Schema, *, tick: int, entities: Entities | Iterable[tuple[int, Mapping[int, Values]]]
    ) -> "Snapshot":
        """Make a snapshot from a mapping, or pairs. Their order is kept; the encoder requires ascending ids."""
        check_tick(tick)
        items = list(entities.items() if isinstance(entities, Mapping) else entities)
        made = columns_of_items(cls, schema.table, tick, items)
        if made is not None:
            return made  # type: ignore[no-any-return]  # mypy sees kernels untyped
        for entity, components in items:
            _check_entity(schema, entity, components)
        columns: list[array[int]] = []
        present: list[array[int] | None] = []
        for component in schema.components:
            having = [(entity, components[component.id]) for entity, components in items if component.id in components]
            columns += _columns_of(component, having)
            missing = len(having) < len(items)
            present.append(array("B", [component.id in components for _, components in items]) if missing else None)
        return over_buffers(cls, schema, tick, array("I", [entity for entity, _ in items]), columns, present, True)

    @classmethod
    def from_columns(
        cls,
        schema: Schema,
        *,
        tick: int,
        ids: Any,
        columns: Mapping[int, Sequence[Any]],
        present: Mapping[int, Any] | None = None,
    ) -> "Snapshot":
        """Make a snapshot from one buffer for each field, read in place, without a copy.

        ``ids``: unsigned 32-bit, ascending. ``columns``: for each component id its buffers in schema order, signed (or
        for unsigned fields also unsigned) 64-bit integers, one row for each entity that has the component. ``present``:
        for a component that some entities lack, one byte per entity, 1 if it is there; it is copied. A buffer of
        another integer type or with a stride, or a list, is converted, which copies it. To keep such a snapshot as a
        baseline while the buffers change, take its :meth:`copy`. It is better to bind permanent arrays once: see
        :class:`BoundColumns`.
        """
        check_tick(tick)
        made = columns_of_buffers(cls, schema.table, tick, ids, columns, present)
        if made is not None:
            return made  # type: ignore[no-any-return]  # mypy sees kernels untyped
        return cls._from_any_columns(schema, tick, ids, columns, present or {})

    @classmethod
    def _from_any_columns(
        cls, schema: Schema, tick: int, ids: Any, columns: Mapping[int, Sequence[Any]], present: Mapping[int, Any]
    ) -> "Snapshot":
        """Make a snapshot from anything that columns can hold, or raise the error that says what is wrong."""
        check_components(schema, columns, present)
        id_view = integer_view(ids, IDS, "ids")
        views: list[memoryview] = []
        flags: list[array[int] | None] = []
        for component in schema.components:
            given = present.get(component.id)
            held = None if given is None else _presence(component, given, id_view)
            having = id_view if held is None else [entity for entity, flag in zip(id_view, held, strict=True) if flag]
            # A copy: rows are counted once, and the flags must not change afterwards.
            flags.append(held)
            for item, buffer in zip(component.fields, columns_for(component, columns), strict=True):
                what = column_label(component, item)
                view = integer_view(buffer, column_kind(item), what, having.__getitem__)
                if len(view) != len(having):
                    raise UsageError(f"{what} must have {len(having)} rows, not {len(view)}")
                views.append(view)
        return over_buffers(cls, schema, tick, id_view, views, flags, False)

    @property
    def ids(self) -> list[int]:
        """Every entity's id, in order."""
        return self.id_list()

    def __len__(self) -> int:
        return self.count

    def entities(self) -> Iterator[tuple[int, dict[int, tuple[Any, ...]]]]:
        """Each id with its components, in the snapshot's order."""
        components = self.schema.components
        first = 0
        readers = []
        for index, component in enumerate(components):
            fields = [(first + at, item.codec.holds_bools) for at, item in enumerate(component.fields)]
            readers.append((index, component.id, fields))
            first += len(fields)
        rows = [0] * len(components)
        for at, entity in enumerate(self.id_list()):
            held = {}
            for index, identity, fields in readers:
                if self.has(at, index):
                    row = rows[index]
                    rows[index] += 1
                    held[identity] = tuple(
                        self.value(field, row) != 0 if is_bool else self.value(field, row) for field, is_bool in fields
                    )
            yield entity, held

    def to_dict(self) -> dict[int, dict[int, tuple[Any, ...]]]:
        """The mapping that :meth:`of` takes, with ascending ids."""
        return dict(sorted(self.entities()))

    def column(self, component: int, field: int) -> memoryview:
        """One field's values as a read-only view of 64-bit integers, for the entities that have the component.

        Takes ids, not indices. An unsigned 64-bit field shows values above 2**63 - 1 as negative numbers.
        """
        index = self.schema.by_id.get(component)
        if index is None:
            raise UsageError(f"component {component} is not in the schema")
        first = sum(len(item.fields) for item in self.schema.components[:index])
        for at, item in enumerate(self.schema.components[index].fields):
            if item.id == field:
                return self._column_view(first + at, index)  # type: ignore[no-any-return]  # mypy sees kernels untyped
        raise UsageError(f"component {component} has no field {field}")

    def copy(self, *, tick: int | None = None) -> "Snapshot":
        """Copy the values into memory that nothing outside can change; at another tick if given."""
        if tick is None:
            tick = self.tick
        check_tick(tick)
        return duplicate(type(self), self, tick)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def select(self, ids: Iterable[int]) -> "Snapshot":
        """Only the entities with these ids; missing ones are ignored."""
        wanted = ids if isinstance(ids, (set, frozenset)) else set(ids)
        return select(type(self), self, wanted)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self.tick == other.tick and self.schema == other.schema and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment] # a snapshot over a user's buffers can change

    def __repr__(self) -> str:
        return f"Snapshot(tick={self.tick}, {self.count} entities)"


def over_buffers(
    cls: type[Snapshot], schema: Schema, tick: int, ids: Any, columns: Any, present: Any, owned: bool
) -> Snapshot:
    """A snapshot over buffers of the right types and lengths; presence is None if every entity has the component."""
    snapshot = cls.__new__(cls)
    snapshot._take_over(
        schema.table,
        tick,
        memoryview(ids),
        [memoryview(column) for column in columns],
        [None if flags is None else memoryview(flags) for flags in present],
        owned,
    )
    return snapshot


def check_components(schema: Schema, *given: Iterable[int]) -> None:
    """Refuse ids of components that are not in the schema."""
    for identities in given:
        for identity in identities:
            if identity not in schema.by_id:
                raise UsageError(f"component {identity} is not in the schema")


def columns_for(component: Component, columns: Mapping[int, Sequence[Any]]) -> Sequence[Any]:
    """The columns given for a component; raises UsageError unless there is one per field."""
    given = columns.get(component.id, ())
    if len(given) != len(component.fields):
        raise UsageError(
            f"component {component.label} has {len(component.fields)} fields, but {len(given)} columns are given"
        )
    return given


def column_label(component: Component, item: Field) -> str:
    """Name a column in messages: by its ids, and by name if it has one."""
    return f"column {component.id}.{item.id}{component.named(item)}"


def column_kind(item: Field) -> ItemKind:
    return UNSIGNED if item.codec.takes_unsigned else COLUMN


def _presence(component: Component, flags: Any, ids: memoryview) -> "array[int]":
    what = f"presence of component {component.label}"
    view = integer_view(flags, FLAGS, what, ids.__getitem__)
    if len(view) != len(ids):
        raise UsageError(f"{what} must be one 0 or 1 for each of {len(ids)} ids, not {len(view)}")
    for at, flag in enumerate(view):
        if flag > 1:
            raise UsageError(f"{what}, entity {ids[at]}: {flag} is not 0 or 1")
    return array("B", view)


def check_tick(tick: object) -> None:
    """Refuse anything that is not a snapshot's tick."""
    if not isinstance(tick, int) or tick not in _IDS:
        raise UsageError(f"a tick must be from 0 to 4294967295, not {tick!r}")


def _check_entity(schema: Schema, entity: Any, components: Mapping[int, Values]) -> None:
    if not isinstance(entity, int) or isinstance(entity, bool) or entity not in _IDS:
        raise EncodeError(f"an entity id must be from 0 to 4294967295, not {entity!r}")
    for identity, values in components.items():
        index = schema.by_id.get(identity)
        if index is None:
            raise with_code(
                EncodeError(f"entity {entity}: component {identity} is not in the schema", entity=entity),
                "InvalidMask.ComponentMask.UnknownComponent",
            )
        expected = len(schema.components[index].fields)
        if len(values) != expected:
            label = schema.components[index].label
            message = f"entity {entity}, component {label}: {len(values)} values for {expected} fields"
            raise with_code(
                EncodeError(message, entity=entity, component=identity), "InvalidMask.FieldMask.FieldCountMismatch"
            )


def _columns_of(component: Component, having: list[tuple[int, Values]]) -> "list[array[int]]":
    made = []
    for at, item in enumerate(component.fields):
        column = array("q")
        for entity, values in having:
            value = values[at]
            if (isinstance(value, bool) and not item.codec.holds_bools) or not hasattr(value, "__index__"):
                raise value_error(entity, component, item, value, "TypeMismatch")
            number = value.__index__()
            if number not in (_UNSIGNED64 if item.codec.wraps else _SIGNED64):
                raise value_error(entity, component, item, value)
            column.append(number if number in _SIGNED64 else number - (1 << 64))
        made.append(column)
    return made
