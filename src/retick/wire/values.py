"""Plain values as bytes: None, bools, integers, floats, text, bytes and tuples of these. Each value has one encoding.

==============  ==========================================================================================
first byte      value
==============  ==========================================================================================
0x00 0x01 0x02  None, False, True
0x03            an integer of 64 bits: zigzag in LEB128, 1 to 10 bytes; never 0 to 63
0x04            a float that binary32 holds exactly: 4 bytes
0x05            any other float: 8 bytes
0x06            text: varuint length, 32 or more; UTF-8
0x07            bytes: varuint length; the bytes
0x08            a tuple: varuint length, 32 or more; the values
0x40 to 0x7F    an integer from 0 to 63
0x80 to 0x9F    text of 0 to 31 bytes
0xA0 to 0xBF    a tuple of 0 to 31 values
==============  ==========================================================================================

NaN has many forms and is refused. docs/formats/world-server.md has the same table.
"""

import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from math import isfinite, isinf, isnan
from struct import Struct
from typing import Any, Final, TypeAlias

from retick.errors import EncodeError, InvalidValue, LimitExceeded, TrailingData, Truncated, UsageError
from retick.wire.varint import decode_varuint, encode_varuint

MOST_BYTES: Final = 1024
"""The most bytes of one value."""
MOST_DEPTH: Final = 8
"""The most levels of tuples inside tuples."""

_WHOLE, _SINGLE, _DOUBLE, _TEXT, _BYTES, _TUPLE = range(3, 9)
_SMALL, _SHORT_TEXT, _SHORT_TUPLE = 0x40, 0x80, 0xA0
_SHORT: Final = 32
_F32, _F64 = struct.Struct("<f"), struct.Struct("<d")
_PLAIN: Final = (None, False, True)
_LONGEST_WHOLE: Final = 10


def encode_value(value: Any) -> bytes:
    """Encode a value; raises EncodeError for one that has no encoding."""
    out = bytearray()
    _put(out, value, 0)
    if len(out) > MOST_BYTES:
        raise EncodeError(f"a value has at most {MOST_BYTES} bytes, not {len(out)}", value=value)
    return bytes(out)


def decode_value(data: bytes) -> Any:
    """Decode the value that takes up all of ``data``."""
    value, at = decode_value_at(data, 0)
    if at != len(data):
        raise TrailingData(f"{len(data) - at} bytes follow the value", extra=len(data) - at)
    return value


def decode_value_at(data: bytes, at: int) -> tuple[Any, int]:
    """Decode the value at an offset; returns it with the offset after it."""
    value, end = _taken(data, at, 0)
    if end - at > MOST_BYTES:
        raise _too_long(end - at)
    return value, end


def _too_long(size: int) -> LimitExceeded:
    return LimitExceeded(
        f"a value has at most {MOST_BYTES} bytes, not {size}", what="value bytes", limit=MOST_BYTES, actual=size
    )


def _put(out: bytearray, value: Any, depth: int) -> None:
    if value is None or value is False or value is True:
        out.append(_PLAIN.index(value))
    elif isinstance(value, int):
        _put_whole(out, int(value))
    elif isinstance(value, float):
        _put_float(out, value)
    elif isinstance(value, str):
        try:
            text = value.encode()
        except UnicodeEncodeError as error:
            raise EncodeError(f"this text is not Unicode: {error.reason}", value=value) from None
        _put_head(out, len(text), _SHORT_TEXT, _TEXT)
        out += text
    elif isinstance(value, bytes | bytearray | memoryview):
        out.append(_BYTES)
        out += encode_varuint(len(value)) + bytes(value)
    elif isinstance(value, tuple):
        if depth == MOST_DEPTH:
            raise EncodeError(f"tuples are nested at most {MOST_DEPTH} deep", value=value)
        _put_head(out, len(value), _SHORT_TUPLE, _TUPLE)
        for each in value:
            _put(out, each, depth + 1)
    else:
        raise EncodeError(
            f"{value!r} cannot be sent: values are None, bools, integers, floats, text, bytes, and tuples of these",
            value=value,
        )


def _put_head(out: bytearray, size: int, short: int, long: int) -> None:
    if size < _SHORT:
        out.append(short + size)
    else:
        out.append(long)
        out += encode_varuint(size)


def _put_whole(out: bytearray, value: int) -> None:
    if 0 <= value < _SMALL:
        out.append(_SMALL + value)
        return
    if not -(1 << 63) <= value < 1 << 63:
        raise EncodeError(f"an integer has 64 bits, {value} has more", value=value)
    out.append(_WHOLE)
    rest = (value << 1) ^ (value >> 63)
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)


def _put_float(out: bytearray, value: float) -> None:
    if isnan(value):
        raise EncodeError("NaN cannot be sent: it has many forms", value=value)
    if _is_single(value):
        out.append(_SINGLE)
        out += _F32.pack(value)
    else:
        out.append(_DOUBLE)
        out += _F64.pack(value)


def _is_single(value: float) -> bool:
    """Whether binary32 holds the float exactly."""
    if isinf(value):
        return True
    try:
        return bool(_F32.unpack(_F32.pack(value))[0] == value)
    except OverflowError:
        return False


