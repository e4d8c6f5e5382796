"""Captures as pcapng files, which Wireshark and tshark open. Only blocks that are needed are written.

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

from retick.errors import UsageError
from retick.packets.udp_headers import MOST_DATA, Place, with_headers
from retick.transport.capture import Recorded

__all__ = ["LOCAL_PORT", "Exporter", "parse_place"]

LOCAL_PORT = 7777
"""Of the side that captured, which a capture does not know."""
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_RAW_IP = 101
_APPLICATION, _NAME, _FLAGS = 4, 2, 2
"""Options of a section, an interface and a packet."""
_LOCAL: dict[int, IPv4Address | IPv6Address] = {4: IPv4Address("192.0.2.1"), 6: IPv6Address("2001:db8::1")}
"""Addresses for documentation: nobody has them."""
_FIRST_STAND_IN = int(IPv4Address("198.18.0.1"))
_MOST_STAND_INS = 1 << 16
"""Names beyond these share the last address. 198.18.0.0/15 is for tests of networks."""


class Exporter:
    """Writes the records of a capture one after the other; nothing of them is kept but the names of simulated peers."""

    def __init__(self, local: Place | None = None) -> None:
        """``local`` is the address of the side that captured, where it is known."""
        self._local = local
        self._stand_ins: dict[str, Place] = {}
        self.written = 0
        self.left_out = 0
        """Too long for UDP."""

    def blocks(self, records: Iterable[Recorded]) -> Iterator[bytes]:
        """The parts of the file."""
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
            here = Place(_LOCAL[there.ip.version], LOCAL_PORT if here is None else here.port)
        source, target = (here, there) if record.sent else (there, here)
        packet = with_headers(source, target, record.data)
        time = max(0, round(record.time * 1e6))
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(packet), len(packet))
        flags = (_FLAGS, struct.pack("<I", 2 if record.sent else 1))
        return _block(_PACKET, head + _padded(packet) + _options(flags))

    def _place_of(self, address: str) -> Place:
        """The real one, or one that stands for a name on a simulated network."""
        try:
            return parse_place(address)
        except UsageError:
            number = min(len(self._stand_ins), _MOST_STAND_INS - 1)
            place = self._stand_ins.get(address, Place(IPv4Address(_FIRST_STAND_IN + number), LOCAL_PORT))
            if len(self._stand_ins) < _MOST_STAND_INS:
                self._stand_ins[address] = place
            return place


def parse_place(text: str) -> Place:
    """IP and port of ``192.0.2.7:7777`` or ``[2001:db8::7]:7777``; UsageError for anything else."""
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        if not colon or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise ValueError(port)
        ip: IPv4Address | IPv6Address = ip_address(bare)
        return Place(ip, int(port))
    except ValueError:
        raise UsageError(f"{text[:60]!r} is no IP address with a port, such as 192.0.2.7:7777") from None


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    written = b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options)
    return written + struct.pack("<HH", 0, 0)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length
