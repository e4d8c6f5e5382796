"""Real sockets on loopback: sending, receiving, both families, and errors in one line."""

import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import NetworkUnavailable, UsageError
from retick.transport import UdpSocket, open_udp, parse_address
from tests.effort import examples


@pytest.fixture
def sockets() -> Iterator[list[UdpSocket]]:
    opened: list[UdpSocket] = []
    yield opened
    for sock in opened:
        sock.close()


def has_ipv6() -> bool:
    try:
        open_udp("::1").close()
    except NetworkUnavailable:
        return False
    return True


def received(sock: UdpSocket) -> tuple[bytes, object]:
    """Loopback is quick but not instant: try for a while, as a poll would."""
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        found = sock.receive()
        if found is not None:
            return found
    raise AssertionError("nothing arrived")


def test_datagrams_cross_loopback_and_reading_never_waits(sockets: list[UdpSocket]) -> None:
    first, second = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    sockets += [first, second]
    assert first.receive() is None
    assert first.send(b"hello", second.resolve("127.0.0.1", second.address[1]))
    assert received(second) == (b"hello", first.address)
    assert second.receive() is None


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_ipv6_and_a_socket_for_both_families(sockets: list[UdpSocket]) -> None:
    both, six, four = open_udp("::"), open_udp("::1"), open_udp("127.0.0.1")
    sockets += [both, six, four]
    port = both.address[1]
    assert six.send(b"six", six.resolve("::1", port))
    data, from_six = received(both)
    assert data == b"six"
    assert four.send(b"four", four.resolve("127.0.0.1", port))
    data, from_four = received(both)
    assert data == b"four"
    both.send(b"back", from_four)
    assert received(four)[0] == b"back"
    assert both.resolve("127.0.0.1", four.address[1]) == from_four == ("127.0.0.1", four.address[1])
    assert from_six == ("::1", six.address[1])
    both.send(b"back", from_six)
    assert received(six)[0] == b"back"


def test_a_port_in_use_is_named(sockets: list[UdpSocket]) -> None:
    sockets.append(open_udp("127.0.0.1"))
    port = sockets[0].address[1]
    with pytest.raises(NetworkUnavailable, match=f"port {port} is in use: choose another"):
        open_udp("127.0.0.1", port)


@pytest.mark.parametrize("host", ["\udc80", "a\0b", "x" * 300, "\u00e9" * 80, "\x1b[31m"])
def test_a_name_that_no_host_can_have_is_refused_in_words(host: str) -> None:
    with pytest.raises(NetworkUnavailable, match="is not an address"):
        open_udp(host)


def test_an_address_that_is_not_ours_is_named() -> None:
    with pytest.raises(NetworkUnavailable, match="not an address of this machine"):
        open_udp("192.0.2.77", 0)
    with pytest.raises(UsageError, match="0 to 65535"):
        open_udp(port=70000)


def test_a_name_that_is_not_known_and_a_missing_route_are_named(
    sockets: list[UdpSocket], monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets.append(open_udp("127.0.0.1"))

    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", unknown)
        with pytest.raises(NetworkUnavailable, match="no address is known for 'nowhere'"):
            sockets[0].resolve("nowhere", 1)
    with pytest.raises(NetworkUnavailable, match="no route to"):
        # Stands for every address that the system refuses: broadcast needs a leave that the probe does not have.
        sockets[0]._check_route(("255.255.255.255", 9))
    with pytest.raises(NetworkUnavailable, match="has no IPv4 address"):
        sockets[0].resolve("::1", 1)


def test_what_the_system_does_not_take_is_counted_and_not_raised(sockets: list[UdpSocket]) -> None:
    sock = open_udp("127.0.0.1")
    sockets.append(sock)
    assert not sock.send(bytes(70_000), ("127.0.0.1", 9))
    assert sock.dropped == {"EMSGSIZE": 1}
    sock.close()
    assert sock.receive() is None
    assert not sock.send(b"x", ("127.0.0.1", 9))
    assert sock.dropped == {"EMSGSIZE": 1, "EBADF": 1}


@pytest.mark.parametrize("raised", [OSError(), TypeError(), UnicodeEncodeError("idna", "", 0, 1, ""), OverflowError()])
def test_whatever_the_system_raises_at_a_send_is_counted(raised: Exception) -> None:
    sock = open_udp("127.0.0.1")

    def refuse(data: bytes, address: Any) -> None:
        raise raised

    sock.send_through(refuse)
    assert not sock.send(b"x", ("127.0.0.1", 9))
    assert sock.dropped == {"bad_address": 1}
    sock.send_through(None)
    assert sock.send(b"x", ("127.0.0.1", 9))
    sock.close()


hosts = st.one_of(
    st.text(max_size=20),
    st.ip_addresses().map(str),
    st.builds("{}%{}".format, st.ip_addresses(v=6), st.text(max_size=5)),
)
numbers = st.one_of(st.integers(-5, 70_000), st.integers(), st.floats(), st.none(), st.text(max_size=2))
made_up = st.one_of(hosts, st.lists(numbers), st.tuples(hosts, numbers), st.tuples(hosts, numbers, numbers, numbers))


@settings(max_examples=examples(300))
@given(made_up)
def test_no_address_makes_a_send_raise(address: Any) -> None:
    """Nothing leaves: what the system itself raises is in the test above."""
    for family in (socket.AF_INET, socket.AF_INET6):
        with socket.socket(family, socket.SOCK_DGRAM) as raw:
            sock = UdpSocket(raw)
            sock.send_through(lambda data, native: native)
            assert sock.send(b"x", address) == (not sock.dropped)


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("host", ["fe80::1%é", "fe80::1%lo", "::1%1", "fe80::1%\0", "fe80::1%" + "x" * 300])
def test_a_scope_in_the_text_of_an_address_is_never_given_to_the_system(host: str) -> None:
    sock = open_udp("::")
    assert not sock.send(b"x", (host, 9))
    assert not sock.send(b"x", (host, 9, 0, 1))
    assert sock.dropped == {"bad_address": 2}
    sock.close()


def test_a_scope_of_the_system_is_kept_as_a_number(sockets: list[UdpSocket]) -> None:
    sockets.append(open_udp("127.0.0.1"))
    assert sockets[0].shown(("fe80::1%eth0", 9, 0, 2)) == ("fe80::1", 9, 0, 2)
    assert sockets[0].shown(("fe80::1", 9, 0, 0)) == ("fe80::1", 9)


@pytest.mark.parametrize("host", ["x\0y", "\ud800", "a" * 70, "fe80::1%é", "host name"])
def test_a_host_that_no_system_can_look_up_is_told_in_one_line(sockets: list[UdpSocket], host: str) -> None:
    sockets.append(open_udp("127.0.0.1"))
    with pytest.raises(NetworkUnavailable, match="no address is known for"):
        sockets[0].resolve(host, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("host", ("host", 7777)),
        ("host:99", ("host", 99)),
        ("[::1]:99", ("::1", 99)),
        ("[::1]", ("::1", 7777)),
        ("fe80::1", ("fe80::1", 7777)),
        ("10.0.0.1:65535", ("10.0.0.1", 65535)),
    ],
)
def test_addresses_are_parsed(text: str, expected: tuple[str, int]) -> None:
    assert parse_address(text, default_port=7777) == expected


