# cython: nonecheck=True
"""RBN1: the packet that carries a player's inputs. The format's page is docs/formats/rbn1.md.

Contents: the packet as a value; the packed form; encoding and decoding; the packet as numbers in place.

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

With PACKED_INPUTS a packet may be sent in the packed form, which ``packed`` and ``unpacked`` convert. One ``struct``
call writes a whole packet and one reads it: the layouts differ only by count, and all are made on import. ``struct``
itself checks the values; the reason is looked for only after it refused. ``encode`` and ``encode_into`` repeat the
choice of the layout, because a shared function would cost them a fifth of their time. A match reads and writes its
packets through ``InputRun``, which comes here for everything unusual.
"""

import struct
from itertools import chain
from typing import Any, NamedTuple, NoReturn

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
    CHECKSUM_BYTES,
    HEADER_BYTES,
    LOSS_STATS,
    LOSS_STATS_BYTES,
    MAGIC,
    MAX_COUNT,
    MAX_INPUT_BYTES,
    MAX_PACKET_SIZE,
    PACKED_INPUTS,
    TIME_SYNC,
    TIME_SYNC_BYTES,
    WIDE_INPUTS,
)

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.retick.wire import rbn1_layout as layout
    from cython.cimports.retick.wire.bits import load_le16, load_le32, load_u8, store_le16, store_le32
else:
    from retick.wire import rbn1_layout as layout

__all__ = [
    "ALL_EXTENSIONS",
    "LOSS_STATS",
    "MAGIC",
    "MAX_COUNT",
    "MAX_INPUT_BYTES",
    "MAX_PACKET_SIZE",
    "MOST_INPUTS",
    "PACKED_INPUTS",
    "TIME_SYNC",
    "WIDE_INPUTS",
    "InputPacket",
    "InputRun",
    "LossStats",
    "TimeSync",
    "check_extensions",
    "check_shape",
    "decode",
    "decode_fields",
    "encode",
    "encode_into",
    "encoded_size",
    "pack_into",
    "packed",
    "refuse",
    "try_decode",
    "unpack_into",
    "unpacked",
]


# The packet as a value, and the reasons why one cannot be encoded.
#
# Nothing in this part reads or writes bytes. The encoders look for a reason only after ``struct`` refused the values,
# so that a good packet is not checked twice.


class TimeSync(NamedTuple):
    """The sender's place in time; the format's page says how the leads of both sides are brought together."""

    frame: int
    """The low 16 bits of the frame that the sender is about to play."""
    lead: int
    """How far the sender runs ahead of the inputs it receives, in 1/64 frame."""


class LossStats(NamedTuple):
    """Running totals of the packets that the sender received and missed, each modulo 65536."""

    received: int
    lost: int


class InputPacket(NamedTuple):
    """The inputs of consecutive frames, oldest first. Values are checked only when it is encoded."""

    start_frame: int
    ack_frame: int
    """The newest frame received from the other side without a gap; also 0 before any."""
    inputs: tuple[int, ...]
    """One input per frame; with several seats, frame by frame, and within a frame by seat."""
    checksum_frame: int | None = None
    checksum: int | None = None
    time_sync: TimeSync | None = None
    loss_stats: LossStats | None = None
    input_size: int = 2
    """Bytes per input. Any size but 2 needs WIDE_INPUTS."""
    seats: int = 1
    """How many players the packet carries inputs of. Any number but 1 needs WIDE_INPUTS."""


def encoded_size(packet: InputPacket) -> int:
    """How many bytes the packet takes on the wire, if its values fit."""
    size = HEADER_BYTES + len(packet.inputs) * packet.input_size
    size += (packet.input_size, packet.seats) != (2, 1)
    size += CHECKSUM_BYTES * (packet.checksum is not None)
    size += TIME_SYNC_BYTES * (packet.time_sync is not None)
    return size + LOSS_STATS_BYTES * (packet.loss_stats is not None)


def check_shape(packet: InputPacket) -> None:
    """Refuse a packet of a wrong shape before reading anything else of it."""
    size, seats = packet.input_size, packet.seats
    for name, value in (("input_size", size), ("seats", seats)):
        if not isinstance(value, int):
            raise EncodeError(f"{name} is a whole number, not {value!r}")
    if not (1 <= size <= 8 and 1 <= seats <= 8):
        raise EncodeError(f"inputs are of 1 to 8 bytes and 1 to 8 seats, not {size} and {seats}")
    if not isinstance(packet.inputs, (tuple, list)):
        raise EncodeError(f"inputs are a tuple of numbers, not {packet.inputs!r}")
    for name, block in (("time_sync", packet.time_sync), ("loss_stats", packet.loss_stats)):
        if block is not None and not (isinstance(block, tuple) and len(block) == 2):
            raise EncodeError(f"{name} has two numbers, not {block!r}")


