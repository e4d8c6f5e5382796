"""Headers and sections of a packet, read (a compiled kernel). Their layout is in layout.py.

Every section is found, and its tag and length checked, before any body is looked at.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.arrays import longs
    from cython.cimports.retick.snapshot.kernels.reader import Reader
    from cython.cimports.retick.wire.words import load_le16, load_le32, load_le64
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.arrays import longs
    from retick.snapshot.kernels.reader import Reader
    from retick.wire.words import load_le16, load_le32, load_le64

__all__ = ["Framing"]

_NO_LIMIT = (1 << 62) - 1


@cython.cclass
class Framing:
    """The frame of the packet that was opened last; see the .pxd for what each member holds."""

    if not cython.compiled:
        reader: Reader
        version: int
        max_packet_bytes: int
        max_sections: int
        max_section_len: int
        max_section_bytes: int
        flags: int
        tick: int
        baseline_tick: int
        schema_hash: int
        payload: int
        section_count: int
        tags: Any
        starts: Any
        ends: Any
        _owners: list[Any]
        _capacity: int

    def __init__(self, reader: Reader, version: int, limits: Any) -> None:
        self.reader = reader
        self.version = version
        self.max_packet_bytes = limits.max_packet_bytes
        self.max_sections = limits.max_sections
        self.max_section_len = limits.max_section_len
        self.max_section_bytes = limits.max_section_bytes
        self.flags = 0
        self.tick = self.baseline_tick = 0
        self.schema_hash = 0
        self.payload = 0
        self.section_count = 0
        self._capacity = -1

    def open(self, data: Any) -> cython.int:
        """Checks 1 to 8 of a packet with the standard header."""
        reader: Reader = self.reader
        status: cython.int = reader.load(data, self.max_packet_bytes, layout.HEADER_BYTES)
        if status != st.OK:
            return status
        reader.fault.found = load_le32(reader.buf, 0)
        if reader.fault.found != layout.MAGIC_WORD:
            return st.INVALID_MAGIC
        reader.fault.found = load_le16(reader.buf, layout.VERSION_AT)
        reader.fault.expected = self.version
        if reader.fault.found != self.version:
            return st.UNSUPPORTED_VERSION
        self.flags = load_le16(reader.buf, layout.FLAGS_AT)
        reader.fault.flags = self.flags
        opens_session: cython.bint = self.flags == layout.SESSION_INIT and self.version >= 2
        if self.flags != layout.FULL and self.flags != layout.DELTA and not opens_session:
            return st.INVALID_FLAGS
        self.schema_hash = load_le64(reader.buf, layout.HASH_AT)
        self.tick = load_le32(reader.buf, layout.TICK_AT)
        self.baseline_tick = load_le32(reader.buf, layout.BASELINE_TICK_AT)
        reader.fault.found = self.baseline_tick
        if self.flags == layout.FULL and self.baseline_tick != 0:
            return st.INVALID_BASELINE_TICK
        if self.flags == layout.DELTA and self.baseline_tick == 0:
            return st.INVALID_BASELINE_TICK
        reader.fault.expected = load_le32(reader.buf, layout.PAYLOAD_BYTES_AT)
        reader.fault.found = reader.size - layout.HEADER_BYTES
        if reader.fault.expected != reader.fault.found:
            return st.PAYLOAD_LENGTH
        reader.pos = 8 * layout.HEADER_BYTES
        return self.find_sections()

    def open_compact(self, data: Any, last_tick: cython.longlong) -> cython.int:
        """The checks of a compact frame, whose ticks count from ``last_tick``."""
        reader: Reader = self.reader
        largest: cython.longlong = 4294967295
        length: cython.longlong
        left: cython.longlong
        status: cython.int = reader.load(data, _NO_LIMIT, 1)
        if status != st.OK:
            return status
        self.flags = reader.buf[0]
        reader.pos = 8
        reader.fault.flags = self.flags
        if self.flags != layout.FULL and self.flags != layout.DELTA:
            return st.INVALID_FLAGS
        status = self.read_number()
        if status != st.OK:
            return status
        self.tick = last_tick + reader.value
        if reader.value == 0 or self.tick > largest:
            return st.INVALID_FLAGS
        status = self.read_number()
        if status != st.OK:
            return status
        self.baseline_tick = self.tick - reader.value
        reader.fault.found = self.baseline_tick
        if self.baseline_tick < 0 or (reader.value != 0 if self.flags == layout.FULL else self.baseline_tick == 0):
            return st.INVALID_BASELINE_TICK
        status = self.read_number()
        if status != st.OK:
            return status
        length = reader.value
        left = (reader.end - reader.pos) >> 3
        if length > left:
            reader.fault.expected = length
            reader.fault.found = left
            return st.PAYLOAD_LENGTH
        if length < left:
            if reader.strict:
                reader.fault.extra = left - length
                return st.TRAILING_BYTES
            reader.size = (reader.pos >> 3) + length
            reader.end = 8 * reader.size
        return self.find_sections()

    def find_sections(self) -> cython.int:
        """Write down the tag and the place of every section from here to the end of the packet."""
        reader: Reader = self.reader
        status: cython.int
        tag: cython.int
        last_tag: cython.int = layout.SESSION if self.version >= 2 else layout.MASKED
        at: cython.Py_ssize_t
        self.section_count = 0
        self.payload = reader.pos >> 3
        # A section takes two bytes at least.
        at = (reader.size - self.payload) // 2
        if at > self.max_sections:
            at = self.max_sections
        if at > self._capacity:
            self._make_room(at)
        while reader.pos < reader.end:
            if self.section_count >= self.max_sections:
                return reader.fault.over_limit(st.SECTION_COUNT, self.max_sections, self.section_count + 1)
            tag = reader.buf[reader.pos >> 3]
            reader.pos += 8
            status = self.read_number()
            if status != st.OK:
                return status
            if reader.value > self.max_section_len:
                return reader.fault.over_limit(st.SECTION_LENGTH, self.max_section_len, reader.value)
            at = reader.pos >> 3
            if reader.value > reader.size - at:
                reader.fault.needed = reader.value
                reader.fault.available = reader.size - at
                return st.FRAMING_TRUNCATED
            if tag < layout.CREATES or tag > last_tag:
                reader.fault.tag = tag
                return st.UNKNOWN_TAG
            self.tags[self.section_count] = tag
            self.starts[self.section_count] = at
            self.ends[self.section_count] = at + reader.value
            self.section_count += 1
            reader.pos += 8 * reader.value
        return st.OK

    def _make_room(self, most: cython.Py_ssize_t) -> None:
        self._capacity = most
        self._owners = [array("q", bytes(8 * most)) for _ in range(3)]
        self.tags, self.starts, self.ends = longs(self._owners[0]), longs(self._owners[1]), longs(self._owners[2])

    def read_number(self) -> cython.int:
        """A varuint of header or section head, into the reader's ``value``."""
        status: cython.int = self.reader.read_varint()
        if status == st.UNEXPECTED_EOF:
            self.reader.fault.needed = 1
            self.reader.fault.available = 0
            return st.FRAMING_TRUNCATED
        return st.FRAMING_VARINT if status == st.BODY_VARINT else status

    def begin_body(self, section: cython.int) -> cython.int:
        """Start on the body of a section and read its count into the reader's ``value``."""
        reader: Reader = self.reader
        length: cython.longlong = self.ends[section] - self.starts[section]
        if length > self.max_section_bytes:
            return reader.fault.over_limit(st.LIMIT_SECTION_BYTES, self.max_section_bytes, length)
        reader.pos = 8 * self.starts[section]
        reader.end = 8 * self.ends[section]
        reader.entity = -1
        return reader.read_varint()

    def finish_body(self, section: cython.int) -> cython.int:
        """After the last item of a section: padding, and nothing else."""
        reader: Reader = self.reader
        status: cython.int = reader.align()
        if status == st.OK and reader.pos < reader.end:
            reader.fault.tag = self.tags[section]
            reader.fault.extra = reader.end - reader.pos
            return st.TRAILING_SECTION
        return status

    def payload_bytes(self) -> int:
        """Bytes of the payload."""
        return self.reader.size - self.payload

    def header_bytes(self) -> int:
        """Bytes before the payload."""
        return self.payload

    def section(self, index: cython.int) -> Any:
        """Tag, first byte and end of a section."""
        return self.tags[index], self.starts[index], self.ends[index]

    def section_bytes(self, index: cython.int) -> bytes:
        """The body of a section."""
        return self.reader.copy_of(self.starts[index], self.ends[index])
