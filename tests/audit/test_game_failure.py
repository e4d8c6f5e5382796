"""What a game raised, with the line of the game that led there."""

from pathlib import Path

import pytest

from retick.audit.game_failure import game_failure, is_raised_by_game
from retick.audit.game_loader import load_game
from retick.errors import UsageError

FULL = """
from typing import Annotated
from retick.sim import U8, Most, Thing, World


class Shot(Thing):
    x: U8 = 0


class Game(World):
    num_players = 2
    shots: Annotated[list[Shot], Most(3)]

    def advance(self, inputs):
        self.fire()

    def fire(self):
        self.shots.append(Shot())
"""


def failure_of(tmp_path: Path) -> Exception:
    (tmp_path / "full_game.py").write_text(FULL)
    sim = load_game(f"{tmp_path / 'full_game.py'}:Game")()
    state = sim.initial_state(1)
    for _ in range(3):
        state = sim.step(state, (0, 0))
    with pytest.raises(UsageError) as caught:
        sim.step(state, (0, 0))
    return caught.value


def test_an_error_of_the_library_names_the_innermost_line_of_the_game(tmp_path: Path) -> None:
    error = failure_of(tmp_path)
    assert is_raised_by_game(error)
    place = f"{tmp_path / 'full_game.py'}:18 in Game.fire: self.shots.append(Shot())"
    assert game_failure(error) == f"the game raised UsageError: Game.shots holds at most 3, not 4 ({place})"


def test_notes_come_after_the_place(tmp_path: Path) -> None:
    error = failure_of(tmp_path)
    error.add_note("in frame 5")
    assert game_failure(error).endswith(" in Game.fire: self.shots.append(Shot()), in frame 5)")


def test_an_error_that_no_line_of_a_game_led_to_is_not_the_games() -> None:
    with pytest.raises(UsageError) as caught:
        load_game("retick.games.fighter:Nobody")
    error = caught.value
    assert error.__traceback__ is not None
    error.__traceback__ = error.__traceback__.tb_next  # without the line of this test
    assert not is_raised_by_game(error)
    assert "game_loader.py:" in game_failure(error)


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    (tmp_path / "long_game.py").write_text(FULL.replace("Shot())", "Shot(), *" + "0, " * 60 + ")"))
    sim = load_game(f"{tmp_path / 'long_game.py'}:Game")()
    with pytest.raises(TypeError) as caught:
        sim.step(sim.initial_state(1), (0, 0))
    assert "...)" in game_failure(caught.value)