def check_extensions(packet: InputPacket, extensions: Any) -> None:
    """Refuse a packet that uses an extension not in ``extensions``."""
    size, seats = packet.input_size, packet.seats
    if len(packet.inputs) * size > MAX_INPUT_BYTES:
        raise EncodeError(f"inputs take at most {MAX_INPUT_BYTES} bytes, not {len(packet.inputs) * size}")
    if (size, seats) != (2, 1) and not extensions & WIDE_INPUTS:
        raise EncodeError(f"{seats} seats of {size} bytes need WIDE_INPUTS, which the peer must have named")
    if packet.time_sync is not None and not extensions & TIME_SYNC:
        raise EncodeError("a time sync block needs TIME_SYNC, which the peer must have named")
    if packet.loss_stats is not None and not extensions & LOSS_STATS:
        raise EncodeError("a loss statistics block needs LOSS_STATS, which the peer must have named")


def refuse(packet: InputPacket, room: int) -> NoReturn:
    """Find out why the packet could not be written, and raise an EncodeError that says so."""
    check_shape(packet)
    frames, rest = divmod(len(packet.inputs), packet.seats)
    if rest or not 1 <= frames <= MAX_COUNT:
        raise EncodeError(
            f"a packet carries 1 to {MAX_COUNT} frames of {packet.seats} inputs, not {len(packet.inputs)}"
        )
    if (packet.checksum is None) != (packet.checksum_frame is None):
        raise EncodeError("a checksum and its frame go together, or neither is there")
    most = (1 << 8 * packet.input_size) - 1
    wanted: list[tuple[str, object, int, int]] = [
        ("start_frame", packet.start_frame, 0, 0xFFFFFFFF),
        ("ack_frame", packet.ack_frame, 0, 0xFFFFFFFF),
    ]
    wanted += [(f"inputs[{i}]", value, 0, most) for i, value in enumerate(packet.inputs)]
    if packet.checksum is not None:
        wanted += [
            ("checksum_frame", packet.checksum_frame, 0, 0xFFFFFFFF),
            ("checksum", packet.checksum, 0, 0xFFFFFFFF),
        ]
    if packet.time_sync is not None:
        wanted += [
            ("time_sync.frame", packet.time_sync[0], 0, 0xFFFF),
            ("time_sync.lead", packet.time_sync[1], -32768, 32767),
        ]
    if packet.loss_stats is not None:
        wanted += [(f"loss_stats[{i}]", value, 0, 0xFFFF) for i, value in enumerate(packet.loss_stats)]
    for name, value, least, greatest in wanted:
        if not isinstance(value, int):
            raise EncodeError(f"{name} is a whole number, not {value!r}")
        if not least <= value <= greatest:
            raise EncodeError(f"{name} is {least} to {greatest}, not {value}")
    raise EncodeError(f"the packet takes {encoded_size(packet)} bytes, the buffer has {room}")


# The packed form: converts version 1 or 2 to it and back.
#
# ::
#
#     0  1  mark and flags  A0 | flags of version 1 | 8 when the shape byte is there
#     1  1  count
#     2  4  start frame
#     6  2  ack frame, low 16 bits
#     8  1  shape           only where inputs are not 2 bytes of one seat
#           blocks          as in version 1
#           packed inputs   to the end
#
# The plain packet and the packed one are two spellings of the same values, so both functions go from bytes to bytes,
# and only the code above and below knows what a packet means. docs/formats/rbn1.md has the rules and their order.

if not cython.compiled:
    SHORT_HEADER, BAD_FLAGS, BAD_COUNT, BAD_ACK, SHORT_BLOCKS = -1, -2, -3, -4, -5  # C constants
    BAD_SHAPE, TOO_MUCH, TOO_LONG, SHORT_RUN, BAD_RUN = -6, -7, -8, -9, -10  # C constants


def packed(plain: bytes) -> bytes:
    """Convert a good packet of version 1 or 2 to the packed form; returns it unchanged if that is not shorter."""
    buffer: bytearray = bytearray(len(plain))
    size: cython.Py_ssize_t = pack_into(plain, len(plain), buffer)
    return bytes(buffer[:size]) if size else plain


