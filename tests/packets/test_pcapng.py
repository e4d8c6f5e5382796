"""pcapng files, read back by a reader of a few lines; tests of the dissector read them with tshark."""

import struct
from collections.abc import Iterator
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.packets import pcapng
from retick.packets.pcapng import Exporter, parse_place
from retick.transport.capture import Recorded

HERE = parse_place("192.0.2.9:5000")


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        kind, length = struct.unpack_from("<II", data)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, length - 4)[0] == length
        yield kind, data[8 : length - 4]
        data = data[length:]


def written(*records: Recorded) -> list[tuple[int, int, bytes]]:
    """Time, direction and IP packet of each."""
    section, interface, *packets = blocks(b"".join(Exporter(HERE).blocks(records)))
    assert (section[0], interface[0]) == (0x0A0D0D0A, 1)
    assert interface[1][:2] == b"\x65\0"
    found = []
    for kind, body in packets:
        number, high, low, kept, length = struct.unpack_from("<IIIII", body)
        assert (kind, number, kept) == (6, 0, length)
        after = body[20 + length + -length % 4 :]
        assert after[:4] == b"\x02\0\x04\0"
        found.append((high << 32 | low, after[4], body[20 : 20 + length]))
    return found


@given(
    st.lists(
        st.builds(
            Recorded,
            st.integers(0, 10**12).map(lambda micro: micro / 1e6),
            st.booleans(),
            st.sampled_from(["198.51.100.7:70", "[2001:db8::7]:70", "[fe80::1%eth0]:9", "joiner", "", "1.2.3.4:0"]),
            st.binary(max_size=40),
        ),
        max_size=5,
    )
)
def test_every_datagram_is_there_with_time_and_direction(records: list[Recorded]) -> None:
    for record, (time, direction, packet) in zip(records, written(*records), strict=True):
        assert abs(time - record.time * 1e6) <= 1
        assert direction == (2 if record.sent else 1)
        assert packet.endswith(record.data)


def test_addresses_are_the_real_ones_or_stand_for_a_name() -> None:
    _, _, real = written(Recorded(0.0, True, "198.51.100.7:70", b"x"))[0]
    assert real[12:20] == HERE.ip.packed + ip_address("198.51.100.7").packed
    assert struct.unpack(">HH", real[20:24]) == (5000, 70)
    _, _, back = written(Recorded(0.0, False, "198.51.100.7:70", b"x"))[0]
    assert back[12:20] == ip_address("198.51.100.7").packed + HERE.ip.packed
    named = [packet for _, _, packet in written(*(Recorded(0.0, True, name, b"x") for name in ("a", "b", "a")))]
    assert named[0] == named[2] != named[1]
    assert named[1][16:20] == ip_address("198.18.0.2").packed


def test_names_beyond_the_limit_share_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pcapng, "_MOST_STAND_INS", 2)
    named = [packet[16:20] for _, _, packet in written(*(Recorded(0.0, True, name, b"") for name in "abcd"))]
    assert named[1] == named[2] == named[3] != named[0]


def test_what_is_too_long_is_left_out_and_counted() -> None:
    exporter = Exporter()
    list(exporter.blocks([Recorded(0.0, True, "a", bytes(65508)), Recorded(0.0, True, "a", b"")]))
    assert (exporter.written, exporter.left_out) == (1, 1)


@pytest.mark.parametrize(
    "text", ["", "host:7777", "192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536", "::1", "1.2.3.4:\u0663"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not an IP address"):
        parse_place(text)
