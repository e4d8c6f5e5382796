"""The payload path: envelopes, duplicates, limits, and payloads handed over within the call."""

import random
from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError
from retick.link import (
    Connected,
    Connection,
    LinkConfig,
    LinkEndpoint,
    ReliableReceived,
    State,
    UnreliableReceived,
)
from retick.link.layout import ENVELOPE_SIZE
from retick.transport import Conditions
from tests.link.pair import (
    Pair,
    chat,
    connected,
    make_endpoint,
)


def test_a_payload_arrives_exactly_in_an_envelope_of_eight_bytes() -> None:
    pair = Pair(sealed=False)
    mine, theirs = pair.connect()
    payload = bytes(range(87))
    assert mine.send_unreliable(payload)
    pair.flush()
    pair.run(0.1)
    assert pair.host_events[-1] == UnreliableReceived(theirs, payload)
    datagram = next(data for data in pair.guest_tap.sent if data.endswith(payload))
    assert len(datagram) == len(payload) + 8


def test_the_envelope_is_pinned() -> None:
    """Kind with a hold of 5 ms, connection id, sequence, ack: as docs/formats/link.md has it."""
    pair = Pair(sealed=False)
    mine, theirs = pair.connect()
    pair.run(0.01)
    theirs.send_unreliable(b"first")
    pair.flush()
    pair.run(0.0052)
    mine.send_unreliable(b"second")
    pair.flush()
    sequence = mine.stats.packets_sent
    acked = theirs.stats.packets_sent
    expected = bytes([0x80 | 10]) + mine.remote_id.to_bytes(4, "little") + sequence.to_bytes(2, "little")
    assert pair.guest_tap.sent[-1] == expected + bytes([acked]) + b"second"


def test_a_duplicate_is_dropped_and_a_late_one_is_taken() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    for i in range(3):
        mine.send_unreliable(b"%d" % i)
    first, second, third = (data for data, _ in pair.guest.datagrams_to_send(now=0.5))
    for data in (third, first, third, first, second, second):
        pair.host.receive_datagram(data, "guest", now=0.5)
    assert [e.data for e in pair.host.events()] == [b"2", b"0", b"1"]
    assert pair.host.dropped["duplicate"] == 3
    for i in range(300):
        mine.send_unreliable(b"%d" % i)
        for data, _ in pair.guest.datagrams_to_send(now=0.5):
            pair.host.receive_datagram(data, "guest", now=0.5)
        pair.host.events()
    pair.host.receive_datagram(second, "guest", now=0.5)
    assert pair.host.dropped["stale"] == 1
    assert theirs.is_connected


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_bytes_like_object_is_a_datagram_and_a_payload(kind: Any) -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    assert mine.send_unreliable(kind(b"payload"))
    [(data, address)] = pair.guest.datagrams_to_send(now=0.5)
    assert (type(data), address) == (bytes, "host")
    pair.host.receive_datagram(kind(data), "guest", now=0.5)
    [event] = pair.host.events()
    assert event == UnreliableReceived(theirs, b"payload")
    assert type(event.data) is bytes
    for wrong in (None, 7, "text"):
        with pytest.raises(TypeError):
            pair.host.receive_datagram(wrong, "guest", now=0.5)  # type: ignore[arg-type]  # an untyped caller
    assert sum(pair.host.dropped.values()) == 0


def test_payloads_may_be_handed_over_within_the_call_with_the_time_as_it_was_given() -> None:
    pair = Pair(sealed=False)
    taken: list[tuple[Connection, bytes, float]] = []
    config = LinkConfig(sealed=False)
    host = LinkEndpoint(config, entropy=random.Random(3).randbytes, on_payload=lambda *payload: taken.append(payload))
    pair.network.attach("another", host)
    mine = pair.guest.dial("another")
    pair.network.flush("guest")
    pair.run(1.0)
    mine.send_unreliable(b"x")
    [data] = [data for data, _ in pair.guest.datagrams_to_send(now=2.0) if data.endswith(b"x")]
    now = float("2.5")
    host.receive_datagram(data, "guest", now=now)
    [(connection, payload, given)] = taken
    assert connection is next(iter(host.connections.values()))
    assert (payload, given) == (b"x", now)
    assert given is now
    assert [type(event) for event in host.events()] == [Connected]
    assert not host.has_events