def _need(data: bytes, at: int, size: int) -> None:
    if size > len(data) - at:
        raise Truncated(
            f"a value takes {size} bytes at byte {at} of {len(data)}", needed=at + size, available=len(data)
        )


def _taken(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    _need(data, at, 1)
    first, at = data[at], at + 1
    if first < len(_PLAIN):
        return _PLAIN[first], at
    if _SMALL <= first < _SHORT_TEXT:
        return first - _SMALL, at
    if _SHORT_TEXT <= first < _SHORT_TUPLE:
        return _text(data, at, first - _SHORT_TEXT)
    if _SHORT_TUPLE <= first < _SHORT_TUPLE + _SHORT:
        return _items(data, at, first - _SHORT_TUPLE, depth)
    if first in _LONG:
        size, at = decode_varuint(data, at)
        if size < _SHORT:
            raise InvalidValue(f"a length of {size} has a shorter form")
        return _text(data, at, size) if first == _TEXT else _items(data, at, size, depth)
    taker = _TAKERS.get(first)
    if taker is None:
        raise InvalidValue(f"no value begins with the byte {first:#04x}")
    return taker(data, at)


def _whole(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(_LONGEST_WHOLE):
        _need(data, at + index, 1)
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            number = (value >> 1) ^ -(value & 1)
            if value >= 1 << 64 or (byte == 0 and index > 0) or 0 <= number < _SMALL:
                raise InvalidValue("an integer overflows 64 bits, or has a shorter form")
            return number, at + index + 1
    raise InvalidValue(f"an integer has more than {_LONGEST_WHOLE} bytes")


def _single(data: bytes, at: int) -> tuple[float, int]:
    _need(data, at, 4)
    return _number(_F32.unpack_from(data, at)[0]), at + 4


def _double(data: bytes, at: int) -> tuple[float, int]:
    _need(data, at, 8)
    value = _number(_F64.unpack_from(data, at)[0])
    if _is_single(value):
        raise InvalidValue(f"the float {value!r} has a shorter form")
    return value, at + 8


def _number(value: float) -> float:
    if isnan(value):
        raise InvalidValue("a float is NaN")
    return value


def _octets(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = decode_varuint(data, at)
    _need(data, at, size)
    return bytes(data[at : at + size]), at + size


def _text(data: bytes, at: int, size: int) -> tuple[str, int]:
    _need(data, at, size)
    try:
        return bytes(data[at : at + size]).decode(), at + size
    except UnicodeDecodeError:
        raise InvalidValue("a text is not UTF-8") from None


def _items(data: bytes, at: int, count: int, depth: int) -> tuple[tuple[Any, ...], int]:
    if depth == MOST_DEPTH:
        raise LimitExceeded(
            f"tuples are nested at most {MOST_DEPTH} deep", what="tuple depth", limit=MOST_DEPTH, actual=depth + 1
        )
    _need(data, at, count)  # a value has at least one byte
    items = []
    for _ in range(count):
        value, at = _taken(data, at, depth + 1)
        items.append(value)
    return tuple(items), at


_LONG: Final = (_TEXT, _TUPLE)
_TAKERS: Final[dict[int, Callable[[bytes, int], tuple[Any, int]]]] = {
    _WHOLE: _whole,
    _SINGLE: _single,
    _DOUBLE: _double,
    _BYTES: _octets,
}


# Numbers as packets carry them: binary32, or whole, and within bounds.
#
# Python computes in binary64. A value that both ends of a connection must agree on to the bit is rounded to binary32
# where it is made. The copy that was sent and the one that stayed are then equal.

# retick: floats -- rounding only; correctly rounded by IEEE 754, so the same on every machine


LARGEST: Final = 3.4028234663852886e38
"""The largest finite binary32; rounding stops here and never makes an infinity."""

LARGEST_INT: Final = 2147483647
"""The largest signed 32-bit integer."""

PI: Final = 3.1415927410125732
"""Pi rounded to binary32, which is a little more than pi."""

Bounds: TypeAlias = tuple[float, float]
"""Lowest and highest value, both allowed. Two ints bound a whole number."""

_BINARY32: Final = Struct("<f")


def round32(value: float) -> float:
    """The binary32 nearest to ``value``, ties to even. A finite value stays finite: at most the largest."""
    if not -LARGEST <= value <= LARGEST and isfinite(value):
        return LARGEST if value > 0 else -LARGEST
    rounded: float = _BINARY32.unpack(_BINARY32.pack(value))[0]
    return rounded


def within_bounds(name: str, bounds: Bounds, value: float) -> float:
    """``value`` as a packet can carry it, whole or rounded to binary32; raises UsageError if it is out of bounds."""
    low, high = bounds
    whole = isinstance(high, int)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:.10g} to {high:.10g}, not {value!r}")
    if whole and value != int(value):
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    return int(value) if whole else round32(value)


# Figures as plain data: what JSON, a data frame or a plot takes.

# retick: floats -- measurements for people; nothing is simulated from them


def plain(value: Any) -> Any:
    """Convert ``value`` to numbers, texts, None, lists and dicts with text keys; floats that are not finite to None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(one) for name, one in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return str(value)


class Plain:
    """Base class of figures: dataclasses that can be converted to plain data."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """Copy every field by name, ready for JSON: see :func:`plain`."""
        found: dict[str, Any] = plain(self)
        return found
