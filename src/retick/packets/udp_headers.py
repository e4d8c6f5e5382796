"""IP and UDP headers for datagrams that were captured above them, with right checksums.

::

    IPv4  version and length 0x45, service 0, total length, id 0, flags 0x4000, time to live 64, protocol 17, checksum,
          source, destination                                                                              RFC 791
    IPv6  version 6, class and flow 0, payload length, next header 17, hop limit 64, source, destination   RFC 8200
    UDP   source port, destination port, length, checksum over a pseudo header and the data                RFC 768

Big-endian, as the network has it.
"""

import struct
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from retick.errors import EncodeError

__all__ = ["MOST_DATA", "Place", "with_headers"]

MOST_DATA = 65507
"""Bytes that fit one UDP datagram over IPv4."""
_UDP = 17
_IPV4 = struct.Struct(">BBHHHBBH4s4s")
_IPV6 = struct.Struct(">IHBB16s16s")
_HEAD = struct.Struct(">HHHH")


class Place(NamedTuple):
    """An IP address and a port."""

    ip: IPv4Address | IPv6Address
    port: int


def with_headers(source: Place, target: Place, data: bytes) -> bytes:
    """A whole IP packet; both addresses are of the same family. EncodeError for what is too long."""
    if len(data) > MOST_DATA:
        raise EncodeError(f"a UDP datagram has at most {MOST_DATA} bytes, not {len(data)}")
    length = _HEAD.size + len(data)
    addresses = source.ip.packed + target.ip.packed
    if source.ip.version == 4:
        pseudo = addresses + struct.pack(">BBH", 0, _UDP, length)
    else:
        pseudo = addresses + struct.pack(">II", length, _UDP)
    plain = _HEAD.pack(source.port, target.port, length, 0)
    # Zero would mean that there is no checksum; all ones is the same number in this arithmetic.
    check = _checksum(pseudo + plain + data) or 0xFFFF
    udp = _HEAD.pack(source.port, target.port, length, check) + data
    if source.ip.version == 6:
        return _IPV6.pack(6 << 28, length, _UDP, 64, source.ip.packed, target.ip.packed) + udp
    fields = (0x45, 0, _IPV4.size + length, 0, 0x4000, 64, _UDP)
    head = _IPV4.pack(*fields, 0, source.ip.packed, target.ip.packed)
    return _IPV4.pack(*fields, _checksum(head), source.ip.packed, target.ip.packed) + udp


def _checksum(data: bytes) -> int:
    """The complement of the sum of 16-bit words, with carries added back. RFC 1071."""
    words = struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2))
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