def test_sequences_wrap() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    received = 0
    now = 1.0
    for _ in range(70_000):
        mine.send_unreliable(b"x")
        now += 0.001
        for data, _ in pair.guest.datagrams_to_send(now=now):
            pair.host.receive_datagram(data, "guest", now=now)
        received += len(pair.host.events())
    assert received == 70_000
    assert sum(pair.host.dropped.values()) == 0


def test_wire_cost_at_sixty_payloads_a_second() -> None:
    pair = Pair(conditions=Conditions.round_trip(0.1, loss=0.05), sealed=False)
    mine, theirs = pair.connect()
    before = mine.stats
    chat(pair, mine, theirs, 60.0)
    after = mine.stats
    assert (after.packets_sent - before.packets_sent) / 60 < 61.5
    overhead = (after.bytes_sent - before.bytes_sent) / 60 - 60 * 35
    assert overhead < 60 * 8 + 30


def test_payloads_that_do_not_fit_are_the_callers_fault() -> None:
    pair = Pair(sealed=False)
    mine, _ = pair.connect()
    assert mine.send_unreliable(bytes(1192))
    for size in (0, 1193):
        with pytest.raises(EncodeError):
            mine.send_unreliable(bytes(size))
    large = Pair(max_datagram=1432, sealed=False)
    mine, _ = large.connect()
    assert mine.send_unreliable(bytes(1398))
    large.flush()
    large.run(0.1)
    assert len(large.host_events[-1].data) == 1398


def test_queues_between_two_drains_are_bounded() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    assert [mine.send_unreliable(b"x") for _ in range(70)].count(True) == 64
    assert mine.stats.payloads_refused == 6
    pair.network.detach("host")
    for _ in range(10):
        for data, _ in pair.guest.datagrams_to_send(now=1.0):
            pair.host.receive_datagram(data, "guest", now=1.0)
        for _ in range(64):
            mine.send_unreliable(b"x")
    assert len(pair.host.events()) == 256
    assert pair.host.dropped["unread"] == 10 * 64 - 256
    pair.guest.datagrams_to_send(now=1.0)
    mine.send_unreliable(b"after reading")
    for data, _ in pair.guest.datagrams_to_send(now=1.0):
        pair.host.receive_datagram(data, "guest", now=1.0)
    assert pair.host.events()[-1] == UnreliableReceived(theirs, b"after reading")


@pytest.mark.parametrize("limit", [10**30, float("inf"), 1 << 63])
def test_a_limit_may_be_as_high_as_one_likes(limit: int) -> None:
    pair = Pair(payload_queue=limit, unread_limit=limit)
    mine, _ = pair.connect()
    for _ in range(300):
        assert mine.send_unreliable(b"payload")
    pair.flush()
    pair.run(1.0)
    assert len(pair.of(pair.host_events, UnreliableReceived)) == 300


class Labelled(bytes):
    """Bytes of an application's own kind."""

    def __bytes__(self) -> bytes:
        return self


def test_the_size_of_a_view_is_that_of_its_bytes() -> None:
    pair = Pair(max_datagram=600, max_message=1000, sealed=False)
    mine, _ = pair.connect()
    wide = memoryview(bytes(2000)).cast("I")
    with pytest.raises(EncodeError, match="a payload is 1 to 592 bytes, not 2000"):
        mine.send_unreliable(wide)
    with pytest.raises(EncodeError, match="a message is at most 1000 bytes, not 2000"):
        mine.send_reliable(wide)


