"""The packed form of RBN1 packets: from version 1 or 2 to it, and back (a compiled kernel).

::

    0  1  mark and flags  A0 | flags of version 1 | 8 when the shape byte is there
    1  1  count
    2  4  start frame
    6  2  ack frame, low 16 bits
    8  1  shape           only where inputs are not 2 bytes of one seat
          blocks          as in version 1
          packed inputs   to the end

The plain packet and the packed one are two spellings of the same values, so both functions go from bytes to bytes, and
what a packet means is known only to ``rbn1``. The format's page, docs/formats/rbn1.md, has the rules and their order.
"""

from retick.errors import DecodeError, InvalidValue, LimitExceeded, Truncated
from retick.wire.rbn1_layout import MAX_COUNT, MAX_INPUT_BYTES

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.wire import rbn1_layout as layout
else:
    from retick.wire import rbn1_layout as layout

    SHORT_HEADER, BAD_FLAGS, BAD_COUNT, BAD_ACK, SHORT_BLOCKS = -1, -2, -3, -4, -5
    BAD_SHAPE, TOO_MUCH, TOO_LONG, SHORT_RUN, BAD_RUN = -6, -7, -8, -9, -10

__all__ = ["pack_into", "packed", "unpack_into", "unpacked"]


def packed(plain: bytes) -> bytes:
    """A good packet of version 1 or 2 in the packed form, or as it is when that is not shorter."""
    buffer: bytearray = bytearray(len(plain))
    size: cython.Py_ssize_t = pack_into(plain, len(plain), buffer)
    return bytes(buffer[:size]) if size else plain


def unpacked(data: bytes, extensions: cython.uint) -> bytes:
    """The packet of version 1 or 2 that a packed one stands for."""
    buffer: bytearray = bytearray(layout.MOST_PLAIN_BYTES)
    size: cython.Py_ssize_t = unpack_into(data, len(data), extensions, buffer)
    if size < 0:
        raise _fault(size, data)
    return bytes(buffer[:size])


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


def unpack_into(
    data: cython.p_uchar, length: cython.Py_ssize_t, extensions: cython.uint, out: cython.p_uchar
) -> cython.Py_ssize_t:
    """Write the plain form to ``out``, which has MOST_PLAIN_BYTES; its length, or below 0 which rule was broken."""
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
    """The words for a broken rule."""
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
