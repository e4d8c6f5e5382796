"""Packets to snapshots (a compiled kernel).

A decoder is put together of parts that share one ``Reader``: ``Framing`` finds the sections, ``Creates`` and
``Updates`` read their bodies, and ``Target`` holds the columns that updates change.

Creates are read straight into new columns, updates straight into a copy of the baseline, so that no value is kept
twice and the baseline stays as it is. Whatever the order of the sections in the packet, destroys are applied first,
then creates, then updates.
"""

from array import array
from typing import Any

from retick.snapshot.kernels.errors import decode_error

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import ASCENDING, Columns, checked_columns
    from cython.cimports.retick.snapshot.kernels.copies import copy_columns, gather_columns
    from cython.cimports.retick.snapshot.kernels.creates import Creates
    from cython.cimports.retick.snapshot.kernels.framing import Framing
    from cython.cimports.retick.snapshot.kernels.reader import Reader
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
    from cython.cimports.retick.snapshot.kernels.target import Target
    from cython.cimports.retick.snapshot.kernels.updates import Updates
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import ASCENDING, Columns, checked_columns
    from retick.snapshot.kernels.copies import copy_columns, gather_columns
    from retick.snapshot.kernels.creates import Creates
    from retick.snapshot.kernels.framing import Framing
    from retick.snapshot.kernels.reader import Reader
    from retick.snapshot.kernels.table import FieldTable
    from retick.snapshot.kernels.target import Target
    from retick.snapshot.kernels.updates import Updates

__all__ = ["Decoder"]