def unpacked(data: bytes, extensions: cython.uint) -> bytes:
    """Convert a packed packet to version 1 or 2."""
    buffer: bytearray = bytearray(layout.MOST_PLAIN_BYTES)
    size: cython.Py_ssize_t = unpack_into(data, len(data), extensions, buffer)
    if size < 0:
        raise _fault(size, data)
    return bytes(buffer[:size])


@cython.cfunc
@cython.exceptval(check=False)
def pack_into(plain: cython.p_uchar, length: cython.Py_ssize_t, out: cython.p_uchar) -> cython.Py_ssize_t:
    """Write the packed form of a good packet to ``out``, which has ``length`` bytes; 0 when it is not shorter."""
    start: cython.longlong = _le32(plain, 6)
    ack: cython.longlong = _le32(plain, 11)
    if not -0x8000 <= ack - start <= 0x7FFF:
        return 0
    head: cython.Py_ssize_t = layout.HEADER_BYTES
    width: cython.Py_ssize_t = 2
    count: cython.Py_ssize_t = plain[10]
    at: cython.Py_ssize_t
    out[0] = layout.PACKED_MARK | plain[5]
    out[1] = plain[10]
    for at in range(4):
        out[2 + at] = plain[6 + at]
    out[6] = plain[11]
    out[7] = plain[12]
    to: cython.Py_ssize_t = layout.PACKED_HEADER_BYTES
    if plain[4] == 2:
        out[0] |= layout.HAS_SHAPE
        out[to] = plain[head]
        width = (plain[head] & 15) * (plain[head] >> 4)
        head += 1
        to += 1
    inputs: cython.Py_ssize_t = length - count * width
    for at in range(head, inputs):
        out[to] = plain[at]
        to += 1
    return _pack_inputs(plain, inputs, count, width, out, to, length - 1)


