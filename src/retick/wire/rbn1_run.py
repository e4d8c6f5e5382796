# cython: nonecheck=True
"""One RBN1 packet as numbers in place, read and written once a frame for each peer (a compiled kernel).

Theory of operation. A session has a packet of each peer in its hands only for a moment: its inputs go to the engine or
come from there, and nothing of it is kept. So there is one ``InputRun`` for each peer, whose members are overwritten by
every packet; no Python object is made for a number. What is good is read here. What is not, or is unusual, goes to
``rbn1``: it alone decides what is an error, and has the words for it.
"""

from itertools import chain
from typing import Any

from retick.wire import rbn1

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.retick.wire import rbn1_layout as layout
    from cython.cimports.retick.wire.rbn1 import decode_fields
    from cython.cimports.retick.wire.rbn1_packing import pack_into, unpack_into
    from cython.cimports.retick.wire.words import load_le16, load_le32, store_le16, store_le32
else:
    from retick.wire.rbn1 import decode_fields

__all__ = ["MOST_INPUTS", "InputRun"]

MOST_INPUTS = 256
"""Of 32 frames and eight seats."""


@cython.final
@cython.cclass
class InputRun:
    """The packet that was read last, or is written next.

    ``claimed`` and ``sync`` are -1 where it has no such block. ``values`` are by seat, within a seat by frame.
    """

    if not cython.compiled:
        start: int
        ack: int
        claimed: int
        checksum: int
        sync: int
        lead: int
        count: int
        size: int
        seats: int
        extensions: int
        values: list[int]
        plain: bytearray
        shorter: bytearray

    def __init__(self, extensions: cython.uint) -> None:
        """``extensions`` are those that both sides know."""
        self.extensions = extensions
        self.start = self.ack = 0
        self.claimed = self.sync = -1
        self.checksum = self.lead = 0
        self.count = self.seats = 1
        self.size = 2
        if not cython.compiled:
            self.values = [0] * MOST_INPUTS

    def read(self, data: bytes) -> cython.int:
        """Read a packet. DecodeError when it is bad; the members then mean nothing."""
        if cython.compiled:
            octets: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
            length: cython.Py_ssize_t = len(data)
            if length > 0 and octets[0] & 0xF0 == layout.PACKED_MARK and self.extensions & layout.PACKED_INPUTS:
                length = unpack_into(octets, length, self.extensions, self.plain)
                octets = self.plain
            if self.read_plain(octets, length):
                return 0
        self.fill(decode_fields(data, self.extensions))
        return 0

    def read_plain(self, octets: cython.p_uchar, length: cython.Py_ssize_t) -> cython.bint:
        """Compiled only: read a good packet of version 1 or 2; False when it is anything else."""
        if cython.compiled:
            if length < layout.WIDE_HEADER_BYTES or load_le32(octets, 0) != layout.MAGIC_WORD:
                return False
            flags: cython.int = octets[5]
            if flags & ~(1 | (self.extensions & layout.TIME_SYNC) << 1):
                return False
            at: cython.Py_ssize_t = layout.HEADER_BYTES
            self.size, self.seats = 2, 1
            if octets[4] == 2 and self.extensions & layout.WIDE_INPUTS:
                self.size, self.seats = octets[at] & 15, octets[at] >> 4
                at += 1
            elif octets[4] != 1:
                return False
            self.count = octets[10]
            blocks: cython.Py_ssize_t = 8 * (flags & 1) + 2 * (flags & 2)
            number: cython.int = self.count * self.seats
            if not (1 <= self.count <= layout.MAX_COUNT and 1 <= self.size <= 8 and 1 <= self.seats <= 8):
                return False
            if number * self.size > layout.MAX_INPUT_BYTES or length != at + blocks + number * self.size:
                return False
            self.start = load_le32(octets, 6)
            self.ack = load_le32(octets, 11)
            self.claimed = self.sync = -1
            if flags & layout.HAS_CHECKSUM:
                self.claimed = load_le32(octets, at)
                self.checksum = load_le32(octets, at + 4)
                at += layout.CHECKSUM_BYTES
            if flags & layout.HAS_TIME_SYNC:
                self.sync = load_le16(octets, at)
                self.lead = load_le16(octets, at + 2)
                if self.lead > 0x7FFF:
                    self.lead -= 0x10000
                at += layout.TIME_SYNC_BYTES
            frame: cython.int
            seat: cython.int
            place: cython.int
            value: cython.ulonglong
            for frame in range(self.count):
                for seat in range(self.seats):
                    value = 0
                    for place in range(self.size):
                        value |= cython.cast(cython.ulonglong, octets[at + place]) << 8 * place
                    self.values[seat * self.count + frame] = value
                    at += self.size
            return True
        return False

    def fill(self, fields: tuple[Any, ...]) -> None:
        """The fields of an InputPacket."""
        start, ack, inputs, claimed, checksum, sync, _, size, seats = fields
        self.start, self.ack, self.size, self.seats = start, ack, size, seats
        self.count = len(inputs) // seats
        self.claimed = -1 if claimed is None else claimed
        self.checksum = 0 if checksum is None else checksum
        self.sync, self.lead = (-1, 0) if sync is None else sync
        index: cython.int
        for index in range(len(inputs)):
            self.values[index % self.seats * self.count + index // self.seats] = inputs[index]

    def write(self) -> bytes:
        """The packet's bytes, in the shortest form that both sides know."""
        if cython.compiled:
            at: cython.Py_ssize_t = self.write_plain(self.plain)
            if self.extensions & layout.PACKED_INPUTS:
                length: cython.Py_ssize_t = pack_into(self.plain, at, self.shorter)
                if length > 0:
                    return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.shorter), length)
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.plain), at)
        rows = [self.values[frame : self.count * self.seats : self.count] for frame in range(self.count)]
        packet = rbn1.InputPacket(self.start, self.ack, tuple(chain.from_iterable(rows)))
        if self.claimed >= 0:
            packet = packet._replace(checksum_frame=self.claimed, checksum=self.checksum)
        if self.sync >= 0:
            packet = packet._replace(time_sync=rbn1.TimeSync(self.sync, self.lead))
        return rbn1.encode(packet._replace(input_size=self.size, seats=self.seats), self.extensions)

    def write_plain(self, octets: cython.p_uchar) -> cython.Py_ssize_t:
        """Compiled only: write the packet as version 1 or 2, and say how long it is."""
        at: cython.Py_ssize_t = 0
        if cython.compiled:
            at = layout.HEADER_BYTES
            store_le32(octets, 0, layout.MAGIC_WORD)
            octets[4] = 1
            octets[5] = (self.claimed >= 0) | (self.sync >= 0) << 1
            octets[10] = self.count
            store_le32(octets, 6, self.start)
            store_le32(octets, 11, self.ack)
            if self.size != 2 or self.seats != 1:
                octets[4] = 2
                octets[at] = self.size | self.seats << 4
                at += 1
            if self.claimed >= 0:
                store_le32(octets, at, self.claimed)
                store_le32(octets, at + 4, self.checksum)
                at += layout.CHECKSUM_BYTES
            if self.sync >= 0:
                store_le16(octets, at, self.sync)
                store_le16(octets, at + 2, self.lead)
                at += layout.TIME_SYNC_BYTES
            frame: cython.int
            seat: cython.int
            place: cython.int
            for frame in range(self.count):
                for seat in range(self.seats):
                    for place in range(self.size):
                        octets[at] = self.values[seat * self.count + frame] >> 8 * place & 0xFF
                        at += 1
        return at
