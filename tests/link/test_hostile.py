"""Any bytes from any address: dropped, counted, no exception, no change of state."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.link.reasons import DROPS
from tests.effort import examples
from tests.link.pair import connected, fingerprint, make_endpoint, total

KINDS = [0x80, 0x85, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0x52, 0xFF]


addresses = st.sampled_from(["host", "guest", "stranger", ("192.0.2.1", 9)])


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=60), addresses), min_size=1, max_size=20))
def test_random_bytes_are_counted_and_change_nothing(noise: list[tuple[int, bytes, Any]]) -> None:
    pair, _ = connected()
    before = fingerprint(pair.host)
    for i, (kind, data, address) in enumerate(noise):
        pair.host.receive_datagram(bytes([kind]) + data, address, now=1.0)
        assert total(pair.host) == i + 1
    assert fingerprint(pair.host) == before
    assert set(pair.host.dropped) == set(DROPS)


@given(st.binary(max_size=1600), addresses)
def test_any_bytes_to_a_fresh_endpoint(data: bytes, address: Any) -> None:
    endpoint = make_endpoint(1)
    before = fingerprint(endpoint)
    endpoint.receive_datagram(data, address, now=1.0)
    assert total(endpoint) == 1
    assert fingerprint(endpoint) == before


@settings(max_examples=examples(200))
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 600), st.integers(0, 255), st.integers(0, 8), addresses),
        max_size=30,
    )
)
def test_real_datagrams_changed_cut_and_stretched_raise_nothing(
    changes: list[tuple[int, int, int, int, Any]],
) -> None:
    """On the path an attacker may do much, but not this: make the endpoint raise, or leave its bounds."""
    pair, theirs = connected()
    pair.flush()
    genuine = pair.guest_tap.sent + pair.host_tap.sent
    for which, at, value, cut, address in changes:
        data = bytearray(genuine[which % len(genuine)])
        data[at % len(data)] = value
        for end in (len(data) - cut, len(data)):
            pair.host.receive_datagram(bytes(data[:end]), address, now=1.0)
        pair.host.receive_datagram(bytes(data) + bytes(cut), address, now=1.0)
        pair.host.datagrams_to_send(now=1.0)
    pair.host.events()
    pair.host.handle_timeout(now=2.0)
    assert len(pair.host.connections) <= 64
    assert len(theirs._receiver._early) <= 64
