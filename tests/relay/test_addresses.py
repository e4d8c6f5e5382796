"""Addresses as a relay sees them."""

from ipaddress import ip_address

from retick.relay.rooms import origin_at, seen_at


def test_ipv4_is_shown_as_such_also_on_a_socket_for_both_families() -> None:
    for address in (("192.0.2.1", 7), ("::ffff:192.0.2.1", 7, 0, 0)):
        assert seen_at(address) == (ip_address("192.0.2.1"), 7)
    assert seen_at(("2001:db8::1", 7, 0, 0)) == (ip_address("2001:db8::1"), 7)


def test_what_is_no_address_of_a_socket_is_not_shown() -> None:
    for address in ("name", ("name", 7), (1, 2), ("192.0.2.1",), None):
        assert seen_at(address) is None
        assert origin_at(address) == address


def test_one_sender_is_an_ipv4_address_or_a_network_of_ipv6() -> None:
    assert origin_at(("192.0.2.1", 7)) == origin_at(("::ffff:192.0.2.1", 8, 0, 0)) != origin_at(("192.0.2.2", 7))
    assert origin_at(("2001:db8::1", 7)) == origin_at(("2001:db8::2:0:0:1", 9, 0, 0)) != origin_at(("2001:db9::1", 7))
