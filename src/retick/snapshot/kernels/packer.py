"""Bits into packets: the writer under the encoder (a compiled kernel).

Bits gather in one 64-bit word and leave it eight bytes at a time. The packet is built in space that is kept: a
section's body first, six bytes further on than needed, and its tag and length right before it when the length is
known; so the first section, mostly the only one, never moves. The header goes before that.
"""

from typing import Any

from retick.errors import EncodeError, UsageError, with_code
from retick.snapshot.kernels.layout import HEADER, MAGIC
from retick.wire.varint import encode_varuint

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.libc.string import memcpy, memmove
    from cython.cimports.retick.snapshot.kernels import layout
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.wire.words import store_be64, store_le16, store_le32
else:
    from retick.snapshot.kernels import layout
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.fault import Fault
    from retick.wire.words import store_be64

    SECTION_HEAD = 6

__all__ = ["Packer"]


@cython.cclass
class Packer:
    """Writes bits, the heads of sections, and headers; see the .pxd for what each member holds."""

    if not cython.compiled:
        fault: Fault
        strict: bool
        max_section_bytes: int
        max_section_len: int
        entity_bytes: int
        buf: Any
        size: int
        at: int
        word: int
        fill: int
        payload: int
        body: int
        _out: bytearray
        _header: bytes

    def __init__(self, schema: Any, version: int, limits: Any, strict: bool) -> None:
        self.fault = Fault()
        self.strict = strict
        self.max_section_bytes = limits.max_section_bytes
        self.max_section_len = limits.max_section_len
        self.entity_bytes = schema.table.entity_worst_bytes
        self._header = HEADER.pack(MAGIC, version, 0, schema.hash, 0, 0, 0)
        self._out = bytearray()
        self.size = self.at = 0
        self.make_room()

    def start(self) -> cython.void:
        """Begin a packet: its payload, with space for the header before it."""
        self.payload = self.at = layout.HEADER_BYTES

    def put(self, value: cython.ulonglong, bits: cython.int) -> cython.void:
        """Up to 64 bits; ``value`` has no others."""
        free: cython.int = 64 - self.fill
        every: cython.ulonglong = 18446744073709551615
        if bits < free:
            if bits:
                self.word |= value << (free - bits)
                self.fill += bits
            return
        self.fill = bits - free
        store_be64(self.buf, self.at, self.word | (value >> self.fill))
        self.at += 8
        self.word = (value << (64 - self.fill)) & every if self.fill else 0

    def put_varint(self, value: cython.ulonglong) -> cython.void:
        while value > 127:
            self.put((value & 127) | 128, 8)
            value >>= 7
        self.put(value, 8)

    def put_id(self, value: cython.ulonglong) -> cython.void:
        # Little-endian, as 32 bits that come most significant first.
        self.put(
            ((value & 255) << 24) | ((value & 65280) << 8) | ((value >> 8) & 65280) | (value >> 24),
            32,
        )

    def align(self) -> cython.void:
        """Zero bits up to a byte boundary."""
        if self.fill & 7:
            self.put(0, 8 - (self.fill & 7))

    def flush(self) -> cython.void:
        """Pad to a byte boundary and leave no bits in the word."""
        if self.fill:
            self.align()
            store_be64(self.buf, self.at, self.word)
            self.at += self.fill >> 3
            self.word = 0
            self.fill = 0

    def begin_section(self) -> cython.int:
        """Leave space for tag and length and start on the body."""
        if self.at + 64 > self.size:
            self.make_room()
        self.at += SECTION_HEAD
        self.body = self.at
        self.word = 0
        self.fill = 0
        return st.OK

    def begin_entity(self) -> cython.Py_ssize_t:
        """Room for one more entity, on a byte boundary; returns where it starts."""
        if self.at + self.entity_bytes > self.size:
            self.make_room()
        if self.fill:
            self.flush()
        return self.at

    def end_section(self, tag: cython.int) -> cython.int:
        """Pad the body, check its size, and put tag and length before it."""
        length: cython.Py_ssize_t
        head: cython.Py_ssize_t = 2
        first: cython.bint = self.body == layout.HEADER_BYTES + SECTION_HEAD
        at: cython.Py_ssize_t
        self.flush()
        length = self.at - self.body
        if length > self.max_section_bytes:
            return self.fault.over_limit(st.LIMIT_SECTION_BYTES, self.max_section_bytes, length)
        if self.strict and length > self.max_section_len:
            return self.fault.over_limit(st.SECTION_LENGTH, self.max_section_len, length)
        while length >> (7 * (head - 1)):
            head += 1
        at = self.body - head
        if first:
            self.payload = at
        elif head < SECTION_HEAD:
            at = self.body - SECTION_HEAD
            if cython.compiled:
                memmove(self.buf + at + head, self.buf + self.body, length)
            else:
                self.buf[at + head : at + head + length] = self.buf[self.body : self.at]
            self.body = at + head
            self.at = self.body + length
        self.buf[at] = tag
        while length > 127:
            at += 1
            self.buf[at] = (length & 127) | 128
            length >>= 7
        self.buf[at + 1] = length
        return st.OK

    def emit(self, flags: cython.int, tick: cython.ulonglong, baseline_tick: cython.ulonglong, into: Any) -> Any:
        """Put the standard header before the payload and hand the packet out."""
        start: cython.Py_ssize_t = self.payload - layout.HEADER_BYTES
        length: cython.ulonglong = self.at - self.payload
        if cython.compiled:
            out: cython.p_uchar = self.buf + start
            memcpy(out, PyBytes_AS_STRING(self._header), layout.HEADER_BYTES)
            store_le16(out, layout.FLAGS_AT, flags)
            store_le32(out, layout.TICK_AT, tick)
            store_le32(out, layout.BASELINE_TICK_AT, baseline_tick)
            store_le32(out, layout.PAYLOAD_BYTES_AT, length)
        else:
            magic, version, _flags, schema_hash, *_numbers = HEADER.unpack(self._header)
            HEADER.pack_into(self.buf, start, magic, version, flags, schema_hash, tick, baseline_tick, length)
        return self.copy_out(start, into)

    def emit_frame(self, tick_delta: Any, baseline_delta: Any, into: Any) -> Any:
        """Put the compact header of a delta before the payload and hand the frame out."""
        head = bytes((layout.DELTA,)) + encode_varuint(tick_delta) + encode_varuint(baseline_delta)
        head += encode_varuint(self.at - self.payload)
        # Right before the payload: it takes 16 bytes at most, and a standard header's are free there.
        start: cython.Py_ssize_t = self.payload - len(head)
        self._out[start : self.payload] = head
        return self.copy_out(start, into)

    def copy_out(self, start: cython.Py_ssize_t, into: Any) -> Any:
        """What was written from ``start`` on: as bytes, or into a buffer and its length."""
        length: cython.Py_ssize_t = self.at - start
        if into is not None:
            target = memoryview(into).cast("B")
            if target.readonly:
                raise UsageError("the buffer to encode into must be writable")
            if len(target) < length:
                message = f"the packet needs {length} bytes, the buffer has {len(target)}"
                raise with_code(EncodeError(message), "OutputTooSmall")
            target[:length] = memoryview(self._out)[start : self.at]
            return length
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.buf + start), length)
        return bytes(self.buf[start : self.at])

    def body_bytes(self) -> bytes:
        """The body of the section that was written last."""
        return bytes(self._out[self.body : self.at])

    def make_room(self) -> cython.int:
        """Space for one more entity at its worst, and as much again as there was."""
        self.size = 2 * self.at + 2 * self.entity_bytes + 256
        grown = bytearray(self.size)
        grown[: self.at] = self._out[: self.at]
        self._out = grown
        if cython.compiled:
            self.buf = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(grown))
        else:
            self.buf = grown
        return 0
