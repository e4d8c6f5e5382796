"""IP and UDP headers: known packets byte by byte, and sums that come out even."""

import struct
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import EncodeError
from retick.packets.pcapng import MOST_DATA, SocketPlace, with_headers

PORTS = st.integers(1, 65535)


def total(data: bytes) -> int:
    """The sum of RFC 1071, in the plainest way: a whole header with its checksum gives 0xFFFF."""
    data += b"\0" * (len(data) % 2)
    found = 0
    for at in range(0, len(data), 2):
        found += data[at] << 8 | data[at + 1]
        found = (found & 0xFFFF) + (found >> 16)
    return found


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), PORTS, PORTS, st.binary(max_size=99))
def test_ipv4_sums_are_right(a: IPv4Address, b: IPv4Address, here: int, there: int, data: bytes) -> None:
    packet = with_headers(SocketPlace(a, here), SocketPlace(b, there), data)
    assert packet[0] == 0x45
    assert total(packet[:20]) == 0xFFFF
    assert struct.unpack(">H", packet[2:4])[0] == len(packet)
    assert struct.unpack(">HHH", packet[20:26]) == (here, there, 8 + len(data))
    assert total(packet[12:20] + b"\0\x11" + packet[24:26] + packet[20:]) == 0xFFFF
    assert packet[26:28] != b"\0\0"
    assert packet[28:] == data


@given(st.ip_addresses(v=6), st.ip_addresses(v=6), PORTS, PORTS, st.binary(max_size=99))
def test_ipv6_sums_are_right(a: IPv6Address, b: IPv6Address, here: int, there: int, data: bytes) -> None:
    packet = with_headers(SocketPlace(a, here), SocketPlace(b, there), data)
    assert packet[0] == 0x60
    assert packet[8:40] == a.packed + b.packed
    assert total(packet[8:40] + packet[44:46] + b"\0\x11" + packet[40:]) == 0xFFFF
    assert packet[48:] == data


def test_what_does_not_fit_is_refused() -> None:
    home = SocketPlace(IPv4Address("192.0.2.1"), 1)
    assert len(with_headers(home, home, bytes(MOST_DATA))) == 65535
    with pytest.raises(EncodeError, match="at most"):
        with_headers(home, home, bytes(MOST_DATA + 1))
