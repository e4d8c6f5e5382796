"""Snapshots to bytes (a compiled kernel).

``Diff`` finds what is to be written, ``Sections`` writes it with a ``Packer``; nothing leaves the encoder unless all
of it was right.
"""

from typing import Any

from retick.snapshot.kernels.errors import encode_error

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns, checked_columns
    from cython.cimports.retick.snapshot.kernels.diff import Diff
    from cython.cimports.retick.snapshot.kernels.packer import Packer
    from cython.cimports.retick.snapshot.kernels.sections import Sections
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, checked_columns
    from retick.snapshot.kernels.diff import Diff
    from retick.snapshot.kernels.packer import Packer
    from retick.snapshot.kernels.sections import Sections
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Encoder"]


@cython.cclass
class Encoder:
    """Writes packets of one schema and version; see the .pxd for what each member holds."""

    if not cython.compiled:
        schema: Any
        table: FieldTable
        packer: Packer
        diff: Diff
        sections: Sections
        max_create: int
        max_update: int
        max_destroy: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.schema = schema
        self.table = schema.table
        self.packer = Packer(schema, version, limits, strict)
        self.diff = Diff(self.table)
        self.sections = Sections(self.table, self.packer, self.diff, limits)
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_destroy = limits.max_entities_destroy

    def full(self, snapshot: Any, into: Any = None) -> Any:
        """A packet with every entity."""
        status: cython.int
        current: Columns = checked_columns(snapshot, self.table)
        self.packer.start()
        if current.count:
            status = self.sections.write_creates(current, True)
            if status != st.OK:
                raise self.error(status)
        return self.packer.emit(layout.FULL, current.tick, 0, into)

    def delta(self, baseline: Any, snapshot: Any, mode: cython.int, into: Any = None) -> Any:
        """A packet with what changed since ``baseline``; ``mode`` is MASKED, PACKED or CHOOSE of layout.py."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int = self.write_delta(base, current, mode)
        if status != st.OK:
            raise self.error(status)
        return self.packer.emit(layout.DELTA, current.tick, base.tick, into)

    def frame(self, baseline: Any, snapshot: Any, last_tick: Any, into: Any = None) -> Any:
        """The same with the compact header, whose ticks count from ``last_tick``; always packed."""
        base: Columns = checked_columns(baseline, self.table)
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        if current.tick <= last_tick:
            self.packer.fault.previous, self.packer.fault.current = last_tick, current.tick
            raise self.error(st.ENTITY_ORDER)
        if base.tick > current.tick:
            self.packer.fault.expected, self.packer.fault.found = base.tick, current.tick
            raise self.error(st.BASELINE_TICK)
        status = self.write_delta(base, current, layout.PACKED)
        if status != st.OK:
            raise self.error(status)
        return self.packer.emit_frame(current.tick - last_tick, current.tick - base.tick, into)

    def create_body(self, snapshot: Any) -> Any:
        """The body of a create section with every entity, as a delta carries it."""
        current: Columns = checked_columns(snapshot, self.table)
        status: cython.int
        self.packer.start()
        self.diff.add_all(current)
        status = self.out_of_order(current)
        if status == st.OK:
            status = self.sections.write_creates(current, False)
        if status != st.OK:
            raise self.error(status)
        return self.packer.body_bytes()

    def write_delta(self, base: Columns, current: Columns, mode: cython.int) -> cython.int:
        """The sections that make ``current`` of ``base``: destroys, creates, updates."""
        diff: Diff = self.diff
        status: cython.int
        if base.tick == 0:
            self.packer.fault.found, self.packer.fault.flags = 0, layout.DELTA
            return st.INVALID_BASELINE_TICK
        status = self.out_of_order(base)
        if status == st.OK:
            status = self.out_of_order(current)
        if status != st.OK:
            return status
        status = diff.compare(base, current, mode != layout.MASKED)
        if status != st.OK:
            self.packer.fault.component = diff.component
            return status
        if diff.created > self.max_create:
            return self.packer.fault.over_limit(st.LIMIT_CREATE, self.max_create, diff.created)
        if diff.updated > self.max_update:
            return self.packer.fault.over_limit(st.LIMIT_UPDATE, self.max_update, diff.updated)
        if diff.destroyed > self.max_destroy:
            return self.packer.fault.over_limit(st.LIMIT_DESTROY, self.max_destroy, diff.destroyed)
        return self.write_sections(current, mode)

    def write_sections(self, current: Columns, mode: cython.int) -> cython.int:
        """What the comparison found, as sections."""
        diff: Diff = self.diff
        status: cython.int
        self.packer.start()
        if diff.destroyed:
            status = self.sections.write_destroys()
            if status != st.OK:
                return status
        if diff.created:
            status = self.sections.write_creates(current, False)
            if status != st.OK:
                return status
        if diff.updated:
            if mode == layout.PACKED or (mode == layout.CHOOSE and diff.packed_cost <= diff.masked_cost):
                return self.sections.write_packed(current)
            return self.sections.write_masked(current)
        return st.OK

    def out_of_order(self, columns: Columns) -> cython.int:
        """ENTITY_ORDER if ids do not ascend."""
        at: cython.Py_ssize_t = columns.first_disorder()
        if at == 0:
            return st.OK
        self.packer.fault.previous = columns.keys[at - 1]
        self.packer.fault.current = columns.keys[at]
        return st.ENTITY_ORDER

    def error(self, status: cython.int) -> Any:
        """The exception for a status, with the packer's fault."""
        return encode_error(status, self.packer.fault, self.schema)
