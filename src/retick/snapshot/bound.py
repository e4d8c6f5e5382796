"""A game's own arrays bound once, so that snapshots are taken from them and written into them without rechecking."""

from collections.abc import Mapping, Sequence
from typing import Any

from retick.errors import UsageError
from retick.snapshot.columns import bound_snapshot, lacking, write_rows
from retick.snapshot.model import (
    FLAGS,
    IDS,
    Snapshot,
    check_components,
    check_tick,
    column_kind,
    column_label,
    columns_for,
    exact_view,
    over_buffers,
)
from retick.snapshot.schema import Schema


class BoundColumns:
    """A game's own arrays, checked once. A sender takes snapshots of them, a receiver writes snapshots into them.

    ::

        columns = BoundColumns(SCHEMA, ids=ids, columns={1: (xs, ys)})
        packet = codec.encode_delta(base, columns.snapshot(tick=tick))

        columns.load(codec.apply_delta(base, packet))

    The arrays must not move: NumPy and ``array`` refuse to resize one that is bound.
    """

    __slots__ = ("_capacity", "_count", "_schema", "_template", "_writable")

    def __init__(
        self,
        schema: Schema,
        *,
        ids: Any,
        columns: Mapping[int, Sequence[Any]],
        present: Mapping[int, Any] | None = None,
    ) -> None:
        """The arguments are those of :meth:`Snapshot.from_columns`, but all buffers have the same length, the most
        entities that fit, and exactly the right item types: unsigned 32-bit ids, 64-bit columns, one byte for
        presence.
        """
        present = present or {}
        check_components(schema, columns, present)
        id_view = exact_view(ids, IDS, "ids")
        named: list[tuple[str, memoryview]] = []
        flags: list[memoryview | None] = []
        for component in schema.components:
            for item, buffer in zip(component.fields, columns_for(component, columns), strict=True):
                what = column_label(component, item)
                named.append((what, exact_view(buffer, column_kind(item), what)))
            given = present.get(component.id)
            flags.append(None if given is None else exact_view(given, FLAGS, f"presence of component {component.id}"))
        held = [
            (f"presence of component {component.id}", view)
            for component, view in zip(schema.components, flags, strict=True)
            if view is not None
        ]
        for what, view in (*named, *held):
            if len(view) != len(id_view):
                raise UsageError(f"{what} must have {len(id_view)} rows as the ids have, not {len(view)}")
        views = [view for _, view in named]
        self._schema = schema
        self._template = over_buffers(Snapshot, schema, 0, id_view, views, flags, False)
        self._capacity = self._count = len(id_view)
        self._writable = not any(view.readonly for view in (id_view, *views, *(view for _, view in held)))

    @property
    def capacity(self) -> int:
        """How many entities fit."""
        return self._capacity

    @property
    def count(self) -> int:
        """How many of the first rows hold entities; all of them until it is set, or a snapshot is loaded."""
        return self._count

    @count.setter
    def count(self, count: int) -> None:
        if not isinstance(count, int) or not 0 <= count <= self._capacity:
            raise UsageError(f"a count must be from 0 to {self._capacity}, not {count!r}")
        self._count = count

    def snapshot(self, *, tick: int) -> Snapshot:
        """The first :attr:`count` entities, read in place; take its :meth:`Snapshot.copy` to keep it."""
        check_tick(tick)
        made = bound_snapshot(Snapshot, self._template, tick, self._count)
        if isinstance(made, int):
            raise UsageError(f"presence of component {made} must be 0 or 1 for each entity")
        return made  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def load(self, snapshot: Snapshot) -> int:
        """Write all of a snapshot into the arrays, or nothing if it does not fit; returns how many entities."""
        if not isinstance(snapshot, Snapshot):
            raise UsageError(f"load takes a Snapshot, not a {type(snapshot).__name__}")
        if snapshot.table is not self._schema.table and snapshot.schema != self._schema:
            raise UsageError("the snapshot has another schema than the bound columns")
        if not self._writable:
            raise UsageError("a snapshot cannot be loaded: one of the bound buffers is read-only")
        if snapshot.count > self._capacity:
            raise UsageError(f"{snapshot.count} entities do not fit: {self._capacity} rows are bound")
        component = lacking(self._template, snapshot)
        if component is not None:
            raise UsageError(f"an entity has no component {component}: bind presence for it")
        write_rows(self._template, snapshot)
        self._count = snapshot.count
        return self._count

    def __repr__(self) -> str:
        return f"BoundColumns({self._count} of {self._capacity} entities)"
