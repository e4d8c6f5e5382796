"""A session and its socket: announcements, goodbyes, and names on the local network."""

from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.playing import wire
from tests.integrations.pygame.desk import Desk


class Thread:
    def join(self, _seconds: float) -> None:
        pass


class Announced:
    made: list["Announced"] = []

    def __init__(self, port: int, game: str, *, players: int, link: str) -> None:
        self.port, self.game, self.players, self.withdrawn = port, game, players, 0
        self.made.append(self)

    def withdraw(self) -> Thread:
        self.withdrawn += 1
        return Thread()


def test_a_host_is_announced_until_its_match_starts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "Announcement", Announced)
    monkeypatch.setattr(Announced, "made", [])
    desk.two()
    (announced,) = Announced.made
    assert (announced.port, announced.game, announced.players) == (desk.port, "test.runners 1", 2)
    assert announced.withdrawn == 1


def test_a_network_that_cannot_announce_is_no_reason_not_to_host(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_given: Any, **_named: Any) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(wire, "Announcement", fails)
    host, _ = desk.two()
    assert "Network is unreachable" in host.match._room_lines[1]


def test_a_game_is_found_by_its_id_and_version() -> None:
    assert wire.announced_name(Fighter()) == "retick.fighter 1"
    assert wire.announced_name(object()) == "object 0"
