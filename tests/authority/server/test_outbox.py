"""Messages arrive, or both sides are told that they did not."""

from typing import Any, cast

import pytest

from retick.authority.frames import encode_note
from retick.authority.messages import Gone, LossNotice, RoomMessage, decode_message, encode_message
from retick.authority.server import WorldServerConfig
from retick.authority.server.player import PlayerOutbox
from retick.errors import UsageError
from retick.host.events import MessageDropped, MessageFromPlayer
from retick.link import Connection
from tests.authority.server.clients import Hall, steady
from tests.authority.server.yard import TELL, Yard


def test_messages_go_both_ways_reliably_and_not() -> None:
    hall = Hall(Yard)
    one, two = hall.join("one", press=steady(TELL)), hall.join("two")
    watcher = hall.join("watcher", watches=True)
    hall.run(0.5)
    one.connection.send_reliable(encode_message(RoomMessage(b"hello")))
    one.connection.send_unreliable(encode_note(b"psst"))
    hall.network.flush("one")
    hall.room.send(b"to one", one.seat)
    hall.room.send(b"to both", [one.seat, two.seat])
    hall.room.send(b"to all")
    hall.room.send(b"loose", reliable=False)
    hall.run(0.5)
    assert {(event.data, event.reliable, event.peer_id) for event in hall.of(MessageFromPlayer)} == {
        (b"hello", True, one.seat),
        (b"psst", False, one.seat),
    }
    told = b"told %d" % one.seat
    assert [each.data for each in one.messages if isinstance(each, RoomMessage) and each.data != told] == [
        b"to one",
        b"to both",
        b"to all",
    ]
    assert RoomMessage(told) in one.messages
    assert RoomMessage(told) not in two.messages
    assert RoomMessage(b"to all") in watcher.messages
    assert b"loose" in watcher.notes
    assert b"note" in two.notes


def test_a_message_that_is_too_long_is_an_error_of_the_application_and_reported_of_the_world() -> None:
    class Loud(Yard):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            if self.ticks == 20:
                self.send(bytes(5000))

    hall = Hall(Loud)
    one = hall.join("one")
    with pytest.raises(UsageError, match="4095"):
        hall.room.send(bytes(4096))
    with pytest.raises(UsageError, match="1000"):
        hall.room.send(bytes(1001), reliable=False)
    hall.run(1.0)
    [dropped] = hall.of(MessageDropped)
    assert "4095" in dropped.text
    assert LossNotice(Gone.TOO_LONG, 1) in one.messages


def test_a_message_to_nobody_is_an_error_or_reported() -> None:
    hall = Hall(Yard)
    with pytest.raises(UsageError, match="a message is bytes, not str"):
        hall.room.send("text")  # type: ignore[arg-type]  # the mistake that is tested
    for to in (77, "ann", [0, "bob"]):
        with pytest.raises(UsageError, match="nobody has the number"):
            hall.room.send(b"m", to)  # type: ignore[arg-type]  # the mistake that is tested
    hall.room.send(b"m", 2)
    hall.room.send(b"loose", 2, reliable=False)
    hall.room.send(b"w", 256)
    hall.run(0.1)
    assert [(each.peer_id, each.message) for each in hall.of(MessageDropped)] == [(2, b"m"), (256, b"w")]


def test_every_reliable_message_arrives_or_the_client_is_told_how_many_did_not() -> None:
    hall = Hall(Yard, config=WorldServerConfig(message_queue=3000, timeout=1.0))
    one = hall.join("one")
    hall.run(0.5)
    for _ in range(10):
        hall.room.send(bytes(950))
    hall.run(1.0)
    arrived = sum(isinstance(each, RoomMessage) for each in one.messages)
    lost = sum(each.messages for each in one.messages if isinstance(each, LossNotice))
    assert (arrived, lost) == (3, 7)
    assert len(hall.of(MessageDropped)) == 7
    hall.vanish("one")
    hall.room.send(b"on the way")
    hall.run(2.0)
    hall.room.send(b"nobody is there")
    back = hall.join("back", token=one.token)
    hall.run(1.0)
    assert [each for each in back.messages if isinstance(each, LossNotice)] == [LossNotice(Gone.TOO_LONG, 2)]
    assert len(hall.of(MessageDropped)) == 9


class Wire:
    """A connection that takes everything and acknowledges what it is told to."""

    def __init__(self) -> None:
        self.messages_sent = self.messages_delivered = 0
        self.said: list[Any] = []

    def send_reliable(self, data: bytes) -> bool:
        self.messages_sent += 1
        self.said.append(decode_message(data))
        return True


def test_a_loss_is_told_again_until_that_has_arrived() -> None:
    outbox = PlayerOutbox(10)
    first, second, third = wires = [Wire() for _ in range(3)]
    a, b, c = (cast(Connection, wire) for wire in wires)
    assert outbox.send(a, b"123456") is None
    assert outbox.send(a, b"7890") is not None
    outbox.tell_losses(a)
    outbox.tell_losses(a)
    assert first.said == [RoomMessage(b"123456"), LossNotice(Gone.TOO_MANY, 1)]
    first.messages_delivered = 1
    assert outbox.lose(a) == []
    outbox.tell_losses(b)
    assert second.said == [LossNotice(Gone.TOO_MANY, 1)]
    second.messages_delivered = 1
    assert outbox.lose(b) == []
    outbox.tell_losses(c)
    assert third.said == []
