"""Headers and section framing, read (a compiled kernel).

::

    standard header, 28 bytes, little-endian       compact header (version 2)
     0  4  magic 43 45 44 53                        1  flags: 1 full, 2 delta
     4  2  version                                  v  tick - last tick of the session
     6  2  flags: 1 full, 2 delta, 4 session        v  tick - baseline tick
     8  8  schema hash                              v  payload bytes
    16  4  tick
    20  4  baseline tick                           section
    24  4  payload bytes                            1  tag
                                                    v  body bytes
    v: varuint                                         body

The bytes are first copied into space that the reader keeps, with zeros after them: then a word may be loaded at any
place of the data, and nobody can change it while it is read. Sizes are checked before the copy.
"""

from array import array
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.retick.snapshot.kernels import status as st
else:
    from retick.snapshot.kernels import status as st

    HEADER_BYTES, PADDING_BYTES, FULL, DELTA, SESSION_INIT = 28, 16, 1, 2, 4

__all__ = ["Framing"]

_NO_LIMIT = (1 << 62) - 1


@cython.cclass
class Framing:
    """The frame of one packet at a time; see the .pxd for what each member holds."""

    if not cython.compiled:
        schema: Any
        version: int
        strict: bool
        max_packet_bytes: int
        max_sections: int
        max_section_len: int
        _data: Any
        buf: Any
        capacity: int
        size: int
        at: int
        payload: int
        number: int
        flags: int
        tick: int
        baseline_tick: int
        schema_hash: int
        expected_hash: int
        section_count: int
        sections: Any
        section_capacity: int
        a: int
        b: int
        entity: int
        field: int
        _sections_owner: Any

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.schema = schema
        self.expected_hash = schema.hash
        self.version = version
        self.strict = strict
        self.max_packet_bytes = limits.max_packet_bytes
        self.max_sections = limits.max_sections
        self.max_section_len = limits.max_section_len
        self.capacity = -1
        self.section_capacity = 0
        self.section_count = 0
        self.flags = 0
        self.tick = self.baseline_tick = 0
        self.a = self.b = self.entity = self.field = 0

    def load(self, data: Any, limit: cython.longlong, least: cython.Py_ssize_t) -> cython.int:
        """Copy the packet in, once its size is known to be within bounds."""
        if not isinstance(data, bytes):
            try:
                data = bytes(memoryview(data))
            except TypeError:
                raise UsageError(f"a packet is bytes, not {type(data).__name__}") from None
        self.size = len(data)
        self.at = 0
        if self.size < least:
            self.a = least
            self.b = self.size
            return st.PACKET_TOO_SMALL
        if self.size > limit:
            self.a = limit
            self.b = self.size
            return st.PACKET_BYTES
        if self.size > self.capacity:
            self.capacity = self.size + 256
            self._data = bytearray(self.capacity + PADDING_BYTES)
            if cython.compiled:
                self.buf = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._data))
            else:
                self.buf = self._data
        if cython.compiled:
            memcpy(self.buf, PyBytes_AS_STRING(data), self.size)
            memset(self.buf + self.size, 0, PADDING_BYTES)
        else:
            self.buf[: self.size + PADDING_BYTES] = data + bytes(PADDING_BYTES)
        return st.OK

    def little(self, at: cython.Py_ssize_t, count: cython.int) -> cython.ulonglong:
        index: cython.int
        value: cython.ulonglong = 0
        for index in range(count - 1, -1, -1):
            value = (value << 8) | self.buf[at + index]
        return value

    def open(self, data: Any) -> cython.int:
        """Checks 1 to 8 of a packet with the standard header."""
        status: cython.int = self.load(data, self.max_packet_bytes, HEADER_BYTES)
        if status != st.OK:
            return status
        self.a = self.little(0, 4)
        if self.a != 0x53444543:
            return st.INVALID_MAGIC
        self.a = self.little(4, 2)
        self.b = self.version
        if self.a != self.version:
            return st.UNSUPPORTED_VERSION
        self.flags = self.little(6, 2)
        self.a = self.flags
        if self.flags != FULL and self.flags != DELTA and not (self.flags == SESSION_INIT and self.version >= 2):
            return st.INVALID_FLAGS
        self.schema_hash = self.little(8, 8)
        self.tick = self.little(16, 4)
        self.baseline_tick = self.little(20, 4)
        self.a = self.baseline_tick
        self.b = self.flags
        if (self.flags == FULL and self.baseline_tick != 0) or (self.flags == DELTA and self.baseline_tick == 0):
            return st.INVALID_BASELINE_TICK
        self.a = self.little(24, 4)
        self.b = self.size - HEADER_BYTES
        if self.a != self.b:
            return st.PAYLOAD_LENGTH
        self.at = HEADER_BYTES
        return self.frame_sections()

    def open_compact(self, data: Any, last_tick: cython.longlong) -> cython.int:
        """The checks of a compact frame, whose ticks count from ``last_tick``."""
        largest: cython.longlong = 4294967295
        status: cython.int = self.load(data, _NO_LIMIT, 1)
        if status != st.OK:
            return status
        self.flags = self.buf[0]
        self.at = 1
        self.a = self.flags
        if self.flags != FULL and self.flags != DELTA:
            return st.INVALID_FLAGS
        status = self.take_number()
        if status != st.OK:
            return status
        self.tick = last_tick + self.number
        self.a = self.flags
        if self.number == 0 or self.tick > largest:
            return st.INVALID_FLAGS
        status = self.take_number()
        if status != st.OK:
            return status
        self.baseline_tick = self.tick - self.number
        self.a = self.baseline_tick
        self.b = self.flags
        if self.baseline_tick < 0 or (self.number != 0 if self.flags == FULL else self.baseline_tick == 0):
            return st.INVALID_BASELINE_TICK
        status = self.take_number()
        if status != st.OK:
            return status
        self.a = self.number
        self.b = self.size - self.at
        if self.a > self.b:
            return st.PAYLOAD_LENGTH
        if self.a < self.b:
            if self.strict:
                self.a = self.b - self.a
                return st.TRAILING_BYTES
            self.size = self.at + self.a
        return self.frame_sections()

    def frame_sections(self) -> cython.int:
        """Find every section before any body is looked at."""
        status: cython.int
        tag: cython.int
        start: cython.Py_ssize_t
        self.section_count = 0
        self.payload = self.at
        while self.at < self.size:
            if self.section_count >= self.max_sections:
                self.a = self.max_sections
                self.b = self.section_count + 1
                return st.SECTION_COUNT
            tag = self.buf[self.at]
            self.at += 1
            status = self.take_number()
            if status != st.OK:
                return status
            self.a = self.max_section_len
            self.b = self.number
            if self.b > self.max_section_len:
                return st.SECTION_LENGTH
            start = self.at
            self.a = self.number
            self.b = self.size - start
            if self.a > self.b:
                return st.FRAMING_TRUNCATED
            self.at = start + self.number
            self.a = tag
            if tag < 1 or tag > (6 if self.version >= 2 else 3):
                return st.UNKNOWN_TAG
            if self.section_count == self.section_capacity:
                self._more_sections()
            self.sections[3 * self.section_count] = tag
            self.sections[3 * self.section_count + 1] = start
            self.sections[3 * self.section_count + 2] = self.at
            self.section_count += 1
        return st.OK

    def _more_sections(self) -> None:
        held = self._sections_owner[: 3 * self.section_count] if self.section_count else array("q")
        self.section_capacity = 2 * self.section_capacity + 8
        space = held + array("q", bytes(8 * 3 * (self.section_capacity - self.section_count)))
        self._sections_owner = space
        if cython.compiled:
            kept: carray.array = space
            self.sections = kept.data.as_longlongs
        else:
            self.sections = space

    def take_number(self) -> cython.int:
        """A varuint of the framing, into ``number``."""
        shift: cython.int
        byte: cython.ulonglong
        largest: cython.ulonglong = 4294967295
        value: cython.ulonglong = 0
        for shift in range(0, 35, 7):
            if self.at >= self.size:
                self.a = 1
                self.b = 0
                return st.FRAMING_TRUNCATED
            byte = self.buf[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                if self.strict and (value > largest or (byte == 0 and shift > 0)):
                    return st.FRAMING_VARINT
                self.number = value & largest
                return st.OK
        return st.FRAMING_VARINT

    def payload_bytes(self) -> int:
        """Bytes of the payload of the packet that was opened last."""
        return self.size - self.payload

    def header_bytes(self) -> int:
        """Bytes before the payload of the packet that was opened last."""
        return self.payload

    def section(self, index: cython.int) -> Any:
        """Tag, first byte and end of a section of the packet that was opened last."""
        return self.sections[3 * index], self.sections[3 * index + 1], self.sections[3 * index + 2]

    def section_bytes(self, index: cython.int) -> bytes:
        """The body of a section."""
        return bytes(self._data[self.sections[3 * index + 1] : self.sections[3 * index + 2]])
