"""A writer and a reader of packed bits (a compiled kernel).

Bits are packed most significant first: the first bit written is 0x80 of the first byte, and an n-bit integer starts
with its highest bit. Whole-byte integers and varints must start on a byte boundary and are little-endian. Padding up
to a boundary is zero.

Both keep up to 64 bits in one word: the writer fills it from the top and stores it when it is full.
"""

from typing import Any

from retick.errors import EncodeError, InvalidValue, Truncated, UsageError, with_code
from retick.wire.varint import MAX_VARINT_BYTES, MAX_VARUINT, unzigzag, zigzag

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name


@cython.cclass
class BitWriter:
    """Packs values into bytes; ``to_bytes()`` pads the last one with zeros."""

    _out: "bytearray"
    _word: cython.ulonglong
    _fill: cython.int

    def __init__(self) -> None:
        self._out = bytearray()
        self._word = 0
        self._fill = 0

    @property
    def bit_count(self) -> int:
        """How many bits were written, including the padding of ``align()``."""
        return 8 * len(self._out) + self._fill

    def write_bits(self, value: Any, bits: Any) -> None:
        """Write the low ``bits`` (0 to 64) of ``value``, which must fit them."""
        if not 0 <= bits <= 64:
            raise UsageError(f"bits must be from 0 to 64, not {bits}")
        if not 0 <= value < 1 << bits:
            raise with_code(EncodeError(f"{value} does not fit {bits} bits", value=value), "Bitstream.ValueOutOfRange")
        if bits:
            self._put(value, bits)

    def write_bit(self, value: Any) -> None:
        self._put(1 if value else 0, 1)

    def align(self) -> None:
        """Write zero bits up to the next byte boundary."""
        if self._fill & 7:
            self._put(0, 8 - (self._fill & 7))

    def write_u8(self, value: int) -> None:
        self._write_aligned(value, 1)

    def write_u16(self, value: int) -> None:
        self._write_aligned(value, 2)

    def write_u32(self, value: int) -> None:
        self._write_aligned(value, 4)

    def write_u64(self, value: int) -> None:
        self._write_aligned(value, 8)

    def write_varuint(self, value: int) -> None:
        self._need_boundary()
        if not 0 <= value <= MAX_VARUINT:
            message = f"a varuint holds 0 to {MAX_VARUINT}, not {value}"
            raise with_code(EncodeError(message, value=value), "Bitstream.ValueOutOfRange")
        while value > 0x7F:
            self._put(value & 0x7F | 0x80, 8)
            value >>= 7
        self._put(value, 8)

    def write_varsint(self, value: int) -> None:
        self.write_varuint(zigzag(value))

    def write_bytes(self, data: bytes) -> None:
        self._need_boundary()
        for byte in data:
            self._put(byte, 8)

    def to_bytes(self) -> bytes:
        tail: bytes = int(self._word).to_bytes(8, "big")[: (self._fill + 7) >> 3]
        return bytes(self._out) + tail

    def _write_aligned(self, value: int, size: int) -> None:
        self._need_boundary()
        if not 0 <= value < 1 << (8 * size):
            raise with_code(EncodeError(f"{value} does not fit {size} bytes", value=value), "Bitstream.ValueOutOfRange")
        self._put(int.from_bytes(value.to_bytes(size, "little"), "big"), 8 * size)

    def _need_boundary(self) -> None:
        if self._fill & 7:
            raise with_code(
                UsageError(f"whole bytes start on a byte boundary; {8 - (self._fill & 7)} bits of padding are missing"),
                "Bitstream.MisalignedAccess",
            )

    @cython.cfunc
    def _put(self, value: cython.ulonglong, bits: cython.int) -> cython.void:
        free: cython.int = 64 - self._fill
        rest: cython.int
        if bits < free:
            self._word |= value << (free - bits)
            self._fill += bits
            return
        rest = bits - free
        self._word |= value >> rest
        self._out += int(self._word).to_bytes(8, "big")
        self._word = 0
        self._fill = rest
        if rest:
            if cython.compiled:
                self._word = value << (64 - rest)
            else:
                self._word = (value << (64 - rest)) & 0xFFFFFFFFFFFFFFFF