@cython.cclass
class Decoder:
    """Reads packets of one schema and version; see the .pxd for what each member holds."""

    if not cython.compiled:
        schema: Any
        schema_hash: int
        table: FieldTable
        cls: Any
        max_total: int
        reader: Reader
        framing: Framing
        creates: Creates
        updates: Updates
        target: Target
        deferred: int

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool, cls: Any) -> None:
        self.schema = schema
        self.schema_hash = schema.hash
        self.table = schema.table
        self.cls = cls
        self.max_total = limits.max_total_entities_after_apply
        self.reader = Reader(self.table, limits, strict)
        self.framing = Framing(self.reader, version, limits)
        self.creates = Creates(self.framing, cls, limits)
        self.target = Target(self.table)
        self.updates = Updates(self.framing, self.target, limits)
        self.deferred = -1

    def full(self, data: Any) -> Any:
        """The snapshot in a full packet."""
        status: cython.int = self.framing.open(data)
        if status == st.OK and self.framing.flags != layout.FULL:
            status = st.INVALID_FLAGS
        if status == st.OK:
            status = self.check_hash()
        if status == st.OK:
            status = self.read_full()
        if status != st.OK:
            raise self.error(status)
        return self.creates.created

    def full_frame(self, data: Any, last_tick: Any) -> Any:
        """A full snapshot in a compact frame, which the format cannot express: its baseline tick is never 0."""
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status == st.OK:
            self.reader.fault.found = self.framing.baseline_tick
            status = st.INVALID_BASELINE_TICK if self.framing.flags == layout.FULL else st.INVALID_FLAGS
        raise self.error(status)

    def delta(self, baseline: Any, data: Any) -> Any:
        """The snapshot that a delta packet makes of ``baseline``, which stays as it is."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.framing.open(data)
        if status == st.OK:
            status = self.check_delta(base)
        if status == st.OK:
            status = self.check_hash()
        if status != st.OK:
            raise self.error(status)
        return self.apply(base)

    def frame(self, baseline: Any, data: Any, last_tick: Any) -> Any:
        """The same for a compact frame."""
        base: Columns = checked_columns(baseline, self.table)
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status == st.OK:
            status = self.check_delta(base)
        if status != st.OK:
            raise self.error(status)
        return self.apply(base)

    def packet_header(self, data: Any) -> Any:
        """Header and sections of a standard packet, without its bodies."""
        status: cython.int = self.framing.open(data)
        if status != st.OK:
            raise self.error(status)
        return self.framing

    def frame_header(self, data: Any, last_tick: Any) -> Any:
        """Header and sections of a compact frame, without its bodies."""
        status: cython.int = self.framing.open_compact(data, last_tick)
        if status != st.OK:
            raise self.error(status)
        return self.framing

    def need_same_schema(self) -> None:
        """Refuse the packet that was opened last if it was written with another schema."""
        if self.check_hash() != st.OK:
            raise self.error(st.SCHEMA_MISMATCH)

    def check_bodies(self) -> None:
        """Decode the sections of the packet that was opened last, and apply nothing."""
        status: cython.int
        if self.framing.flags == layout.FULL:
            status = self.check_hash()
            if status == st.OK:
                status = self.read_full()
        else:
            status = self.read_sections()
            if status == st.OK and self.deferred >= 0:
                self.target.columns = self.target.sink
                status = self.updates.read(self.deferred)
        if status != st.OK:
            raise self.error(status)

    def section_error(self, status: cython.int, section: cython.int) -> Any:
        """The error for a section that may not stand where it does."""
        self.reader.fault.tag = self.framing.tags[section]
        return self.error(status)

    def trailing_error(self, tag: cython.int, bits: cython.longlong) -> Any:
        """The error for bits after the last item of a section."""
        self.reader.fault.tag = tag
        self.reader.fault.extra = bits
        return self.error(st.TRAILING_SECTION)

    def error(self, status: cython.int) -> Any:
        """The exception for a status, with the reader's fault."""
        return decode_error(status, self.reader.fault, self.schema)

    def check_hash(self) -> cython.int:
        if self.framing.schema_hash == self.schema_hash:
            return st.OK
        self.reader.fault.found = self.framing.schema_hash
        return st.SCHEMA_MISMATCH

    def check_delta(self, base: Columns) -> cython.int:
        """Whether the packet is a delta, and one that starts from ``base``."""
        if self.framing.flags != layout.DELTA:
            return st.INVALID_FLAGS
        self.reader.fault.expected = base.tick
        self.reader.fault.found = self.framing.baseline_tick
        return st.OK if self.reader.fault.expected == self.reader.fault.found else st.BASELINE_TICK

    def read_full(self) -> cython.int:
        """The one section of a full packet, or none."""
        status: cython.int
        section: cython.int
        if self.framing.section_count == 0:
            self.creates.created = self.creates.space_for(0)
            return st.OK
        for section in range(self.framing.section_count):
            self.reader.fault.tag = self.framing.tags[section]
            if self.framing.tags[section] != layout.CREATES:
                return st.UNEXPECTED_SECTION
            if section > 0:
                return st.DUPLICATE_SECTION
            status = self.creates.read_creates(section, True)
            if status != st.OK:
                return status
        return st.OK

    def read_sections(self) -> cython.int:
        """Decode in packet order. An update section that stands last is left for later, in ``deferred``."""
        section: cython.int
        tag: cython.int
        status: cython.int
        masked: cython.bint = False
        sparse: cython.bint = False
        self.creates.created = None
        self.creates.destroyed = None
        self.deferred = -1
        for section in range(self.framing.section_count):
            tag = self.framing.tags[section]
            self.reader.fault.tag = tag
            if tag == layout.SESSION:
                status = st.UNEXPECTED_SECTION
            elif tag == layout.CREATES or tag == layout.DESTROYS:
                status = self.read_listed(section)
            elif masked if tag == layout.MASKED else sparse:
                status = st.DUPLICATE_SECTION
            else:
                status = st.OK
                if section < self.framing.section_count - 1 or masked or sparse:
                    self.target.columns = self.target.sink
                    status = self.updates.read(section)
                masked = masked or tag == layout.MASKED
                sparse = sparse or tag != layout.MASKED
                self.deferred = section
            if status != st.OK:
                return status
        return st.DUPLICATE_UPDATE if masked and sparse else st.OK

    def read_listed(self, section: cython.int) -> cython.int:
        """A create or destroy section of a delta, which may have one of each."""
        if self.framing.tags[section] == layout.CREATES:
            return self.creates.read_creates(section, False) if self.creates.created is None else st.DUPLICATE_SECTION
        return self.creates.read_destroys(section) if self.creates.destroyed is None else st.DUPLICATE_SECTION

    def apply(self, base: Columns) -> Any:
        """Destroys, creates and updates applied to a copy of ``base``, in this order whatever the packet's is."""
        target: Target = self.target
        status: cython.int = self.read_sections()
        if status == st.OK:
            self.start_from(base)
            if self.deferred >= 0:
                status = self.updates.read(self.deferred)
        if status != st.OK:
            raise self.error(status)
        if target.fault.status != st.OK:
            raise decode_error(target.fault.status, target.fault, self.schema)
        target.columns.order = ASCENDING
        return target.columns

    def start_from(self, base: Columns) -> Any:
        """Make the columns that updates are applied to, or leave the sink there if it goes wrong."""
        target: Target = self.target
        disorder: cython.Py_ssize_t = base.first_disorder()
        target.fault.status = st.OK
        target.columns = target.sink
        if disorder:
            target.fault.previous = base.keys[disorder - 1]
            target.fault.current = base.keys[disorder]
            target.fail(st.ENTITY_ORDER)
        elif self.creates.created is not None or self.creates.destroyed is not None:
            self.merge(base)
        elif base.count > self.max_total:
            target.fail(target.fault.over_limit(st.LIMIT_TOTAL, self.max_total, base.count))
        else:
            target.columns = copy_columns(self.cls, base, self.framing.tick)

    def merge(self, base: Columns) -> Any:
        """The baseline without what is destroyed and with what is created."""
        target: Target = self.target
        made: Columns = self.creates.created if self.creates.created is not None else target.sink
        index: cython.Py_ssize_t = 0
        other: cython.Py_ssize_t = 0
        kept = array("q")
        for identity in self.creates.destroyed or ():
            while index < base.count and base.keys[index] < identity:
                kept.append(index)
                index += 1
            if index == base.count or base.keys[index] != identity:
                target.fault.entity = identity
                target.fail(st.ENTITY_NOT_FOUND)
                return
            index += 1
        kept.extend(range(index, base.count))
        sources = array("q")
        for old in kept:
            while other < made.count and made.keys[other] < base.keys[old]:
                sources.append(~other)
                other += 1
            if other < made.count and made.keys[other] == base.keys[old]:
                target.fault.entity = made.keys[other]
                target.fail(st.ENTITY_EXISTS)
                return
            sources.append(old)
        for index in range(other, made.count):
            sources.append(~index)
        if len(sources) > self.max_total:
            target.fail(target.fault.over_limit(st.LIMIT_TOTAL, self.max_total, len(sources)))
            return
        target.columns = gather_columns(self.cls, base, made, sources, self.framing.tick)
