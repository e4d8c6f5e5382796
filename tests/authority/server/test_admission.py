"""Who may come into a room, as a player or to watch."""

from typing import Any

import pytest

from retick.authority.messages import Presence, RoomWelcome, SeatNews
from retick.authority.server import WorldServerConfig
from retick.host.events import PlayerJoined
from retick.link import Reason
from tests.authority.server.clients import Hall
from tests.authority.server.yard import Yard


def test_players_join_with_their_names_and_see_the_world() -> None:
    hall = Hall(Yard)
    one, two = hall.join("one", name="Ann"), hall.join("two", name="Bób")
    hall.run(1.0)
    assert {one.seat, two.seat} == {0, 1}
    assert {(event.name, event.address) for event in hall.of(PlayerJoined)} == {("Ann", "one"), ("Bób", "two")}
    assert len(one.held) > 15
    assert [walker.player for walker in one.world.walkers] == [0, 1]
    assert isinstance(one.messages[0], RoomWelcome)
    names = {each.seat: (each.state, each.name) for each in one.messages if isinstance(each, SeatNews)}
    assert names == {one.seat: (Presence.PLAYING, "Ann"), two.seat: (Presence.PLAYING, "Bób")}


@pytest.mark.parametrize(
    ("options", "reason", "words"),
    [
        ({"schema": 99}, Reason.GAME_VERSION, "the world is declared differently here"),
        ({"room": "nowhere"}, Reason.DENIED, "there is no room 'nowhere'"),
        ({}, Reason.FULL, "the room is full"),
        ({"watches": True}, Reason.FULL, "the room is full"),
    ],
    ids=["schema", "room", "seats", "spectators"],
)
def test_who_is_refused_is_told_why(options: dict[str, Any], reason: Reason, words: str) -> None:
    hall = Hall(Yard, config=WorldServerConfig(max_spectators=1))
    for number in range(3):
        hall.join(f"player {number}")
    hall.join("watcher", watches=True)
    hall.run(0.5)
    late = hall.join("late", **options)
    hall.run(0.5)
    assert [(end.reason, end.text) for end in late.ends] == [(reason, words)]


def test_a_spectator_has_no_body_and_sees_no_secrets() -> None:
    hall = Hall(Yard)
    hall.join("one")
    watcher = hall.join("watcher", watches=True, name="Eve")
    hall.run(1.0)
    assert watcher.welcome is not None
    assert watcher.welcome.seat == 255
    assert [(walker.player, walker.purse) for walker in watcher.world.walkers] == [(0, 3)]
    hall.room.world.walkers[0].purse = 77
    hall.run(0.5)
    assert watcher.world.walkers[0].purse == 3
    assert len(hall.room.world.walkers) == 1
    [joined] = [event for event in hall.of(PlayerJoined) if event.is_spectator]
    assert (joined.name, joined.peer_id) == ("Eve", 256)
    watcher.connection.close()
    hall.run(0.5)
    assert hall.room.spectators() == 0
