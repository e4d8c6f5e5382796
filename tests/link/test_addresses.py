"""Addresses from the wire: of one peer each, written in one way, and not of somebody's own computer."""

import ipaddress
from collections.abc import Hashable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.link.addresses import check_reachable, is_reachable, origin_of, pack_address, unpack_address
from tests.rollback.session.messages.values import addresses


@given(addresses)
def test_an_address_is_read_as_it_was_written(address: Hashable) -> None:
    assert unpack_address(pack_address(address)) == address


@given(st.one_of(st.binary(max_size=90), st.builds(lambda host: host.encode() + b" 7", st.text(max_size=40))))
def test_any_bytes_are_the_address_of_one_peer_or_a_decode_error(data: bytes) -> None:
    try:
        address = unpack_address(data)
    except DecodeError:
        return
    if isinstance(address, tuple):
        host, port = address
        assert 1 <= port <= 65535
        assert not ipaddress.ip_address(host).is_multicast
    else:
        assert str(address).isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "224.0.0.1 7777",
        "239.255.255.250 1900",
        "255.255.255.255 7777",
        "0.0.0.0 7777",
        "0.1.2.3 7777",
        "240.0.0.1 7777",
        "ff02::1 7777",
        ":: 7777",
        "::ffff:224.0.0.1 7777",
        "::ffff:0.0.0.0 7777",
        "fe80::1%eth0 7777",
        "fe80::1%\u00e9 7777",
        "fe80::1% 7777",
        "10.0.0.2 0",
        "10.0.0.2 65536",
        "10.0.0.2 -1",
        "10.0.0.2 +7",
        "10.0.0.2 \u0667",
        "\u0661.2.3.4 7777",
        "010.0.0.2 7777",
        "10.2 7777",
        "victim.example 7777",
        " 7777",
        "two words",
        "a\x1b[2Jname",
    ],
)
def test_what_is_not_the_address_of_one_peer_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        unpack_address(text.encode())


def test_a_scope_is_left_out_because_it_means_nothing_to_others() -> None:
    assert pack_address(("fe80::1%eth0", 7777, 0, 2)) == b"fe80::1 7777"


def test_an_address_of_another_kind_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="address"):
        pack_address(17)


LAN, WAN, HERE, SIX = ("192.168.1.5", 7), ("198.51.100.7", 7), ("127.0.0.1", 7), ("::1", 7)


@pytest.mark.parametrize(
    ("address", "through", "is_good"),
    [
        (LAN, WAN, True),
        (WAN, LAN, True),
        (LAN, HERE, True),
        (HERE, HERE, True),
        (HERE, SIX, True),
        (("::ffff:127.0.0.1", 7), ("::1", 7, 0, 0), True),
        (HERE, LAN, False),
        (SIX, WAN, False),
        (("127.9.9.9", 7), ("fe80::1%eth0", 7, 0, 2), False),
        (("::ffff:127.0.0.1", 7), WAN, False),
        ("peer1", "peer0", True),
        ("peer1", LAN, False),
        (LAN, "peer0", False),
        ("", "peer0", False),
        (LAN, None, True),
        (HERE, None, False),
    ],
)
def test_only_an_address_of_the_sort_of_its_sender_may_be_dialled(address: Any, through: Any, is_good: bool) -> None:
    assert is_reachable(address, through) == is_good
    if not is_good:
        with pytest.raises(InvalidValue, match="cannot be dialled"):
            check_reachable(address, through)


def test_an_ipv4_address_that_ipv6_maps_is_one_stranger_and_no_network() -> None:
    """A socket for both kinds shows every IPv4 address so: they must not share one budget."""
    one, other = ("::ffff:192.0.2.1", 7), ("::ffff:192.0.2.2", 7)
    assert origin_of(one) != origin_of(other)
    assert origin_of(one) == origin_of(("192.0.2.1", 9))
