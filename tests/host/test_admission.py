"""Who may come in: what a refused player is told."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.authority import JoinFailed
from retick.link import Reason
from retick.netrunner import Server, ServerConfig
from tests.netrunner.courses import Field, small_rooms


def nothing(server: Server) -> None:
    pass


@pytest.mark.parametrize(
    ("room", "before", "reason", "words"),
    [
        ("nowhere", nothing, Reason.DENIED, "there is no room 'nowhere'"),
        ("red", lambda server: server.close_room("red", "over"), Reason.DENIED, "the room 'red' has ended: over"),
        ("red", lambda server: server.drain("maintenance"), Reason.SHUTDOWN, "maintenance"),
        ("red", lambda server: server.drain(""), Reason.SHUTDOWN, "the program ends"),
        ("red", nothing, Reason.FULL, "the room is full"),
    ],
    ids=["unknown", "ended", "draining", "draining without a word", "full"],
)
def test_a_player_who_is_refused_is_told_why(
    room: str, before: Callable[[Any], None], reason: Reason, words: str
) -> None:
    field = Field(profile=small_rooms(1), config=ServerConfig(rooms=("red", "blue")))
    field.join("first", room="red")
    field.run(1.0)
    before(field.server)
    field.join("second", room=room)
    field.run(1.0)
    [failed] = field.of("second", JoinFailed)
    assert (failed.reason, failed.text) == (reason, words)
