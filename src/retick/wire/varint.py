"""Varints: unsigned LEB128 of 32 bits, and zigzag for signed values.

===========  ==========================================================================================
varuint      0 to 4294967295, seven bits a byte, lowest group first, 0x80 on all bytes but the last
varsint      -2147483648 to 2147483647 as zigzag (0, -1, 1, -2 become 0, 1, 2, 3), then varuint
===========  ==========================================================================================

A writer makes the shortest form. A strict reader accepts only that; a lenient one accepts longer forms and drops
bits above the 32nd, as some peers do. Neither reads more than five bytes.
"""

from retick.errors import EncodeError, InvalidValue, Truncated, with_code

MAX_VARINT_BYTES = 5
MAX_VARUINT = 0xFFFFFFFF
MIN_VARSINT = -(1 << 31)
MAX_VARSINT = (1 << 31) - 1


def encode_varuint(value: int) -> bytes:
    if not 0 <= value <= MAX_VARUINT:
        raise with_code(EncodeError(f"a varuint holds 0 to {MAX_VARUINT}, not {value}"), "VarUIntOutOfRange")
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_varsint(value: int) -> bytes:
    return encode_varuint(zigzag(value))


def decode_varuint(data: bytes, at: int = 0, *, strict: bool = True) -> tuple[int, int]:
    """Read the value at offset ``at``; returns it with the offset after it."""
    value = 0
    for index in range(MAX_VARINT_BYTES):
        if at + index >= len(data):
            raise with_code(
                Truncated("a varint ends with the data", needed=at + index + 1, available=len(data)),
                "Bitstream.UnexpectedEof",
            )
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            if strict and (value > MAX_VARUINT or (byte == 0 and index > 0)):
                raise with_code(
                    InvalidValue("a varint overflows 32 bits or is longer than needed"), "Bitstream.InvalidVarint"
                )
            return value & MAX_VARUINT, at + index + 1
    raise with_code(InvalidValue(f"a varint is longer than {MAX_VARINT_BYTES} bytes"), "Bitstream.InvalidVarint")


def decode_varsint(data: bytes, at: int = 0, *, strict: bool = True) -> tuple[int, int]:
    value, at = decode_varuint(data, at, strict=strict)
    return unzigzag(value), at


def zigzag(value: int) -> int:
    if not MIN_VARSINT <= value <= MAX_VARSINT:
        raise with_code(
            EncodeError(f"a varsint holds {MIN_VARSINT} to {MAX_VARSINT}, not {value}"), "VarSIntOutOfRange"
        )
    return (value << 1) ^ (value >> 31)


def unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def varuint_size(value: int) -> int:
    """How many bytes the shortest form takes."""
    return max(1, (value.bit_length() + 6) // 7)
