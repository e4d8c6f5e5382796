"""What is drawn is never the world that the session plays with; what is not given is found at the game."""

import sys
from types import ModuleType
from typing import Any

import pygame
import pytest

from retick import replay
from retick.errors import UsageError
from retick.integrations.pygame import pygame_game_of as window_game_of
from retick.integrations.window_game import WindowGame
from retick.playing import Match
from retick.playing.match_line import MatchLine
from retick.playing.names import Seats
from retick.sim import U8, WorldSimulation
from tests.integrations.pygame import runners


def game_of(make: object) -> WindowGame:
    return WindowGame(game=make, draw=runners.draw, press=runners.press)  # type: ignore[arg-type] # any game


def test_a_world_is_drawn_from_a_second_one() -> None:
    recorded = replay.Replay(seed=1, frames=[(1, 0)] * 4, game_id="test.runners", game_version=1)  # type: ignore[arg-type] # rows are packed
    match = Match(runners.Runners, MatchLine("replay", "match.rtk", recorded=recorded))
    assert match.world is not match._sim()
    assert match.world.runners[0].steps == 0
    match.playback.player.seek(2)
    match.turn()
    assert match.world.runners[0].steps == 2


class Counter:
    """A world that saves itself."""

    num_players = 2

    def reset(self, seed: int) -> None:
        self.count = seed

    def advance(self, inputs: object) -> None:
        self.count += 1

    def save(self) -> bytes:
        return self.count.to_bytes(4, "little")

    def load(self, saved: bytes) -> None:
        self.count = int.from_bytes(saved, "little")

    def fields(self) -> list[tuple[str, int]]:
        return [("count", self.count)]


def test_a_world_that_saves_itself_gets_its_adapter() -> None:
    game = game_of(Counter)
    sim = game.make()
    assert isinstance(sim, WorldSimulation)
    recorded = replay.Replay(seed=4, frames=[(0, 0)] * 4)  # type: ignore[arg-type] # rows are packed
    match = Match(Counter, MatchLine("replay", "match.rtk", recorded=recorded))
    match.playback.player.seek(1)
    assert match.world.count == 5


class Shown(runners.Runners):
    """A game that draws itself, as most games do."""

    press = runners.first

    def draw(self, screen: Any) -> None:
        screen.append(self.runners[0].steps)

    def result(self) -> str:
        return f"{self.runners[0].steps} steps"


class Named(Shown):
    def draw(self, screen: Any, me: Seats) -> None:  # type: ignore[override] # the other form that is allowed
        screen.append(me.names)


def drawn(game: WindowGame, me: Seats) -> Any:
    sim = game.make()
    sim.initial_state(1)
    screen: Any = []
    game.draw(screen, getattr(sim, "world", sim), me)
    return screen[0]


ME = Seats.named((1,), 2, {1: "Bob"})


def test_a_world_may_draw_itself_and_say_its_result() -> None:
    game = window_game_of(Shown)
    assert drawn(game, ME) == 0
    assert game.press == (runners.first,)
    assert game.result is not None
    world = Shown()
    world.reset(1)
    assert game.result(world) == "0 steps"


def test_who_draws_may_ask_for_the_names_of_all_players() -> None:
    assert drawn(window_game_of(Named), ME) == ("player 1", "Bob")
    assert drawn(window_game_of(Named, draw=lambda screen, world: screen.append("two")), ME) == "two"
    assert drawn(window_game_of(Named, draw=lambda screen, world, me: screen.append(me)), ME) == (1,)
    assert drawn(window_game_of(Named, draw=lambda *given: given[0].append(given[2])), ME) == (1,)


def test_what_is_given_comes_first_then_the_class_then_the_modules() -> None:
    module = ModuleType("window")
    module.title, module.size, module.press = "of the module", (10, 20), runners.second  # type: ignore[attr-defined] # ours
    game = window_game_of(Shown, module, title="given", folder=None)
    assert (game.title, game.size, game.press, game.folder) == ("given", (10, 20), (runners.first,), None)


def test_a_field_of_the_world_is_not_taken_for_a_part_of_its_window() -> None:
    class Resulting(runners.Runners):
        result: U8

    assert window_game_of(Resulting, runners).result is runners.result


class Fonts(runners.Runners):
    def draw(self, screen: Any, font: Any) -> None: ...


class Bare(runners.Runners):
    pass


@pytest.mark.parametrize(
    ("game", "given", "text"),
    [
        (Fonts, {}, r"draw\(self, screen, font\) must be draw\(self, screen\) or .*: fonts and pictures are made once"),
        (Bare, {"draw": lambda screen: None}, r"draw\(screen\) must be draw\(screen, world, me\)"),
        (Bare, {"size": 5}, r"size must be the width and height of the window, such as \(640, 480\), not 5"),
        (Bare, {"title": 5}, "title must be a text, not a int"),
        (Bare, {"config": {}}, "config must be a MatchConfig, not a dict"),
    ],
)
def test_what_cannot_be_used_is_named(game: type, given: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        window_game_of(game, **{"draw": None if game is Fonts else runners.draw, "press": runners.press, **given})


def test_a_game_with_nothing_is_told_what_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, Bare.__module__, ModuleType("empty"))
    with pytest.raises(UsageError, match=r"Bare has no draw: write draw\(screen, world, me\), or a method"):
        window_game_of(Bare)
    with pytest.raises(UsageError, match="Bare has no press: write press"):
        window_game_of(Bare, draw=runners.draw)


def test_a_sound_costs_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    heard: list[Any] = []
    sound = type("Sound", (), {"play": lambda self: heard.append("played")})()
    game = window_game_of(runners.Runners, sounds={"fall": sound}, hear=heard.append)
    assert game.hear is not None
    game.hear(("fall",))
    assert heard == ["played", ("fall",)]
    pygame.mixer.quit()
