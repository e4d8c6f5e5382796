"""RBN1: the packet that carries a player's inputs. The format's page is docs/formats/rbn1.md.

::

     0  4  "RBN1"
     4  1  version        1; 2 with WIDE_INPUTS
     5  1  flags          bit 0 checksum block; with extensions: bit 1 time sync, bit 2 loss statistics
     6  4  start frame
    10  1  count          1 to 32 frames
    11  4  ack frame
    15  1  shape          version 2 only: input size | seats << 4
        8  checksum frame, checksum                  when bit 0
        4  frame u16, lead i16 in 1/64 frame         when bit 1
        4  received u16, lost u16                    when bit 2
           inputs         count x seats x size bytes

With PACKED_INPUTS the same packet may be in the packed form, which ``rbn1_packing`` turns into this one and back.
One ``struct`` call writes a whole packet and one reads it: the layouts differ only by count, and all are made on
import. Values are checked by ``struct`` itself; the reason is looked for only after it refused. ``encode`` and
``encode_into`` repeat the choice of the layout, because a shared function would cost them a fifth of their time.
A match reads and writes its packets through ``rbn1_run``, which comes here for what is unusual.
"""

import struct
from typing import Any

from retick.errors import (
    BadMagic,
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    TrailingData,
    Truncated,
    UnsupportedVersion,
)
from retick.wire.rbn1_layout import (
    ALL_EXTENSIONS,
    LOSS_STATS,
    MAGIC,
    MAX_COUNT,
    MAX_INPUT_BYTES,
    MAX_PACKET_SIZE,
    PACKED_INPUTS,
    TIME_SYNC,
    WIDE_INPUTS,
)
from retick.wire.rbn1_packet import (
    InputPacket,
    LossStats,
    TimeSync,
    check_extensions,
    check_shape,
    encoded_size,
    refuse,
)
from retick.wire.rbn1_packing import packed, unpacked

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.wire import rbn1_layout as layout
    from cython.cimports.retick.wire.words import load_le16, load_le32, load_u8
else:
    from retick.wire import rbn1_layout as layout

__all__ = [
    "ALL_EXTENSIONS",
    "LOSS_STATS",
    "MAGIC",
    "MAX_COUNT",
    "MAX_INPUT_BYTES",
    "MAX_PACKET_SIZE",
    "PACKED_INPUTS",
    "TIME_SYNC",
    "WIDE_INPUTS",
    "InputPacket",
    "LossStats",
    "TimeSync",
    "decode",
    "decode_fields",
    "encode",
    "encode_into",
    "encoded_size",
    "try_decode",
]

_HEADER = struct.Struct("<4sBBIBI")
_PLAIN = tuple(struct.Struct(f"<4sBBIBI{n}H") for n in range(MAX_COUNT + 1))
_WITH_CHECKSUM = tuple(struct.Struct(f"<4sBBIBIII{n}H") for n in range(MAX_COUNT + 1))
_WITH_TIME_SYNC = tuple(struct.Struct(f"<4sBBIBIHh{n}H") for n in range(MAX_COUNT + 1))
_INPUTS = tuple(struct.Struct(f"<{n}H") for n in range(MAX_COUNT + 1))
_CHECKSUM = struct.Struct("<II")
_TIME_SYNC = struct.Struct("<Hh")
_LOSS_STATS = struct.Struct("<HH")
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_make = tuple.__new__


@cython.annotation_typing(False)  # extensions are any integer, and nothing else is made one
def encode(packet: InputPacket, extensions: int = 0) -> bytes:
    """The packet's bytes. EncodeError when a value does not fit, or needs an extension that is not named."""
    plain = _encode_plain(packet, extensions)
    return packed(plain) if extensions & PACKED_INPUTS else plain


def _encode_plain(packet: Any, extensions: Any) -> bytes:
    if not isinstance(packet, InputPacket):
        raise EncodeError(f"an InputPacket is encoded, not {packet!r}")
    start, ack, inputs, checksum_frame, checksum, sync, loss, size, seats = packet
    if sync is None and loss is None and size == 2 and seats == 1:
        try:
            count = len(inputs)
            if 0 < count <= MAX_COUNT:
                if checksum is None and checksum_frame is None:
                    return _PLAIN[count].pack(MAGIC, 1, 0, start, count, ack, *inputs)
                return _WITH_CHECKSUM[count].pack(MAGIC, 1, 1, start, count, ack, checksum_frame, checksum, *inputs)
        except (struct.error, TypeError):
            pass
        refuse(packet, 0)
    if sync is not None and checksum is None and checksum_frame is None and loss is None and size == 2 and seats == 1:
        try:
            count = len(inputs)
            if 0 < count <= MAX_COUNT and extensions & TIME_SYNC:
                return _WITH_TIME_SYNC[count].pack(MAGIC, 1, layout.HAS_TIME_SYNC, start, count, ack, *sync, *inputs)
        except (struct.error, TypeError):
            pass
    check_shape(packet)
    buffer = bytearray(encoded_size(packet))
    _encode_extended(packet, buffer, extensions)
    return bytes(buffer)


