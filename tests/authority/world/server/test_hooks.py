"""What an application does in the middle of a room."""

from typing import Any

import pytest

from retick.authority.events import (
    PlayerLeft,
    RoomClosed,
    RoomFailed,
)
from retick.authority.world.messages import (
    Ended,
    RoomOver,
)
from retick.authority.world.server import RoomHooks, WorldServerConfig
from tests.authority.world.server.clients import Hall
from tests.authority.world.server.yard import Yard


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
