"""Any bytes from any address: dropped, counted, no exception, no change of state."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.link import Connection
from retick.link.reasons import DROPS
from retick.transport import Conditions
from tests.link.pair import Pair, fingerprint, make_endpoint

KINDS = [0x80, 0x85, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0x52, 0xFF]
addresses = st.sampled_from(["host", "guest", "stranger", ("192.0.2.1", 9)])


def connected() -> tuple[Pair, Connection]:
    pair = Pair(conditions=Conditions(latency=0.01))
    mine, theirs = pair.connect()
    mine.send_reliable(b"pending")
    theirs.send_reliable(b"pending")
    return pair, theirs


def total(endpoint: Any) -> int:
    return sum(endpoint.dropped.values())


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


@settings(max_examples=200)
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


@given(st.binary(min_size=5, max_size=40), st.sampled_from(KINDS[:6]))
def test_a_stranger_who_guessed_the_id_gets_at_most_a_challenge(data: bytes, kind: int) -> None:
    pair, theirs = connected()
    pair.host.datagrams_to_send(now=0.4)
    before = fingerprint(theirs)
    datagram = bytes([kind]) + theirs.local_id.to_bytes(4, "little") + data
    pair.host.receive_datagram(datagram, "stranger", now=0.5)
    answers = pair.host.datagrams_to_send(now=0.5)
    assert sum(len(answer) for answer, _ in answers) <= len(datagram)
    after = fingerprint(theirs)
    after["_challenged_at"] = before["_challenged_at"]
    assert after == before


def test_a_flood_is_bounded_and_the_others_go_on() -> None:
    pair, theirs = connected()
    other = pair.guest.dial("host")
    pair.network.flush("guest")
    pair.run(0.5)
    for i in range(5000):
        head = bytes([0xBF]) + theirs.local_id.to_bytes(4, "little") + (100 + i).to_bytes(2, "little") + b"\0"
        pair.host.receive_datagram(head + bytes(1000), "guest", now=1.0)
    assert pair.host.dropped["unread"] == 5000 - 256
    assert len(pair.host.events()) == 256
    other.send_unreliable(b"me too")
    pair.flush()
    pair.run(0.1)
    assert [e.data for e in pair.host_events if getattr(e, "data", None) == b"me too"] == [b"me too"]


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_a_driver_may_hand_over_any_buffer(kind: type) -> None:
    ends = {"host": make_endpoint(1), "guest": make_endpoint(2)}
    dialled = ends["guest"].dial("host")
    for turn in range(40):
        for name, other in (("host", "guest"), ("guest", "host")):
            ends[name].handle_timeout(now=turn / 20)
            for data, _ in ends[name].datagrams_to_send(now=turn / 20):
                ends[other].receive_datagram(kind(data), name, now=turn / 20)
    assert dialled.is_connected
    assert not total(ends["host"])
