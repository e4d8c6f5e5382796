"""Values of a state's fields as bytes for other peers: equal values give equal bytes on every peer.

::

    u8 n, n bytes name      1 to 128 bytes of printable UTF-8
    u8 tag                  1 integer, 2 float, 3 text
    u8 n, n bytes value     integer: two's complement, little-endian, as short as it can be, 1 to 32 bytes
                            float: 8 bytes IEEE 754, little-endian, finite
                            text: 0 to 200 bytes of printable UTF-8

A value that is neither an integer nor a finite float is sent as its canonical text (``sim.fields``). A text that is
too long is cut and ends with its length and CRC-32, so that a difference in the missing part still shows. Texts are
printable because they end up on terminals.
"""

import struct
from collections.abc import Iterable
from math import isfinite
from typing import Any, TypeAlias

from retick.errors import InvalidValue, Truncated
from retick.sim.checksum import crc32
from retick.sim.fields import canonical_text

Value: TypeAlias = int | float | str
Field: TypeAlias = tuple[str, Value]

MAX_NAME = 128
MAX_TEXT = 200
MAX_INTEGER = 32
INTEGER, FLOAT, TEXT = 1, 2, 3

_FLOAT = struct.Struct("<d")


def portable_fields(fields: Iterable[tuple[str, Any]]) -> list[Field]:
    """A game's fields as they are sent. A repeated name gets a number, so that each name has one value."""
    found: dict[str, Value] = {}
    for name, value in fields:
        short = unique = _short(_printable(str(name)) or "unnamed", MAX_NAME - 8)
        number = 1
        while unique in found:
            number += 1
            unique = f"{short}#{number}"
        found[unique] = _portable(value)
    return list(found.items())


def _portable(value: Any) -> Value:
    if isinstance(value, int):
        number = int(value)
        return number if _width(number) <= MAX_INTEGER else _short(str(number), MAX_TEXT)
    if isinstance(value, float):
        return float(value) if isfinite(value) else str(float(value))
    return _short(_printable(canonical_text(value)), MAX_TEXT)


def _printable(text: str) -> str:
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def _short(text: str, limit: int) -> str:
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return data.decode()
    tail = f"… ({len(data)} bytes, CRC {crc32(data):08X})"
    return data[: limit - len(tail.encode())].decode("utf-8", "ignore") + tail


def _width(number: int) -> int:
    """How many bytes the shortest two's complement form takes."""
    return (number if number >= 0 else ~number).bit_length() // 8 + 1


def encode_field(field: Field) -> bytes:
    name = field[0].encode()
    tag, value = _encode_value(field[1])
    return bytes((len(name),)) + name + bytes((tag, len(value))) + value


def _encode_value(value: Value) -> tuple[int, bytes]:
    if isinstance(value, int):
        return INTEGER, value.to_bytes(_width(value), "little", signed=True)
    if isinstance(value, float):
        return FLOAT, _FLOAT.pack(value)
    return TEXT, value.encode()


def decode_field(data: bytes, at: int) -> tuple[Field, int]:
    """Read the field at ``at``; returns it with the offset of the next."""
    name, at = _chunk(data, at)
    if not 1 <= len(name) <= MAX_NAME:
        raise InvalidValue(f"a field's name takes 1 to {MAX_NAME} bytes, not {len(name)}")
    tag = _byte(data, at)
    raw, at = _chunk(data, at + 1)
    return (_decode_text(name), _decode_value(tag, raw)), at


def _decode_value(tag: int, raw: bytes) -> Value:
    if tag == INTEGER:
        number = int.from_bytes(raw, "little", signed=True)
        if not 1 <= len(raw) <= MAX_INTEGER or len(raw) != _width(number):
            raise InvalidValue(f"an integer in {len(raw)} bytes")
        return number
    if tag == FLOAT:
        if len(raw) != _FLOAT.size:
            raise InvalidValue(f"a float in {len(raw)} bytes")
        value: float = _FLOAT.unpack(raw)[0]
        if not isfinite(value):
            raise InvalidValue("a float that is not finite: such values are sent as text")
        return value
    if tag == TEXT and len(raw) <= MAX_TEXT:
        return _decode_text(raw)
    raise InvalidValue(f"a value of kind {tag} in {len(raw)} bytes")


def _decode_text(raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise InvalidValue("a text that is not UTF-8") from None
    if not text.isprintable():
        raise InvalidValue("a text that cannot be printed")
    return text


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise Truncated("a field that ends early", needed=at + 1, available=len(data))
    return data[at]


def _chunk(data: bytes, at: int) -> tuple[bytes, int]:
    """Read bytes that follow their length."""
    end = at + 1 + _byte(data, at)
    if end > len(data):
        raise Truncated("a field that ends early", needed=end, available=len(data))
    return data[at + 1 : end], end