@pytest.mark.parametrize("text", ["", ":99", "host:", "host:0", "host:70000", "host:x", "[::1]99", "host:-1", "host:²"])
def test_addresses_that_are_none_are_refused(text: str) -> None:
    if text == "host:":
        assert parse_address(text, default_port=1) == ("host", 1)
        return
    with pytest.raises(UsageError):
        parse_address(text, default_port=7777)


@pytest.mark.parametrize(
    "address",
    [
        "name",
        ("name", 1),
        ("a" * 70, 1),
        ("x\0y", 1),
        ("\ud800", 1),
        ("::1", 1),
        ("127.0.0.1", 70000),
        ("127.0.0.1", "1"),
        ("127.0.0.1",),
        (1, 2),
    ],
    ids=repr,
)
def test_an_address_that_somebody_made_up_is_loss_and_nothing_is_looked_up(
    sockets: list[UdpSocket], address: Any
) -> None:
    sockets.append(open_udp("127.0.0.1"))
    assert not sockets[0].send(b"hello", address)
    assert not sockets[0].send(b"hello", address)
    assert sockets[0].dropped == {"bad_address": 2}


def test_the_memory_of_addresses_is_bounded(sockets: list[UdpSocket]) -> None:
    sockets.append(open_udp("127.0.0.1"))
    for port in range(10_000):
        sockets[0].native(("name", port))
    assert len(sockets[0]._natives) <= 4096


IP_RECVTTL = 12
"""Of Linux; the socket module has no name for it."""


def ttl_of(sock: UdpSocket) -> int:
    """The TTL of the datagram that waits."""
    raw = sock.raw
    raw.setblocking(True)
    raw.settimeout(5.0)
    _, extra, _, _ = raw.recvmsg(2048, 64)
    return int.from_bytes(extra[0][2][:4], sys.byteorder)


@pytest.mark.skipif(sys.platform != "linux", reason="how the TTL of what arrives is read differs elsewhere")
@pytest.mark.parametrize("sender", ["127.0.0.1", "::"])
def test_a_ttl_is_set_for_one_datagram(sockets: list[UdpSocket], sender: str) -> None:
    if sender == "::" and not has_ipv6():
        pytest.skip("no IPv6 here")
    receiver, first = open_udp("127.0.0.1"), open_udp(sender)
    sockets += [receiver, first]
    receiver.raw.setsockopt(socket.IPPROTO_IP, IP_RECVTTL, 1)
    found = []
    for ttl in (None, 3, None):
        assert first.send(b"x", ("127.0.0.1", receiver.address[1]), ttl)
        found.append(ttl_of(receiver))
    assert found[1] == 3
    assert found[0] == found[2] > 3


def test_a_ttl_that_cannot_be_set_is_ignored(sockets: list[UdpSocket]) -> None:
    receiver, first = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    sockets += [receiver, first]
    for ttl in (300, 1 << 70):
        assert first.send(b"x", receiver.address, ttl)
    sent: list[tuple[bytes, Any]] = []
    first.send_through(lambda data, address: sent.append((data, address)))
    assert first.send(b"by a loop", receiver.address, 3)
    assert sent == [(b"by a loop", receiver.address)]