@cython.cclass
class BitReader:
    """Unpacks values from bytes. A read either returns its value, or raises a DecodeError and consumes nothing.

    A strict reader also refuses padding that is not zero and varints that are not in their shortest form.
    """

    _data: "bytes"
    _strict: cython.bint
    _end: cython.Py_ssize_t
    position: cython.Py_ssize_t  # readonly

    def __init__(self, data: Any, *, strict: bool = True) -> None:
        self._data = bytes(data)
        self._strict = strict
        self._end = 8 * len(self._data)
        self.position = 0

    @property
    def remaining(self) -> int:
        """How many bits are left."""
        return self._end - self.position

    def read_bits(self, bits: Any) -> int:
        if not 0 <= bits <= 64:
            raise UsageError(f"bits must be from 0 to 64, not {bits}")
        self._need(bits)
        first = self.position >> 3
        last = (self.position + bits + 7) >> 3
        word: int = int.from_bytes(self._data[first:last], "big") >> (8 * last - self.position - bits)
        self.position += bits
        return int(word & ((1 << bits) - 1))

    def read_bit(self) -> bool:
        return self.read_bits(1) != 0

    def align(self) -> None:
        """Skip padding up to the next byte boundary."""
        padding = -self.position & 7
        if padding:
            position = self.position
            if self.read_bits(padding) and self._strict:
                self.position = position
                raise with_code(InvalidValue(f"padding at bit {position} is not zero"), "Bitstream.NonZeroPadding")

    def read_u8(self) -> int:
        return self._read_aligned(1)

    def read_u16(self) -> int:
        return self._read_aligned(2)

    def read_u32(self) -> int:
        return self._read_aligned(4)

    def read_u64(self) -> int:
        return self._read_aligned(8)

    def read_varuint(self) -> int:
        self._need_boundary()
        start = self.position
        value = 0
        for index in range(MAX_VARINT_BYTES):
            if self._end - self.position < 8:
                self.position = start
                raise self._end_of_data(8, self._end - start - 8 * index)
            byte = self._data[self.position >> 3]
            self.position += 8
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if self._strict and (value > MAX_VARUINT or (byte == 0 and index > 0)):
                    self.position = start
                    raise self._bad_varint("overflows 32 bits or is longer than needed")
                return value & MAX_VARUINT
        self.position = start
        raise self._bad_varint(f"is longer than {MAX_VARINT_BYTES} bytes")

    def read_varsint(self) -> int:
        return unzigzag(self.read_varuint())

    def _read_aligned(self, size: int) -> int:
        self._need_boundary()
        self._need(8 * size)
        at = self.position >> 3
        self.position += 8 * size
        return int.from_bytes(self._data[at : at + size], "little")

    def _need_boundary(self) -> None:
        if self.position & 7:
            raise with_code(
                UsageError(f"whole bytes start on a byte boundary, not at bit {self.position}"),
                "Bitstream.MisalignedAccess",
            )

    def _need(self, bits: int) -> None:
        if self._end - self.position < bits:
            raise self._end_of_data(bits, self._end - self.position)

    def _end_of_data(self, needed: int, available: int) -> Truncated:
        return with_code(
            Truncated(f"{needed} bits are needed, {available} are left", needed=needed, available=available),
            "Bitstream.UnexpectedEof",
            requested=needed,
            available=available,
        )

    def _bad_varint(self, why: str) -> InvalidValue:
        return with_code(InvalidValue(f"the varint at bit {self.position} {why}"), "Bitstream.InvalidVarint")


# Bytes as one number: big-endian words of packed bits, and little-endian integers. Compiled kernels use the inline
# functions of bits.pxd instead.

if not cython.compiled:

    def load_be64(buffer: Any, at: int) -> int:
        return int.from_bytes(buffer[at : at + 8], "big")

    def store_be64(buffer: Any, at: int, word: int) -> None:
        buffer[at : at + 8] = word.to_bytes(8, "big")

    def load_le16(buffer: Any, at: int) -> int:
        return int.from_bytes(buffer[at : at + 2], "little")

    def load_le32(buffer: Any, at: int) -> int:
        return int.from_bytes(buffer[at : at + 4], "little")

    def load_le64(buffer: Any, at: int) -> int:
        return int.from_bytes(buffer[at : at + 8], "little")
