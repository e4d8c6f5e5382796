"""A connection in use: round-trip time and loss, silence, reports."""

import pytest

from retick.link import (
    Connected,
    Connection,
    Disconnected,
    Interrupted,
    LinkResumed,
    Reason,
    State,
    UnreliableReceived,
)
from retick.link.layout import (
    CONTROL,
)
from retick.transport import Conditions
from tests.link.pair import Pair, chat


def test_a_connection_that_was_never_begun_raises_and_does_not_end_the_process() -> None:
    connection = Connection.__new__(Connection)
    for name in ("rtt", "has_rtt", "stats"):
        with pytest.raises(AttributeError):
            getattr(connection, name)


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
    interrupted, resumed = pair.of(pair.host_events, Interrupted), pair.of(pair.host_events, LinkResumed)
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
    assert len(pair.of(pair.host_events, LinkResumed)) == 1


def test_control_is_pinned() -> None:
    """26 bytes: envelope, hold, acked sequence, received, next fragment, fragments."""
    pair = Pair(sealed=False)
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
