"""A connection in use: envelopes, duplicates, round trip and loss, silence, changed addresses, goodbye."""

import random
from typing import Any

import pytest

from retick.errors import EncodeError, UsageError
from retick.link import (
    AddressChanged,
    Connected,
    Connection,
    Disconnected,
    Interrupted,
    LinkEndpoint,
    MessageReceived,
    Reason,
    Resumed,
    State,
    UnreliableReceived,
)
from retick.link.control import BYE, BYE_ACK, CONTROL, PROOF, PROVE
from retick.link.proof import path_proof
from retick.transport import Conditions
from tests.link.pair import Pair, fingerprint


def chat(pair: Pair, mine: Connection, theirs: Connection, seconds: float, size: int = 35) -> None:
    """Both send a payload sixty times a second."""

    def tick(connection: Connection, address: str) -> None:
        connection.send_unreliable(bytes(size))
        pair.network.flush(address)

    until = pair.network.now + seconds
    while pair.network.now < until:
        tick(mine, "guest")
        pair.run(1 / 120)
        tick(theirs, "host")
        pair.run(1 / 120)


def test_a_payload_arrives_exactly_in_an_envelope_of_eight_bytes() -> None:
    pair = Pair()
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
    pair = Pair()
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
    for i in range(200):
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


def test_payloads_may_be_handed_over_within_the_call_with_the_time_as_it_was_told() -> None:
    pair = Pair()
    taken: list[tuple[Connection, bytes, float]] = []
    host = LinkEndpoint(entropy=random.Random(3).randbytes, on_payload=lambda *payload: taken.append(payload))
    pair.network.attach("another", host)
    mine = pair.guest.dial("another")
    pair.network.flush("guest")
    pair.run(1.0)
    mine.send_unreliable(b"x")
    [data] = [data for data, _ in pair.guest.datagrams_to_send(now=2.0) if data.endswith(b"x")]
    now = float("2.5")
    host.receive_datagram(data, "guest", now=now)
    [(connection, payload, told)] = taken
    assert connection is next(iter(host.connections.values()))
    assert (payload, told) == (b"x", now)
    assert told is now
    assert [type(event) for event in host.events()] == [Connected]
    assert not host.has_events


def test_a_connection_that_is_over_gets_nothing_more() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    mine.send_unreliable(b"in time")
    mine.send_unreliable(b"too late")
    first, second = (data for data, _ in pair.guest.datagrams_to_send(now=0.5))
    pair.host.receive_datagram(first, "guest", now=0.5)
    pair.host.handle_timeout(now=50.0)
    assert theirs.state is State.CLOSED
    assert pair.host.datagrams_to_send(now=50.0) == []
    assert pair.host.next_timeout() is None
    pair.host.receive_datagram(second, "guest", now=50.0)
    assert pair.host.dropped["unknown_connection"] == 1
    assert [type(event) for event in pair.host.events()] == [UnreliableReceived, Disconnected]


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


@pytest.mark.parametrize("latency", [0.0, 0.05, 0.25])
def test_the_round_trip_is_measured_without_the_time_that_answers_were_held(latency: float) -> None:
    pair = Pair(conditions=Conditions(latency=latency))
    mine, theirs = pair.connect()
    chat(pair, mine, theirs, 5.0)
    for connection in (mine, theirs):
        assert connection.stats.rtt == pytest.approx(2 * latency, abs=0.001)
        assert connection.stats.jitter < 0.001


def test_jitter_shows() -> None:
    pair = Pair(conditions=Conditions(latency=0.05, jitter=0.02))
    mine, theirs = pair.connect()
    chat(pair, mine, theirs, 5.0)
    assert 0.003 < mine.stats.jitter < 0.02
    assert mine.stats.rtt == pytest.approx(0.1, abs=0.03)
    assert mine.stats.rtt_least < mine.stats.rtt


