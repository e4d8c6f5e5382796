"""What an application does in the middle of a room."""

from typing import Any

import pytest

from retick.authority.messages import Ended, Presence, RoomMessage, RoomOver, RoomWelcome, SeatNews, encode_message
from retick.authority.server import RoomHooks, WorldServerConfig
from retick.host.events import MessageDropped, PlayerLeft, PlayerRejoined, RoomClosed, RoomFailed
from tests.authority.server.clients import Hall
from tests.authority.server.yard import Yard


@pytest.mark.parametrize("where", ["joined", "leaving", "ticked", "ended"])
def test_a_hook_that_raises_ends_one_room(where: str) -> None:
    def broken(self: Any, room: Any, *arguments: Any) -> None:
        if room.name == "red":
            raise LookupError(f"in {where}")

    hooks = type("Broken", (RoomHooks,), {where: broken})()
    hall = Hall(Yard, config=WorldServerConfig(rooms=("red", "blue")), hooks=hooks)
    one = hall.join("one", room="red")
    hall.run(0.5)
    if where == "leaving":
        hall.server.drop(one.seat, room="red")
    if where == "ended":
        hall.server.close_room("red")
    hall.run(0.3)
    assert [failed.error for failed in hall.of(RoomFailed)] == [f"LookupError: in {where}"]
    assert list(hall.server.rooms) == ["blue"]


def test_a_hook_ends_a_match_and_everybody_is_told() -> None:
    ended: list[Any] = []

    class Referee(RoomHooks):
        def ticked(self, room: Any) -> None:
            if room.tick == 40:
                room.end("red has won")

        def ended(self, room: Any, text: str) -> None:
            ended.append((room.tick, text, len(room.players)))

    hall = Hall(Yard, hooks=Referee())
    one = hall.join("one")
    hall.run(2.0)
    assert RoomOver(Ended.ENDED, "red has won") in one.messages
    assert hall.of(RoomClosed) == [RoomClosed(room="", text="red has won")]
    assert ended == [(40, "red has won", 1)]
    [left] = hall.of(PlayerLeft)
    assert left.things
    assert not hall.server.rooms


def test_hooks_fill_a_new_room_with_bots_and_answer_messages() -> None:
    class Host(RoomHooks):
        def opened(self, room: Any) -> None:
            room.add_bot(lambda player, world: 0, "robot")

        def received(self, room: Any, player: Any, data: bytes) -> None:
            room.send(b"%d said " % player.peer_id + data)

    hall = Hall(Yard, hooks=Host())
    one = hall.join("one")
    hall.run(0.5)
    one.connection.send_reliable(encode_message(RoomMessage(b"hello")))
    hall.run(0.5)
    assert hall.server.reads_messages
    assert not Hall(Yard).server.reads_messages
    assert next(iter(hall.room.players.values())).name == "robot"
    assert RoomMessage(b"1 said hello") in one.messages


@pytest.mark.parametrize("watches", [False, True])
def test_a_hook_greets_each_newcomer_once(watches: bool) -> None:
    class Host(RoomHooks):
        def joined(self, room: Any, player: Any) -> None:
            room.send(b"to you", to=player.peer_id)
            room.send(b"to all")
            room.send(b"soon", to=player.peer_id, reliable=False)

    hall = Hall(Yard, hooks=Host())
    one = hall.join("one", watches=watches)
    hall.run(0.5)
    assert [type(one.messages[0]), *one.messages[-2:]] == [RoomWelcome, RoomMessage(b"to you"), RoomMessage(b"to all")]
    assert one.notes == [b"soon"]
    assert not hall.of(MessageDropped)
    two = hall.join("two")
    hall.run(0.5)
    assert one.messages[-1] == RoomMessage(b"to all")
    assert one.messages.count(RoomMessage(b"to you")) == 1
    hall.vanish("two")
    hall.run(6.0)
    again = hall.join("again", token=two.token)
    hall.run(0.5)
    assert hall.of(PlayerRejoined)
    assert RoomMessage(b"to you") not in again.messages


def test_a_message_that_a_hook_cannot_bear_ends_its_room() -> None:
    class Strict(RoomHooks):
        def received(self, room: Any, player: Any, data: bytes) -> None:
            raise LookupError(data.decode())

    hall = Hall(Yard, hooks=Strict())
    one = hall.join("one")
    hall.run(0.5)
    one.connection.send_reliable(encode_message(RoomMessage(b"hello")))
    hall.run(0.5)
    assert [failed.error for failed in hall.of(RoomFailed)] == ["LookupError: hello"]


def test_who_says_goodbye_has_left_and_was_never_lost() -> None:
    hall = Hall(Yard)
    one, two = hall.join("one"), hall.join("two")
    hall.run(0.5)
    two.connection.close()
    hall.run(0.5)
    states = [each.state for each in one.messages if isinstance(each, SeatNews) and each.seat == two.seat]
    assert states[-1] == Presence.LEFT
    assert Presence.CONNECTION_LOST not in states


def test_the_report_of_a_failed_room_has_every_field_of_a_player() -> None:
    class Broken(Yard):
        def advance(self, inputs: Any) -> None:
            super().advance(inputs)
            if self.ticks == 40:
                raise LookupError

    hall = Hall(Broken)
    hall.join("one")
    hall.run(1.0)
    [failed] = hall.of(RoomFailed)
    [state] = failed.states.values()
    for name in state:
        assert f"    {name} = " in failed.report()