@cython.annotation_typing(False)
def encode_into(packet: InputPacket, buffer: bytearray | memoryview, extensions: int = 0) -> int:
    """Write the packet at the start of ``buffer`` and say how long it is.

    No bytes object is made. After an EncodeError the buffer may hold a part of the packet.
    """
    if not isinstance(packet, InputPacket):
        raise EncodeError(f"an InputPacket is encoded, not {packet!r}")
    start, ack, inputs, checksum_frame, checksum, sync, loss, size, seats = packet
    if extensions & PACKED_INPUTS:
        data = encode(packet, extensions)
        if len(data) > len(buffer):
            raise EncodeError(f"the packet takes {len(data)} bytes, the buffer has {len(buffer)}")
        buffer[: len(data)] = data
        return len(data)
    if sync is None and loss is None and size == 2 and seats == 1:
        try:
            count = len(inputs)
            if 0 < count <= MAX_COUNT:
                if checksum is None and checksum_frame is None:
                    _PLAIN[count].pack_into(buffer, 0, MAGIC, 1, 0, start, count, ack, *inputs)
                    return layout.HEADER_BYTES + 2 * count
                _WITH_CHECKSUM[count].pack_into(
                    buffer, 0, MAGIC, 1, 1, start, count, ack, checksum_frame, checksum, *inputs
                )
                return layout.HEADER_BYTES + layout.CHECKSUM_BYTES + 2 * count
        except (struct.error, TypeError):
            pass
        refuse(packet, len(buffer))
    return _encode_extended(packet, buffer, extensions)


@cython.annotation_typing(False)
def decode(data: bytes | bytearray | memoryview, extensions: int = 0) -> InputPacket:
    """Read one packet, strictly version 1 unless ``extensions`` names more; checks in the order of the page."""
    return _make(InputPacket, decode_fields(data, extensions & ALL_EXTENSIONS))  # faster than its own constructor


def decode_fields(data: Any, extensions: cython.uint) -> tuple[Any, ...]:
    """``decode``, but the fields of an InputPacket in its order as a bare tuple; ``extensions`` has no other bits."""
    octets: bytes = data if type(data) is bytes else bytes(memoryview(data))
    if extensions & layout.PACKED_INPUTS and octets and octets[0] & 0xF0 == layout.PACKED_MARK:
        octets = unpacked(octets, extensions)
    length: cython.Py_ssize_t = len(octets)
    if length < layout.HEADER_BYTES:
        message = f"RBN1 has a header of {layout.HEADER_BYTES} bytes, this has {length}"
        raise Truncated(message, needed=layout.HEADER_BYTES, available=length)
    version: cython.int
    flags: cython.int
    count: cython.int
    if cython.compiled:
        start, ack = load_le32(octets, 6), load_le32(octets, 11)
        version, flags, count = load_u8(octets, 4), load_u8(octets, 5), load_u8(octets, 10)
        is_ours: cython.bint = load_le32(octets, 0) == layout.MAGIC_WORD
    else:
        magic, version, flags, start, count, ack = _HEADER.unpack_from(octets)
        is_ours = magic == MAGIC
    if not is_ours:
        raise BadMagic(f"not an RBN1 packet: it starts with {octets[:4].hex()}, not with {MAGIC.hex()}")
    if version != 1 and not (version == 2 and extensions & WIDE_INPUTS):
        raise UnsupportedVersion(f"RBN1 version {version} is not known here", version=version)
    if flags > 1 and flags & ~(1 | (extensions & (TIME_SYNC | LOSS_STATS)) << 1):
        raise InvalidValue(f"RBN1 flags {flags:#04x} have bits that are not known here")
    if not 1 <= count <= layout.MAX_COUNT:
        raise LimitExceeded(
            f"RBN1 carries 1 to {MAX_COUNT} frames, not {count}", what="count", limit=MAX_COUNT, actual=count
        )
    if version == 2:
        return _decode_wide(octets, flags, start, count, ack)
    at: cython.int = layout.HEADER_BYTES + _blocks_size(flags)
    if length != at + 2 * count:
        _check_length(length, at + 2 * count)
    inputs = read_inputs(octets, at, count)
    if flags == 0:
        return (start, ack, inputs, None, None, None, None, 2, 1)
    checksum_frame, checksum, sync, loss = _decode_blocks(octets, layout.HEADER_BYTES, flags)
    return (start, ack, inputs, checksum_frame, checksum, sync, loss, 2, 1)


def read_inputs(octets: cython.p_uchar, at: cython.Py_ssize_t, count: cython.int) -> tuple[int, ...]:
    if cython.compiled:
        return tuple([load_le16(octets, at + 2 * index) for index in range(count)])
    return _INPUTS[count].unpack_from(octets, at)