def test_loss_is_known_on_both_sides_for_both_ways() -> None:
    pair = Pair(seed=4)
    mine, theirs = pair.connect()
    pair.network.link("guest", "host", Conditions(latency=0.02, loss=0.3), Conditions(latency=0.02, loss=0.05))
    chat(pair, mine, theirs, 60.0)
    assert mine.stats.loss_out == pytest.approx(0.3, abs=0.12)
    assert theirs.stats.loss_in == pytest.approx(0.3, abs=0.12)
    assert mine.stats.loss_in == pytest.approx(0.05, abs=0.05)
    assert theirs.stats.loss_out == pytest.approx(0.05, abs=0.05)


def test_wire_cost_at_sixty_payloads_a_second() -> None:
    pair = Pair(conditions=Conditions.round_trip(0.1, loss=0.05))
    mine, theirs = pair.connect()
    before = mine.stats
    chat(pair, mine, theirs, 60.0)
    after = mine.stats
    assert (after.packets_sent - before.packets_sent) / 60 < 61.5
    overhead = (after.bytes_sent - before.bytes_sent) / 60 - 60 * 35
    assert overhead < 60 * 8 + 30


def test_an_idle_link_lives_on_two_datagrams_a_second() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, theirs = pair.connect()
    before = mine.stats.packets_sent
    pair.run(100.0)
    assert mine.is_connected
    assert theirs.is_connected
    assert 199 <= mine.stats.packets_sent - before <= 203
    assert pair.of(pair.host_events + pair.guest_events, Interrupted) == []


def test_a_pause_of_five_seconds_is_survived() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, theirs = pair.connect()
    pair.run(1.0)
    pair.network.pause("guest", 5.0)
    pair.run(8.0)
    assert mine.is_connected
    assert theirs.is_connected
    interrupted, resumed = pair.of(pair.host_events, Interrupted), pair.of(pair.host_events, Resumed)
    assert len(interrupted) == len(resumed) == 1
    assert interrupted[0].silent_for == pytest.approx(1.5, abs=0.1)
    assert 4.0 < resumed[0].silent_for < 6.1
    # The one that was stopped reads its socket before its clock, and so was never alone.
    assert pair.of(pair.guest_events, Disconnected) == []


def test_silence_ends_in_a_time_out_on_both_sides() -> None:
    pair = Pair()
    pair.connect()
    pair.network.cut("host", "guest", 100.0)
    pair.run(12.0)
    for events in (pair.host_events, pair.guest_events):
        assert [type(e) for e in events] == [Connected, Interrupted, Disconnected]
        assert events[-1].reason == Reason.TIMEOUT
    assert pair.host.connections == pair.guest.connections == {}
    assert pair.host.next_timeout() is None


def test_a_cut_shorter_than_the_time_out_heals() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    pair.network.cut("host", "guest", 8.0)
    pair.run(12.0)
    assert mine.is_connected
    assert theirs.is_connected
    assert len(pair.of(pair.host_events, Resumed)) == 1


def test_a_peer_whose_address_changes_goes_on() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, theirs = pair.connect()
    pair.network.move("guest", "guest2")
    until = pair.network.now + 3.0
    while pair.network.now < until:
        mine.send_unreliable(bytes(20))
        pair.network.flush("guest2")
        pair.run(1 / 60)
    [changed] = pair.of(pair.host_events, AddressChanged)
    assert (changed.connection, changed.old, changed.new) == (theirs, "guest", "guest2")
    assert theirs.address == "guest2"
    before = len(pair.of(pair.guest_events, UnreliableReceived))
    theirs.send_unreliable(b"found you")
    pair.network.flush("host")
    pair.run(0.2)
    assert len(pair.of(pair.guest_events, UnreliableReceived)) == before + 1
    # About one round trip of payloads was dropped while the proof was under way.
    assert 0 < pair.host.dropped["unproven_address"] < 12


