"""The end of a connection: BYE, its answer, its repetitions, and messages that are still on their way."""

import random
from itertools import pairwise

import pytest

from retick.errors import UsageError
from retick.link import (
    Disconnected,
    Reason,
    ReliableReceived,
    State,
)
from retick.link.goodbye import MAX_BYES
from retick.link.layout import (
    BYE,
    BYE_ACK,
)
from retick.transport import Conditions
from tests.link.pair import (
    Pair,
)


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
        assert [e.data for e in pair.of(pair.host_events, ReliableReceived)] == expected
        assert len(pair.of(pair.host_events, Disconnected)) == 1


def test_a_goodbye_that_nobody_answers_is_repeated_and_its_time_is_known() -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    mine, _ = pair.connect()
    pair.crash("host")
    mine.close()
    now = pair.network.now
    times = []
    while mine.state is State.CLOSING:
        byes = [data for data, _ in pair.guest.datagrams_to_send(now=now) if data[0] == BYE]
        times += [now] * len(byes)
        due = pair.guest.next_timeout()
        if due is None:
            break
        now = due
        pair.guest.handle_timeout(now=now)
    assert len(times) == MAX_BYES
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert all(0.05 <= gap <= 0.5 + 1e-9 for gap in gaps)
    assert mine.state is State.CLOSED
