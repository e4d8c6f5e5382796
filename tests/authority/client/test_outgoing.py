"""Messages to the server: as fast as it takes them whatever the network does, in order, and losses are counted."""

from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client import server_link as outgoing_module
from retick.authority.client.server_link import Outgoing
from retick.authority.messages import Gone, LossNotice, RoomMessage, decode_message
from retick.authority.server.player import MESSAGE_SECONDS
from retick.errors import EncodeError
from retick.host.gate import Credit

TICK = 1 / 60


class Wire:
    """A connection that keeps what it is given; its server acknowledges what it is told to."""

    def __init__(self) -> None:
        self.is_connected = True
        self.messages_sent = self.messages_delivered = 0
        self.sent: deque[bytes] = deque()
        self.said: list[Any] = []

    def send_reliable(self, data: bytes) -> bool:
        if self.is_connected:
            self.messages_sent += 1
            self.sent.append(data)
            self.said.append(decode_message(data))
        return self.is_connected


def as_connection(wire: Wire) -> Any:
    return wire


@given(
    rate=st.sampled_from([2.0, 5.0, 30.0, 100.0]),
    steps=st.lists(
        st.tuples(
            st.integers(0, 300),  # messages that the application offers
            st.integers(0, 90),  # ticks that pass
            st.booleans(),  # whether the network delivers what is under way
            st.booleans(),  # whether the acknowledgements come back
            st.booleans(),  # whether the server stands still meanwhile, and reads before it runs its ticks
        ),
        max_size=30,
    ),
)
def test_a_server_never_gets_more_than_it_takes_and_nothing_overtakes(rate: float, steps: list[Any]) -> None:
    wire, pace = Wire(), Outgoing(rate)
    credit = Credit(MESSAGE_SECONDS * rate, rate * TICK)
    arrived = offered = 0
    now, owed = 0.0, 0
    pace.begin(as_connection(wire), now, is_new_seat=True)
    for count, ticks, delivers, acknowledges, stands in steps:
        for _ in range(count):
            offered += pace.offer(as_connection(wire), offered.to_bytes(4, "little"), now)
        for _ in range(ticks):
            now += TICK
            pace.flush(as_connection(wire), now)
            if stands:
                owed += 1
            else:
                credit.earn(1 + owed)
                owed = 0
        while delivers and wire.sent:
            wire.sent.popleft()
            assert credit.grant(), "the server would end the connection"
            arrived += 1
        if delivers:  # a server that wakes up reads once, and then runs the ticks that are due
            credit.earn(owed)
            owed = 0
        if acknowledges:
            wire.messages_delivered = arrived
    assert wire.said == [RoomMessage(number.to_bytes(4, "little")) for number in range(len(wire.said))]
    assert offered == len(wire.said) + len(pace)
    assert pace.end(as_connection(wire)) == offered - wire.messages_delivered
    assert len(pace) == 0


def test_what_waits_goes_by_itself_at_the_time_that_is_named() -> None:
    wire, pace = Wire(), Outgoing(10.0)
    pace.begin(as_connection(wire), 5.0, is_new_seat=True)
    assert pace.next_at(as_connection(wire)) is None
    for number in range(40):
        assert pace.offer(as_connection(wire), bytes((number,)), 5.0)
        wire.messages_delivered = wire.messages_sent
    assert wire.messages_sent == 20
    while len(pace):
        wire.messages_delivered = wire.messages_sent
        at, before = pace.next_at(as_connection(wire)), wire.messages_sent
        assert at is not None
        pace.flush(as_connection(wire), at)
        assert wire.messages_sent == before + 1
    assert at is not None
    assert at == pytest.approx(5.0 + 20 / 9)


def test_no_time_is_named_while_only_an_acknowledgement_can_help() -> None:
    wire, pace = Wire(), Outgoing(4.0)
    pace.begin(as_connection(wire), 0.0, is_new_seat=True)
    for _ in range(5):
        pace.offer(as_connection(wire), b"", 0.0)
    assert (wire.messages_sent, len(pace), pace.next_at(as_connection(wire))) == (4, 1, None)
    wire.messages_delivered = 1
    assert pace.next_at(as_connection(wire)) == 0.0
    wire.is_connected = False
    assert pace.next_at(as_connection(wire)) is None


def test_too_many_too_much_and_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wire, pace = Wire(), Outgoing(1.0)
    pace.begin(as_connection(wire), 0.0, is_new_seat=True)
    with pytest.raises(EncodeError, match="a message is at most 4096 bytes, not 4097"):
        pace.offer(as_connection(wire), bytes(4096), 0.0)
    assert pace.offer(as_connection(wire), bytes(4095), 0.0)
    monkeypatch.setattr(outgoing_module, "MOST_WAITING", 3)
    assert [pace.offer(as_connection(wire), b"x", 0.0) for _ in range(5)] == [True, True, True, False, False]
    monkeypatch.setattr(outgoing_module, "MOST_WAITING", 100)
    monkeypatch.setattr(outgoing_module, "MOST_BYTES", 10)
    assert [pace.offer(as_connection(wire), b"xx", 0.0) for _ in range(3)] == [True, False, False]
    wire.is_connected = False
    assert not pace.offer(as_connection(wire), b"", 0.0)


def test_the_server_is_told_of_losses_first_and_again_until_that_has_arrived() -> None:
    pace = Outgoing(30.0)
    first, second, third, fourth = Wire(), Wire(), Wire(), Wire()
    pace.begin(as_connection(first), 0.0, is_new_seat=True)
    for _ in range(100):
        pace.offer(as_connection(first), b"m", 0.0)
    first.messages_delivered = 10
    assert pace.end(as_connection(first)) == 90
    pace.begin(as_connection(second), 9.0, is_new_seat=False)
    assert second.said == [LossNotice(Gone.TOO_LONG, 90)]
    pace.offer(as_connection(second), b"n", 9.0)
    assert pace.end(as_connection(second)) == 1, "a LOST is no message of the application"
    pace.begin(as_connection(third), 20.0, is_new_seat=False)
    assert third.said == [LossNotice(Gone.TOO_LONG, 91)]
    third.messages_delivered = 1
    assert pace.end(as_connection(third)) == 0
    pace.begin(as_connection(fourth), 30.0, is_new_seat=False)
    assert fourth.said == []


def test_a_server_that_gives_another_seat_is_told_nothing() -> None:
    pace, first, second = Outgoing(30.0), Wire(), Wire()
    pace.begin(as_connection(first), 0.0, is_new_seat=True)
    pace.offer(as_connection(first), b"m", 0.0)
    assert pace.end(as_connection(first)) == 1
    pace.begin(as_connection(second), 9.0, is_new_seat=True)
    assert second.said == []