def test_an_address_is_not_changed_without_proof() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    mine.send_unreliable(b"genuine payload")
    [(data, _)] = pair.guest.datagrams_to_send(now=0.5)
    before = fingerprint(theirs)
    events = len(pair.host_events)
    for _ in range(50):
        pair.host.receive_datagram(data, "thief", now=0.5)
    challenges = pair.host.datagrams_to_send(now=0.5)
    assert [(d[0], a) for d, a in challenges] == [(PROVE, "thief")]
    assert len(challenges[0][0]) <= len(data)
    head = bytes([PROOF]) + theirs.local_id.to_bytes(4, "little")
    for guess in (bytes(8), challenges[0][0][5:], path_proof(b"not the key", challenges[0][0][5:])):
        pair.host.receive_datagram(head + guess, "thief", now=0.5)
    # A true proof is bound to the address that was challenged.
    proof = path_proof(mine._path_key, challenges[0][0][5:])
    pair.host.receive_datagram(head + proof, "another thief", now=0.5)
    assert pair.host.dropped["bad_proof"] == 4
    changed = fingerprint(theirs)
    before["_challenged_at"] = changed["_challenged_at"]
    assert changed == before
    assert len(pair.host_events) == events
    pair.host.receive_datagram(head + proof, "thief", now=0.5)
    assert theirs.address == "thief"


def test_a_challenge_from_a_stranger_is_not_answered() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    prove = bytes([PROVE]) + mine.local_id.to_bytes(4, "little") + bytes(8)
    pair.guest.receive_datagram(prove, "stranger", now=1.0)
    assert pair.guest.datagrams_to_send(now=1.0) == []
    assert pair.guest.dropped["bad_proof"] == 1


def test_goodbye_is_orderly() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, theirs = pair.connect()
    mine.close(150, "see you")
    assert mine.state is State.CLOSING
    assert not mine.send_unreliable(b"x")
    assert not mine.send_reliable(b"x")
    pair.flush()
    pair.run(1.0)
    [heard] = pair.of(pair.host_events, Disconnected)
    assert (heard.connection, heard.reason, heard.text, heard.by_peer) == (theirs, 150, "see you", True)
    [said] = pair.of(pair.guest_events, Disconnected)
    assert (said.connection, said.reason, said.by_peer) == (mine, 150, False)
    assert pair.guest.connections == pair.host.connections == {}
    assert pair.guest.next_timeout() is None is pair.host.next_timeout()


@pytest.mark.parametrize("kind", [BYE, BYE_ACK])
def test_goodbye_gets_through_loss(kind: int) -> None:
    pair = Pair(conditions=Conditions(latency=0.01))
    mine, _ = pair.connect()
    pair.run(1.0)
    lost: list[int] = []

    def lose(data: bytes) -> bool:
        if data[0] == kind and len(lost) < 2:
            lost.append(1)
            return True
        return False

    pair.guest_tap.lose = pair.host_tap.lose = lose
    mine.close()
    pair.flush()
    pair.run(3.0)
    assert len(pair.of(pair.host_events, Disconnected)) == 1
    assert pair.of(pair.host_events, Disconnected)[0].by_peer
    assert len(pair.of(pair.guest_events, Disconnected)) == 1


def test_goodbye_to_nobody_ends_too() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    pair.crash("host")
    mine.close()
    pair.flush()
    pair.run(3.0)
    assert len([data for data in pair.guest_tap.sent if data[0] == BYE]) == 5
    assert len(pair.of(pair.guest_events, Disconnected)) == 1
    assert pair.guest.next_timeout() is None


def test_both_may_close_at_once_and_endpoints_close_all() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    pair.connect()
    pair.guest.close()
    pair.host.close(Reason.SHUTDOWN, "bye")
    pair.flush()
    pair.run(3.0)
    for events in (pair.host_events, pair.guest_events):
        [end] = pair.of(events, Disconnected)
        assert end.reason == Reason.SHUTDOWN
    with pytest.raises(UsageError):
        Pair().connect()[0].close(256)