@cython.annotation_typing(False)
def try_decode(data: bytes | bytearray | memoryview, extensions: int = 0) -> InputPacket | None:
    """Like decode, but None for anything that is not a good packet."""
    try:
        return decode(data, extensions)
    except DecodeError:
        return None


def _check_length(length: int, expected: int) -> None:
    if length < expected:
        raise Truncated(f"the RBN1 packet has {length} bytes of {expected}", needed=expected, available=length)
    if length > expected:
        raise TrailingData(f"{length - expected} bytes after the end of the RBN1 packet", extra=length - expected)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _blocks_size(flags: cython.int) -> cython.int:
    size: cython.int = 0
    if flags & layout.HAS_CHECKSUM:
        size += layout.CHECKSUM_BYTES
    if flags & layout.HAS_TIME_SYNC:
        size += layout.TIME_SYNC_BYTES
    if flags & layout.HAS_LOSS_STATS:
        size += layout.LOSS_STATS_BYTES
    return size


def _decode_blocks(
    data: bytes, at: int, flags: int
) -> tuple[int | None, int | None, TimeSync | None, LossStats | None]:
    checksum_frame: int | None = None
    checksum: int | None = None
    sync: TimeSync | None = None
    loss: LossStats | None = None
    if flags & layout.HAS_CHECKSUM:
        checksum_frame, checksum = _CHECKSUM.unpack_from(data, at)
        at += layout.CHECKSUM_BYTES
    if flags & layout.HAS_TIME_SYNC:
        sync = _make(TimeSync, _TIME_SYNC.unpack_from(data, at))
        at += layout.TIME_SYNC_BYTES
    if flags & layout.HAS_LOSS_STATS:
        loss = _make(LossStats, _LOSS_STATS.unpack_from(data, at))
    return checksum_frame, checksum, sync, loss


def _decode_wide(data: bytes, flags: int, start: int, count: int, ack: int) -> tuple[Any, ...]:
    length = len(data)
    if length < layout.WIDE_HEADER_BYTES:
        message = f"RBN1 version 2 has a header of {layout.WIDE_HEADER_BYTES} bytes, this has {length}"
        raise Truncated(message, needed=layout.WIDE_HEADER_BYTES, available=length)
    shape = data[layout.WIDE_HEADER_BYTES - 1]
    size, seats = shape & 15, shape >> 4
    if not (1 <= size <= 8 and 1 <= seats <= 8):
        raise InvalidValue(f"RBN1 inputs are of 1 to 8 bytes and 1 to 8 seats, not {size} and {seats}")
    taken = count * seats * size
    if taken > MAX_INPUT_BYTES:
        raise LimitExceeded(
            f"RBN1 inputs take at most {MAX_INPUT_BYTES} bytes, not {taken}",
            what="inputs",
            limit=MAX_INPUT_BYTES,
            actual=taken,
        )
    at = layout.WIDE_HEADER_BYTES + _blocks_size(flags)
    _check_length(length, at + taken)
    inputs: tuple[int, ...]
    if size in _CODES:
        inputs = struct.unpack_from(f"<{count * seats}{_CODES[size]}", data, at)
    else:
        inputs = tuple(int.from_bytes(data[i : i + size], "little") for i in range(at, length, size))
    return (start, ack, inputs, *_decode_blocks(data, layout.WIDE_HEADER_BYTES, flags), size, seats)


def _encode_extended(packet: InputPacket, buffer: bytearray | memoryview, extensions: Any) -> int:
    """Any packet, block by block: for what the fixed layouts do not cover."""
    start, ack, inputs, checksum_frame, checksum, sync, loss, size, seats = packet
    check_shape(packet)
    check_extensions(packet, extensions)
    length = encoded_size(packet)
    wide = (size, seats) != (2, 1)
    flags = (checksum is not None) | (sync is not None) << 1 | (loss is not None) << 2
    try:
        count = len(inputs) // seats
        if length > len(buffer) or not 1 <= count <= MAX_COUNT or count * seats != len(inputs):
            raise struct.error
        _HEADER.pack_into(buffer, 0, MAGIC, 1 + wide, flags, start, count, ack)
        at = layout.HEADER_BYTES
        if wide:
            buffer[at] = size | seats << 4
            at = layout.WIDE_HEADER_BYTES
        if checksum is not None or checksum_frame is not None:
            _CHECKSUM.pack_into(buffer, at, checksum_frame, checksum)
            at += layout.CHECKSUM_BYTES
        if sync is not None:
            _TIME_SYNC.pack_into(buffer, at, *sync)
            at += layout.TIME_SYNC_BYTES
        if loss is not None:
            _LOSS_STATS.pack_into(buffer, at, *loss)
            at += layout.LOSS_STATS_BYTES
        if size in _CODES:
            struct.pack_into(f"<{len(inputs)}{_CODES[size]}", buffer, at, *inputs)
        else:
            buffer[at:length] = b"".join([value.to_bytes(size, "little") for value in inputs])
    except (struct.error, OverflowError, TypeError, AttributeError):
        refuse(packet, len(buffer))
    return length
