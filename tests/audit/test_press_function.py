"""A game's own bot is found, and nothing that only looks like one is called."""

from collections.abc import Sequence
from typing import Any

import pytest

from retick.audit.game_loader import played_rows, press_function_of
from retick.errors import UsageError
from retick.sim import World
from retick.sim.world import WorldSimulation
from tests.audit.cheating_games import Diary, Honest
from tests.audit.tank_games import LEFT, UP, Tanks, WithBot, WithKeyboard


class WorldWithBot(Diary):
    def press(self, player: int, state: Any) -> int:
        return 1 << player


def test_a_bot_of_the_game_or_of_its_world_is_found() -> None:
    assert press_function_of(WithBot()) is not None
    press = press_function_of(WorldSimulation(WorldWithBot()))
    assert press is not None
    assert press(1, None) == 2


def test_a_function_of_the_games_module_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def bot(player: int, state: Any) -> int:
        return 3

    assert press_function_of(Honest()) is None
    monkeypatch.setattr("tests.audit.cheating_games.bot", bot, raising=False)
    assert press_function_of(Honest()) is bot


@pytest.mark.parametrize("game", [Tanks, WithKeyboard])
def test_another_function_of_that_name_is_no_bot(game: Any) -> None:
    assert press_function_of(game()) is None


def test_the_bot_plays_every_seat_and_sees_the_state() -> None:
    game = WithBot()
    rows = played_rows(game, game.bot, 1, 120)
    assert len(rows) == 120
    assert rows[0] == (UP, LEFT)
    assert rows[-1] == (LEFT, LEFT)


def test_a_bots_value_is_cut_to_the_size_of_an_input() -> None:
    assert played_rows(Honest(), lambda player, state: -1, 1, 1) == [(0xFFFF, 0xFFFF)]


class Chase(World):
    """Player 1 follows player 0, and knows where that is."""

    num_players = 2
    places: list[int]

    def start(self, seed: int) -> None:
        self.places = [0, 5]

    def advance(self, inputs: Sequence[int]) -> None:
        self.places = [place + pressed for place, pressed in zip(self.places, inputs, strict=True)]

    def bot(self, player: int, world: Any) -> int:
        return 2 if player == 0 else int(world.places[1] < world.places[0])


def test_a_bot_of_a_declared_world_may_read_its_fields() -> None:
    game = Chase()
    press = press_function_of(game)
    assert press is not None
    rows = played_rows(game, press, 1, 5)
    assert rows == [(2, 0), (2, 0), (2, 0), (2, 1), (2, 1)]


def test_a_bot_cannot_write_the_world() -> None:
    class Cheat(Chase):
        def bot(self, player: int, world: Any) -> int:
            world.places = [100, 100]
            return 0

    game = Cheat()
    press = press_function_of(game)
    assert press is not None
    with pytest.raises(UsageError, match="places"):
        press(0, game.initial_state(1))
    assert game.places == [0, 5]


def test_a_game_without_a_declared_world_has_none_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.audit.cheating_games.bot", lambda player, world: 3, raising=False)
    assert press_function_of(Honest()) is None