def test_whatever_has_bytes_is_sent_and_nothing_else_is_taken_for_them() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    taken = (bytearray(b"a"), memoryview(b"bb")[::2], array("H", [7]), Labelled(b"c"))
    for octets in taken:
        assert mine.send_unreliable(octets)  # type: ignore[arg-type]  # wider than it says
        assert mine.send_reliable(octets)  # type: ignore[arg-type]  # wider than it says
    for other in (5, "text", None, [1, 2]):
        for send in (mine.send_unreliable, mine.send_reliable):
            with pytest.raises(TypeError, match="a bytes-like object is required"):
                send(other)  # type: ignore[arg-type]  # what must not be
    pair.flush()
    pair.run(1.0)
    for kind in (UnreliableReceived, ReliableReceived):
        assert [event.data for event in pair.of(pair.host_events, kind)] == [bytes(memoryview(o)) for o in taken]


@pytest.mark.parametrize("state", [7, -1, 99_999_999])
def test_a_state_that_is_none_is_refused_where_it_is_set(state: int) -> None:
    connection = make_endpoint(1).dial("host")
    with pytest.raises(ValueError, match=f"{state} is not a valid State"):
        connection.state = state  # type: ignore[assignment]  # what must not be
    assert connection.state is State.REQUESTING


def test_a_setter_takes_a_state_as_its_number_too() -> None:
    connection = make_endpoint(1).dial("host")
    connection.state = 6  # type: ignore[assignment]  # as the wire has it
    assert connection.state is State.CLOSED


def test_a_flood_is_bounded_and_the_others_go_on() -> None:
    pair, theirs = connected(sealed=False)
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


@settings(max_examples=40)
@given(st.lists(st.binary(min_size=1, max_size=1192), min_size=1, max_size=20))
def test_payloads_leave_in_the_order_in_which_they_were_given_and_arrive_as_they_were(payloads: list[bytes]) -> None:
    pair = Pair(sealed=False)
    mine, theirs = pair.connect()
    for payload in payloads:
        assert mine.send_unreliable(payload)
    datagrams = [data for data, _ in pair.guest.datagrams_to_send(now=0.5) if data[0] < 0xC0]
    assert [data[ENVELOPE_SIZE:] for data in datagrams] == payloads
    for data in datagrams:
        pair.host.receive_datagram(data, "guest", now=0.5)
    assert pair.host.events() == [UnreliableReceived(theirs, payload) for payload in payloads]


def test_a_payload_before_the_handshake_is_complete_is_not_sent() -> None:
    guest = make_endpoint(1)
    connection = guest.dial("host")
    assert not connection.send_unreliable(b"too early")
    assert connection.stats.payloads_refused == 0
    assert all(b"too early" not in data for data, _ in guest.datagrams_to_send(now=0.0))


def test_an_empty_payload_is_malformed() -> None:
    pair = Pair()
    _, theirs = pair.connect()
    envelope = bytes([0xBF]) + theirs.local_id.to_bytes(4, "little") + (1000).to_bytes(2, "little") + b"\0"
    pair.host.receive_datagram(envelope, "guest", now=0.5)
    assert pair.host.dropped["malformed"] == 1
    assert pair.host.events() == []


def test_a_payload_confirms_an_accepted_connection() -> None:
    pair = Pair(sealed=False)
    mine = pair.dial()
    pair.network.run_while(lambda: not mine.is_connected, limit=1.0)
    [theirs] = pair.host.connections.values()
    pair.guest.datagrams_to_send(now=0.5)  # the first report, which is lost
    mine.send_unreliable(b"first")
    [data] = [data for data, _ in pair.guest.datagrams_to_send(now=0.5) if data.endswith(b"first")]
    assert theirs.state is State.ACCEPTED
    pair.host.receive_datagram(data, "guest", now=0.5)
    assert theirs.is_connected
    assert [type(event) for event in pair.host.events()] == [Connected, UnreliableReceived]
