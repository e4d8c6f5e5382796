"""Packets to snapshots (a compiled kernel).

Creates are read straight into new columns, updates straight into a copy of the baseline, so that no value is kept
twice and the baseline stays as it is. Whatever the order of the sections in the packet, destroys are applied first,
then creates, then updates.
"""

from array import array
from typing import Any

from retick.snapshot.faults import decode_fault

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns, checked_columns, copy_columns, gather_columns
    from cython.cimports.retick.snapshot.kernels.framing import DELTA, FULL
    from cython.cimports.retick.snapshot.kernels.updates import Updates
else:
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns, checked_columns, copy_columns, gather_columns
    from retick.snapshot.kernels.framing import DELTA, FULL
    from retick.snapshot.kernels.updates import Updates

__all__ = ["Decoder"]


@cython.cclass
class Decoder(Updates):
    """Reads packets of one schema and version."""

    if not cython.compiled:
        max_total: int
        deferred: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool, cls: Any) -> None:
        Updates.__init__(self, schema, version, limits, strict, cls)
        self.max_total = limits.max_total_entities_after_apply
        self.deferred = -1

    def full(self, data: Any) -> Any:
        """The snapshot in a full packet."""
        status: cython.int = self.open(data)
        if status == st.OK:
            self.a = self.flags
            if self.flags != FULL:
                status = st.INVALID_FLAGS
        if status == st.OK:
            status = self.full_payload()
        if status != st.OK:
            raise decode_fault(status, self)
        return self.created

    def full_frame(self, data: Any, last_tick: Any) -> Any:
        """A full snapshot in a compact frame, which the format cannot express: its baseline tick is never 0."""
        status: cython.int = self.open_compact(data, last_tick)
        if status == st.OK:
            self.a = self.baseline_tick if self.flags == FULL else self.flags
            self.b = self.flags
            status = st.INVALID_BASELINE_TICK if self.flags == FULL else st.INVALID_FLAGS
        raise decode_fault(status, self)

    def full_payload(self) -> cython.int:
        status: cython.int
        section: cython.int
        if self.schema_hash != self.expected_hash:
            self.a = self.schema_hash
            return st.SCHEMA_MISMATCH
        if self.section_count == 0:
            self.created = self.space_for(0)
            return st.OK
        for section in range(self.section_count):
            self.a = self.sections[3 * section]
            if self.a != 1:
                return st.UNEXPECTED_SECTION
            if section > 0:
                return st.DUPLICATE_SECTION
            status = self.take_creates(section, True)
            if status != st.OK:
                return status
        return st.OK

    def delta(self, baseline: Any, data: Any) -> Any:
        """The snapshot that a delta packet makes of ``baseline``, which stays as it is."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.open(data)
        if status == st.OK:
            status = self.check_delta(base)
        if status == st.OK and self.schema_hash != self.expected_hash:
            self.a = self.schema_hash
            status = st.SCHEMA_MISMATCH
        if status != st.OK:
            raise decode_fault(status, self)
        return self.finish_delta(base)

    def frame(self, baseline: Any, data: Any, last_tick: Any) -> Any:
        """The same for a compact frame."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.open_compact(data, last_tick)
        if status == st.OK:
            status = self.check_delta(base)
        if status != st.OK:
            raise decode_fault(status, self)
        return self.finish_delta(base)

    def frame_header(self, data: Any, last_tick: Any) -> None:
        """Header and sections of a compact frame, without its bodies."""
        status: cython.int = self.open_compact(data, last_tick)
        if status != st.OK:
            raise decode_fault(status, self)

    def packet_header(self, data: Any) -> None:
        """Header and sections of a standard packet, without its bodies."""
        status: cython.int = self.open(data)
        if status != st.OK:
            raise decode_fault(status, self)

    def check_hash(self) -> None:
        """Refuse the packet that was opened last if it was written with another schema."""
        if self.schema_hash != self.expected_hash:
            self.a = self.schema_hash
            raise decode_fault(st.SCHEMA_MISMATCH, self)

    def section_fault(self, status: cython.int, index: cython.int) -> Any:
        """The error for a section that may not stand where it does."""
        self.a = self.sections[3 * index]
        return decode_fault(status, self)

    def trailing_fault(self, tag: cython.int, bits: cython.longlong) -> Any:
        """The error for bits after the last item of a section."""
        self.a = tag
        self.b = bits
        return decode_fault(st.TRAILING_SECTION, self)

    def check_bodies(self) -> None:
        """Decode the sections of the packet that was opened last, and apply nothing."""
        status: cython.int
        if self.flags == FULL:
            status = self.full_payload()
        else:
            status = self.take_sections()
        if status == st.OK and self.flags != FULL and self.deferred >= 0:
            status = self.take_updates(self.deferred, False)
        if status != st.OK:
            raise decode_fault(status, self)

    def check_delta(self, base: Columns) -> cython.int:
        self.a = self.flags
        if self.flags != DELTA:
            return st.INVALID_FLAGS
        self.a = base.tick
        self.b = self.baseline_tick
        return st.OK if self.a == self.b else st.BASELINE_TICK

    def finish_delta(self, base: Columns) -> Any:
        status: cython.int = self.take_sections()
        if status == st.OK:
            status = self.change(base)
        if status != st.OK:
            raise decode_fault(status, self)
        self.target.order = 1
        return self.target

    def take_sections(self) -> cython.int:
        """Decode in packet order. An update section that stands last is left for later, in ``deferred``."""
        section: cython.int
        tag: cython.int
        status: cython.int
        masked: cython.bint = False
        sparse: cython.bint = False
        self.created = None
        self.destroys = None
        self.deferred = -1
        for section in range(self.section_count):
            tag = self.sections[3 * section]
            self.a = tag
            if tag == 1:
                status = self.take_creates(section, False) if self.created is None else st.DUPLICATE_SECTION
            elif tag == 2:
                status = self.take_destroys(section) if self.destroys is None else st.DUPLICATE_SECTION
            elif tag > 5:
                status = st.UNEXPECTED_SECTION
            elif masked if tag == 3 else sparse:
                status = st.DUPLICATE_SECTION
            else:
                status = st.OK
                if section < self.section_count - 1 or masked or sparse:
                    status = self.take_updates(section, False)
                masked = masked or tag == 3
                sparse = sparse or tag != 3
                self.deferred = section
            if status != st.OK:
                return status
        return st.DUPLICATE_UPDATE if masked and sparse else st.OK

    def change(self, base: Columns) -> cython.int:
        """Apply destroys, creates and updates to a copy, in this order whatever the packet's was."""
        status: cython.int
        disorder: cython.Py_ssize_t = base.first_disorder()
        self.pending = st.OK
        self.target = self.sink
        if disorder:
            self.fail_later(st.ENTITY_ORDER, base.keys[disorder - 1], base.keys[disorder])
        elif self.created is None and self.destroys is None:
            if base.count > self.max_total:
                self.fail_later(st.LIMIT_TOTAL, self.max_total, base.count)
            else:
                self.target = copy_columns(self.cls, base, self.tick)
        else:
            self.merge(base)
        if self.deferred >= 0:
            status = self.take_updates(self.deferred, self.pending == st.OK)
            if status != st.OK:
                return status
        if self.pending != st.OK:
            self.a = self.pending_a
            self.b = self.pending_b
        return self.pending

    def merge(self, base: Columns) -> Any:
        """The baseline without what is destroyed and with what is created."""
        made: Columns
        index: cython.Py_ssize_t = 0
        kept = array("q")
        for identity in self.destroys or ():
            while index < base.count and base.keys[index] < identity:
                kept.append(index)
                index += 1
            if index == base.count or base.keys[index] != identity:
                self.fail_later(st.ENTITY_NOT_FOUND, identity, 0)
                return None
            index += 1
        kept.extend(range(index, base.count))
        made = self.created if self.created is not None else self.sink
        sources = array("q")
        other: cython.Py_ssize_t = 0
        for old in kept:
            while other < made.count and made.keys[other] < base.keys[old]:
                sources.append(~other)
                other += 1
            if other < made.count and made.keys[other] == base.keys[old]:
                self.fail_later(st.ENTITY_EXISTS, made.keys[other], 0)
                return None
            sources.append(old)
        for index in range(other, made.count):
            sources.append(~index)
        if len(sources) > self.max_total:
            self.fail_later(st.LIMIT_TOTAL, self.max_total, len(sources))
            return None
        self.target = gather_columns(self.cls, base, made, sources, self.tick)
        return None
