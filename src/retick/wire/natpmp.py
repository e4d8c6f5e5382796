"""NAT-PMP (RFC 6886): asks a home router for its outside address, and to forward a UDP port.

All numbers are big-endian. A request for the address is two zeros; for a mapping of UDP:

======  ====  ======================================================
offset  size
======  ====  ======================================================
0       1     version, 0
1       1     1: map a UDP port
2       2     0
4       2     inside port
6       2     outside port that is wanted; 0 to remove the mapping
8       4     seconds to keep it; 0 removes it
======  ====  ======================================================

Answers have the request's second byte plus 128, a result (0 is good), and the router's uptime in seconds; then the
outside address (12 bytes in all), or inside port, outside port and seconds (16 bytes in all).
"""

import struct
from ipaddress import IPv4Address
from typing import Final, NamedTuple

from retick.errors import InvalidValue, Truncated, UnsupportedVersion

__all__ = ["PORT", "MappedPort", "OutsideAddress", "ask_address", "ask_mapping", "decode_answer"]

PORT: Final = 5351
"""UDP port of the router."""
_MAP: Final = struct.Struct(">BBHHHI")
_HEAD: Final = struct.Struct(">BBHI")
_MAPPED: Final = struct.Struct(">HHI")
_ADDRESS_SIZE: Final = 12
_MAPPED_SIZE: Final = 16
_ASK_ADDRESS, _MAP_UDP, _ANSWER = 0, 1, 128


class OutsideAddress(NamedTuple):
    """The answer to ``ask_address``."""

    result: int
    """0 is good; 1 version, 2 not allowed, 3 the network is down, 4 no ports left, 5 not supported."""
    host: IPv4Address


class MappedPort(NamedTuple):
    """The answer to ``ask_mapping``."""

    result: int
    inside: int
    outside: int
    seconds: int


def ask_address() -> bytes:
    return bytes((0, _ASK_ADDRESS))


def ask_mapping(inside: int, outside: int, seconds: int) -> bytes:
    return _MAP.pack(0, _MAP_UDP, 0, inside, outside, seconds)


def decode_answer(data: bytes) -> OutsideAddress | MappedPort:
    """The answer; bytes after its end are left unread, as of a router that speaks a newer version."""
    if len(data) < _HEAD.size:
        raise _cut(data, _HEAD.size)
    version, kind, result, _ = _HEAD.unpack_from(data)
    if version != 0:
        raise UnsupportedVersion(f"version {version} is not NAT-PMP's 0", version=version)
    if kind not in (_ANSWER + _ASK_ADDRESS, _ANSWER + _MAP_UDP):
        raise InvalidValue(f"{kind} is no kind of an answer of NAT-PMP")
    size = _ADDRESS_SIZE if kind == _ANSWER + _ASK_ADDRESS else _MAPPED_SIZE
    rest = data[_HEAD.size : size]
    if len(data) < size:
        if result == 0:
            raise _cut(data, size)
        rest = bytes(size - _HEAD.size)  # a router that refuses may leave the rest out
    if size == _ADDRESS_SIZE:
        return OutsideAddress(result, IPv4Address(rest))
    return MappedPort(result, *_MAPPED.unpack(rest))


def _cut(data: bytes, size: int) -> Truncated:
    text = f"this answer of NAT-PMP has {size} bytes or more, not {len(data)}"
    return Truncated(text, needed=size, available=len(data))