def test_a_dial_may_be_abandoned() -> None:
    pair = Pair()
    connection = pair.dial()
    connection.close()
    pair.run(5.0)
    assert [type(e) for e in pair.guest_events] == [Disconnected]
    assert pair.guest.connections == {}


def test_linger_lets_messages_arrive_before_the_goodbye() -> None:
    for linger, expected in ((5.0, [b"m" * 5000, b"last words"]), (0.0, [])):
        pair = Pair(conditions=Conditions(latency=0.05))
        mine, _ = pair.connect()
        pair.run(1.0)
        pair.guest_tap.lose = lambda data: len(data) > 500 and random.Random(data).random() < 0.5
        mine.send_reliable(b"m" * 5000)
        mine.send_reliable(b"last words")
        mine.close(linger=linger)
        pair.flush()
        pair.run(8.0)
        assert [e.data for e in pair.of(pair.host_events, MessageReceived)] == expected
        assert len(pair.of(pair.host_events, Disconnected)) == 1


def test_payloads_that_do_not_fit_are_the_callers_fault() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    assert mine.send_unreliable(bytes(1192))
    for size in (0, 1193):
        with pytest.raises(EncodeError):
            mine.send_unreliable(bytes(size))
    large = Pair(max_datagram=1432)
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


def test_one_endpoint_holds_many_connections_and_dials_while_it_accepts() -> None:
    pair = Pair()
    first = pair.guest.dial("host")
    second = pair.guest.dial("host")
    back = pair.host.dial("guest")
    pair.flush()
    pair.run(2.0)
    assert first.is_connected
    assert second.is_connected
    assert back.is_connected
    assert len(pair.host.connections) == len(pair.guest.connections) == 3
    second.close()
    pair.flush()
    pair.run(1.0)
    assert first.is_connected
    assert back.is_connected
    first.send_unreliable(b"1")
    back.send_unreliable(b"2")
    pair.flush()
    pair.run(0.1)
    received: list[Any] = pair.of(pair.host_events, UnreliableReceived) + pair.of(pair.guest_events, UnreliableReceived)
    assert [e.data for e in received] == [b"1", b"2"]


def test_a_time_out_that_comes_early_does_no_harm() -> None:
    pair = Pair()
    pair.connect()
    now = pair.network.now
    for endpoint in (pair.host, pair.guest):
        before = fingerprint(endpoint)
        endpoint.handle_timeout(now=now)
        assert fingerprint(endpoint) == before
        assert endpoint.datagrams_to_send(now=now) == []


def test_control_is_pinned() -> None:
    """26 bytes: envelope, hold, acked sequence, received, next fragment, fragments."""
    pair = Pair()
    mine, theirs = pair.connect()
    pair.run(0.1)
    mine.send_reliable(b"hello")
    pair.flush()
    data = pair.guest_tap.sent[-1]
    sequence, acked = mine.stats.packets_sent, theirs.stats.packets_sent
    expected = bytes([CONTROL]) + mine.remote_id.to_bytes(4, "little") + sequence.to_bytes(2, "little")
    expected += bytes([acked]) + (6400).to_bytes(2, "little") + acked.to_bytes(2, "little")
    expected += mine.stats.packets_received.to_bytes(4, "little") + bytes(2) + bytes(8)
    expected += bytes.fromhex("0000 05c0") + b"hello"
    assert data == expected


def test_a_clock_that_goes_back_raises_nothing() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    for now in (5.0, 3.0, 0.0):
        theirs.send_unreliable(b"x")
        theirs.send_reliable(b"y")
        for data, _ in pair.host.datagrams_to_send(now=now):
            pair.guest.receive_datagram(data, "host", now=now + 1.0)
        mine.send_unreliable(b"x")
        mine.send_reliable(b"y")
        for data, _ in pair.guest.datagrams_to_send(now=now):
            pair.host.receive_datagram(data, "guest", now=now + 1.0)
    assert mine.is_connected
    assert theirs.is_connected