@cython.cfunc
@cython.exceptval(check=False)
def _pack_inputs(
    plain: cython.p_uchar,
    inputs: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    out: cython.p_uchar,
    to: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    column: cython.Py_ssize_t
    at: cython.Py_ssize_t
    zeros: cython.Py_ssize_t = 0
    token: cython.Py_ssize_t = 0
    above: cython.int
    value: cython.int
    for column in range(width):
        above = 0
        at = inputs + column
        for _ in range(count):
            value = plain[at] ^ above
            above = plain[at]
            at += width
            if value == 0:
                zeros += 1
                continue
            if zeros or token == 0 or out[token] & 15 == 15:
                while zeros > 15 and to < end:
                    out[to] = 0xF0
                    to += 1
                    zeros -= 15
                if to >= end:
                    return 0
                token = to
                out[token] = zeros << 4
                to += 1
                zeros = 0
            if to >= end:
                return 0
            out[token] += 1
            out[to] = value
            to += 1
    return to if to <= end else 0


@cython.cfunc
@cython.exceptval(check=False)
def unpack_into(
    data: cython.p_uchar, length: cython.Py_ssize_t, extensions: cython.uint, out: cython.p_uchar
) -> cython.Py_ssize_t:
    """Write the plain form to ``out``, which has MOST_PLAIN_BYTES; returns its length, or the broken rule below 0."""
    if length < layout.PACKED_HEADER_BYTES:
        return SHORT_HEADER
    flags: cython.uint = data[0] & 15
    known: cython.uint = layout.HAS_CHECKSUM | (extensions & (layout.TIME_SYNC | layout.LOSS_STATS)) << 1
    if extensions & layout.WIDE_INPUTS:
        known |= layout.HAS_SHAPE
    if flags & ~known:
        return BAD_FLAGS
    count: cython.Py_ssize_t = data[1]
    if not 1 <= count <= layout.MAX_COUNT:
        return BAD_COUNT
    start: cython.longlong = _le32(data, 2)
    ack: cython.longlong = data[6] | data[7] << 8
    ack = start + ((ack - start + 0x8000) & 0xFFFF) - 0x8000
    if not 0 <= ack <= 0xFFFFFFFF:
        return BAD_ACK
    at: cython.Py_ssize_t = layout.PACKED_HEADER_BYTES
    blocks: cython.Py_ssize_t = 0
    if flags & layout.HAS_CHECKSUM:
        blocks += layout.CHECKSUM_BYTES
    if flags & layout.HAS_TIME_SYNC:
        blocks += layout.TIME_SYNC_BYTES
    if flags & layout.HAS_LOSS_STATS:
        blocks += layout.LOSS_STATS_BYTES
    is_wide: cython.bint = flags & layout.HAS_SHAPE != 0
    if length < at + is_wide + blocks:
        return SHORT_BLOCKS
    to: cython.Py_ssize_t = layout.HEADER_BYTES
    width: cython.Py_ssize_t = 2
    if is_wide:
        size: cython.Py_ssize_t = data[at] & 15
        seats: cython.Py_ssize_t = data[at] >> 4
        if not (1 <= size <= 8 and 1 <= seats <= 8) or (size == 2 and seats == 1):
            return BAD_SHAPE
        width = size * seats
        out[to] = data[at]
        to += 1
        at += 1
    if count * width > layout.MAX_INPUT_BYTES:
        return TOO_MUCH
    if length >= to + blocks + count * width:
        return TOO_LONG
    index: cython.Py_ssize_t
    for index in range(4):
        out[index] = layout.MAGIC_WORD >> 8 * index & 0xFF
        out[6 + index] = data[2 + index]
        out[11 + index] = ack >> 8 * index & 0xFF
    out[4] = 1 + is_wide
    out[5] = flags & 7
    out[10] = data[1]
    for index in range(blocks):
        out[to + index] = data[at + index]
    fault: cython.Py_ssize_t = _unpack_inputs(data, at + blocks, length, out, to + blocks, count, width)
    return fault if fault else to + blocks + count * width


@cython.cfunc
@cython.exceptval(check=False)
def _unpack_inputs(
    data: cython.p_uchar,
    at: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    out: cython.p_uchar,
    to: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    total: cython.Py_ssize_t = count * width
    index: cython.Py_ssize_t
    for index in range(to, to + total):
        out[index] = 0
    place: cython.Py_ssize_t = 0
    before: cython.int = 15
    zeros: cython.int
    number: cython.int
    while at < length:
        zeros = data[at] >> 4
        number = data[at] & 15
        at += 1
        place += zeros
        if (zeros == 0 and before != 15) or (number == 0 and (zeros != 15 or at == length)) or place + number > total:
            return BAD_RUN
        if at + number > length:
            return SHORT_RUN
        before = number
        for index in range(at, at + number):
            if data[index] == 0:
                return BAD_RUN
            out[to + place % count * width + place // count] = data[index]
            place += 1
        at += number
    for index in range(to + width, to + total):
        out[index] ^= out[index - width]
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _le32(data: cython.p_uchar, at: cython.Py_ssize_t) -> cython.longlong:
    low: cython.longlong = data[at + 1] << 8 | data[at]
    high: cython.longlong = data[at + 3] << 8 | data[at + 2]
    return high << 16 | low


def _fault(code: int, data: bytes) -> DecodeError:
    """The error for a broken rule."""
    length = len(data)
    if code == SHORT_HEADER:
        needed = layout.PACKED_HEADER_BYTES
        return Truncated(
            f"packed RBN1 has a header of {needed} bytes, this has {length}", needed=needed, available=length
        )
    if code in (SHORT_BLOCKS, SHORT_RUN):
        return Truncated(f"the packed RBN1 packet ends after {length} bytes", needed=length + 1, available=length)
    count, shape = data[1], data[layout.PACKED_HEADER_BYTES] if length > layout.PACKED_HEADER_BYTES else 0
    size, seats = shape & 15, shape >> 4
    if code == BAD_COUNT:
        text = f"RBN1 carries 1 to {MAX_COUNT} frames, not {count}"
        return LimitExceeded(text, what="count", limit=MAX_COUNT, actual=count)
    if code == TOO_MUCH:
        taken = count * size * seats
        text = f"RBN1 inputs take at most {MAX_INPUT_BYTES} bytes, not {taken}"
        return LimitExceeded(text, what="inputs", limit=MAX_INPUT_BYTES, actual=taken)
    words = {
        BAD_FLAGS: f"packed RBN1 flags {data[0] & 15:#04x} have bits that are not known here",
        BAD_ACK: "the ack frame of the packed RBN1 packet is below 0 or above 32 bits",
        BAD_SHAPE: f"packed RBN1 inputs are of 1 to 8 bytes and 1 to 8 seats, not {size} and {seats}",
        TOO_LONG: f"the packed RBN1 packet has {length} bytes, and is not shorter than the plain one",
        BAD_RUN: "the inputs of the packed RBN1 packet are not as a writer packs them",
    }
    return InvalidValue(words[code])


# Encoding and decoding of packets.

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


@cython.annotation_typing(False)  # extensions may be any integer, and must not be converted
def encode(packet: InputPacket, extensions: int = 0) -> bytes:
    """The packet as bytes. Raises EncodeError if a value does not fit, or needs an extension not in ``extensions``."""
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
    """Write the packet at the start of ``buffer``; returns its length.

    Makes no bytes object. After an EncodeError the buffer may hold part of the packet.
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


@cython.ccall
def decode_fields(data: Any, extensions: cython.uint) -> tuple[Any, ...]:
    """Decode to a bare tuple of the fields of an InputPacket, in order; ``extensions`` must have no unknown bits."""
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


@cython.cfunc
def read_inputs(octets: cython.p_uchar, at: cython.Py_ssize_t, count: cython.int) -> tuple[Any, ...]:
    if cython.compiled:
        return tuple([load_le16(octets, at + 2 * index) for index in range(count)])
    return _INPUTS[count].unpack_from(octets, at)


@cython.annotation_typing(False)
def try_decode(data: bytes | bytearray | memoryview, extensions: int = 0) -> InputPacket | None:
    """Read one packet as ``decode`` does, but return None if it is not a good one."""
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
    """Encode a packet block by block: for packets that no fixed layout covers."""
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


# The packet as numbers in place, read and written once a frame for each peer.
#
# Theory of operation. A session holds a peer's packet only for a moment: its inputs go to the engine or come from
# there, and nothing of it is kept. So there is one ``InputRun`` for each peer, which every packet overwrites; no Python
# object is made for a number. Good packets are read here. Bad or unusual ones go to ``decode_fields``: it alone
# decides what is an error and raises it.


MOST_INPUTS = 256
"""The most inputs in a packet: 32 frames of eight seats."""


@cython.final
@cython.cclass
class InputRun:
    """The packet that was read last, or will be written next.

    ``claimed`` and ``sync`` are -1 if the packet has no such block. ``values`` are by seat, and within a seat by frame.
    """

    start: cython.longlong
    ack: cython.longlong
    claimed: cython.longlong
    checksum: cython.longlong
    sync: cython.longlong
    lead: cython.int
    count: cython.int
    size: cython.int
    seats: cython.int
    extensions: cython.uint
    if cython.compiled:
        values: cython.ulonglong[256]
        plain: cython.uchar[1056]
        shorter: cython.uchar[1056]
    else:
        values: list[int]
        plain: bytearray
        shorter: bytearray

    def __init__(self, extensions: cython.uint) -> None:
        """``extensions`` are those that both sides support."""
        self.extensions = extensions
        self.start = self.ack = 0
        self.claimed = self.sync = -1
        self.checksum = self.lead = 0
        self.count = self.seats = 1
        self.size = 2
        if not cython.compiled:
            self.values = [0] * MOST_INPUTS

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def read(self, data: bytes) -> cython.int:
        """Read a packet. After a DecodeError the members are meaningless."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
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

    @cython.cfunc
    def fill(self, fields: tuple[Any, ...]) -> None:
        """Set the members from the fields of an InputPacket."""
        start, ack, inputs, claimed, checksum, sync, _, size, seats = fields
        self.start, self.ack, self.size, self.seats = start, ack, size, seats
        self.count = len(inputs) // seats
        self.claimed = -1 if claimed is None else claimed
        self.checksum = 0 if checksum is None else checksum
        self.sync, self.lead = (-1, 0) if sync is None else sync
        index: cython.int
        for index in range(len(inputs)):
            self.values[index % self.seats * self.count + index // self.seats] = inputs[index]

    @cython.ccall
    def write(self) -> bytes:
        """The packet as bytes, in the shortest form that both sides support."""
        if cython.compiled:
            at: cython.Py_ssize_t = self.write_plain(self.plain)
            if self.extensions & layout.PACKED_INPUTS:
                length: cython.Py_ssize_t = pack_into(self.plain, at, self.shorter)
                if length > 0:
                    return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.shorter), length)
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.plain), at)
        rows = [self.values[frame : self.count * self.seats : self.count] for frame in range(self.count)]
        packet = InputPacket(self.start, self.ack, tuple(chain.from_iterable(rows)))
        if self.claimed >= 0:
            packet = packet._replace(checksum_frame=self.claimed, checksum=self.checksum)
        if self.sync >= 0:
            packet = packet._replace(time_sync=TimeSync(self.sync, self.lead))
        return encode(packet._replace(input_size=self.size, seats=self.seats), self.extensions)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_plain(self, octets: cython.p_uchar) -> cython.Py_ssize_t:
        """Compiled only: write the packet as version 1 or 2; returns its length."""
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
