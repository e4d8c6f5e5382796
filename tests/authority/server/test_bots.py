"""Bots: what is none is refused at once, and one that cheats ends its room."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.host.events import RoomFailed
from tests.authority.server.clients import Hall
from tests.authority.server.yard import Yard


def test_what_is_no_bot_is_refused_at_once() -> None:
    room: Any = Hall(Yard).room
    for wrong, words in (
        (5, "not 5"),
        (lambda player: 0, "takes"),
        (lambda world, player: 0, "in this order"),
    ):
        with pytest.raises(UsageError, match=words):
            room.add_bot(wrong)
    with pytest.raises(UsageError, match="printable"):
        room.add_bot(lambda player, world: 0, "a\nb")
    assert room.players == {}


def test_a_bot_that_changes_the_world_ends_its_room() -> None:
    def cheat(player: int, world: Any) -> int:
        world.walkers[0].x = world.walkers[0].x + (world.ticks == 5)
        return 0

    hall = Hall(Yard)
    hall.room.add_bot(cheat)
    hall.run(0.3)
    [failed] = hall.of(RoomFailed)
    assert "only read it" in failed.error
    assert "walkers[id" in failed.error


@pytest.mark.parametrize("pressed", [-1, 1 << 16, 1.5, None])
def test_a_bot_that_presses_what_is_no_input_ends_its_room(pressed: Any) -> None:
    hall = Hall(Yard)
    hall.room.add_bot(lambda player, world: pressed)
    hall.run(0.1)
    [failed] = hall.of(RoomFailed)
    assert "the bot of seat 0" in failed.error
