"""Writes captures as pcapng files, which Wireshark and tshark open, with no more blocks than needed.

::

    every block       type u32, length u32, body padded to 4 bytes, length u32 again
    section header    0x0A0D0D0A   byte order 0x1A2B3C4D u32, version 1 0 u16 u16, section length -1 i64, options
    interface         1            link type 101 (raw IP) u16, 0 u16, longest packet u32 (0: any), options
    enhanced packet   6            interface u32, microseconds u32 high u32 low, length u32 twice, packet, options
    option            code u16, length u16, value padded to 4 bytes; 0 0 ends them

Little-endian. The direction of a packet is the option 2 (flags): 1 received, 2 sent.
"""

import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from retick.errors import EncodeError, UsageError
from retick.transport.capture import Recorded

# IP and UDP headers, with right checksums, for datagrams that were captured above these layers.
#
# ::
#
#     IPv4  version and length 0x45, service 0, total length, id 0, flags 0x4000, time to live 64, protocol 17,
#           checksum, source, destination                                                                    RFC 791
#     IPv6  version 6, class and flow 0, payload length, next header 17, hop limit 64, source, destination   RFC 8200
#     UDP   source port, destination port, length, checksum over a pseudo header and the data                RFC 768
#
# Big-endian, as the network has it.

MOST_DATA = 65507
"""Most bytes of a UDP datagram over IPv4."""
_UDP = 17
_IPV4 = struct.Struct(">BBHHHBBH4s4s")
_IPV6 = struct.Struct(">IHBB16s16s")
_HEAD = struct.Struct(">HHHH")


class SocketPlace(NamedTuple):
    """An IP address and a port."""

    ip: IPv4Address | IPv6Address
    port: int


def with_headers(source: SocketPlace, target: SocketPlace, data: bytes) -> bytes:
    """Make a whole IP packet; both addresses have the same family. EncodeError if the data is too long."""
    if len(data) > MOST_DATA:
        raise EncodeError(f"a UDP datagram has at most {MOST_DATA} bytes, not {len(data)}")
    length = _HEAD.size + len(data)
    addresses = source.ip.packed + target.ip.packed
    if source.ip.version == 4:
        pseudo = addresses + struct.pack(">BBH", 0, _UDP, length)
    else:
        pseudo = addresses + struct.pack(">II", length, _UDP)
    plain = _HEAD.pack(source.port, target.port, length, 0)
    # Zero would mean "no checksum"; all ones is the same number in this arithmetic.
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


LOCAL_PORT = 7777
"""Port of the side that captured, which a capture does not record."""
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_RAW_IP = 101
_APPLICATION, _NAME, _FLAGS = 4, 2, 2
"""Option codes of a section, an interface and a packet."""
_LOCAL: dict[int, IPv4Address | IPv6Address] = {4: IPv4Address("192.0.2.1"), 6: IPv6Address("2001:db8::1")}
"""Addresses reserved for documentation, by IP version."""
_FIRST_STAND_IN = int(IPv4Address("198.18.0.1"))
_MOST_STAND_INS = 1 << 16
"""Further names share the last address. 198.18.0.0/15 is reserved for network tests."""


class Exporter:
    """Writes the records of a capture one after the other; only the names of simulated peers are kept."""

    def __init__(self, local: SocketPlace | None = None) -> None:
        """``local`` is the address of the side that captured, if known."""
        self._local = local
        self._stand_ins: dict[str, SocketPlace] = {}
        self.written = 0
        self.left_out = 0
        """Records that are too long for UDP."""

    def blocks(self, records: Iterable[Recorded]) -> Iterator[bytes]:
        """The blocks of the file."""
        section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        yield _block(_SECTION, section + _options((_APPLICATION, b"retick")))
        yield _block(_INTERFACE, struct.pack("<HHI", _RAW_IP, 0, 0) + _options((_NAME, b"retick")))
        for record in records:
            if len(record.data) > MOST_DATA:
                self.left_out += 1
                continue
            self.written += 1
            yield self._packet(record)

    def _packet(self, record: Recorded) -> bytes:
        there = self._place_of(record.address)
        here = self._local
        if here is None or here.ip.version != there.ip.version:
            here = SocketPlace(_LOCAL[there.ip.version], LOCAL_PORT if here is None else here.port)
        source, target = (here, there) if record.sent else (there, here)
        packet = with_headers(source, target, record.data)
        time = max(0, round(record.time * 1e6))
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(packet), len(packet))
        flags = (_FLAGS, struct.pack("<I", 2 if record.sent else 1))
        return _block(_PACKET, head + _padded(packet) + _options(flags))

    def _place_of(self, address: str) -> SocketPlace:
        """Parse an address, or choose one that stands for a name on a simulated network."""
        try:
            return parse_place(address)
        except UsageError:
            number = min(len(self._stand_ins), _MOST_STAND_INS - 1)
            place = self._stand_ins.get(address, SocketPlace(IPv4Address(_FIRST_STAND_IN + number), LOCAL_PORT))
            if len(self._stand_ins) < _MOST_STAND_INS:
                self._stand_ins[address] = place
            return place


def parse_place(text: str) -> SocketPlace:
    """Parse an address such as ``192.0.2.7:7777`` or ``[2001:db8::7]:7777``; UsageError for anything else."""
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        if not colon or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise ValueError(port)
        ip: IPv4Address | IPv6Address = ip_address(bare)
        return SocketPlace(ip, int(port))
    except ValueError:
        raise UsageError(f"{text[:60]!r} is not an IP address with a port, such as 192.0.2.7:7777") from None


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    written = b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options)
    return written + struct.pack("<HH", 0, 0)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length
