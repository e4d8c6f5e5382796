"""Settings of an engine that are refused, each named with its rule."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.rollback import RollbackEngine
from retick.rollback.engine.checks import LONGEST_HISTORY, NEWEST_FRAME
from tests.toys import Tally

SEED = 7


def engine(sim: Any, **options: Any) -> RollbackEngine:
    options.setdefault("local_player", 0)
    return RollbackEngine(sim, sim.initial_state(SEED), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"history": 1}, "history must be at least 2 frames, not 1"),
        ({"prediction_window": -1}, "prediction_window must be from 0"),
        ({"prediction_window": 129}, "prediction_window must be from 0"),
        ({"local_player": 2}, "local seats must be different players"),
        ({"local_player": None}, "give either local_player or local_players"),
        ({"local_players": (0,)}, "give either local_player or local_players"),
        ({"local_player": None, "local_players": (0, 0)}, "local seats must be different players"),
        ({"input_delay": 500}, "input_delay must be from 0"),
        ({"start_frame": -1}, "start_frame must be 0 or more"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        engine(Tally(2), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"history": 2.5}, "history must be at least 2 frames, not 2.5"),
        ({"history": "9"}, "history must be at least 2 frames, not '9'"),
        ({"history": LONGEST_HISTORY + 1}, "history must be at most"),
        ({"history": 2**62}, "history must be at most"),
        ({"prediction_window": 2.5}, "prediction_window must be from 0 to history"),
        ({"start_frame": 1.5}, "start_frame must be 0 or more"),
        ({"start_frame": NEWEST_FRAME + 1}, "start_frame must be 0 or more and at most 4294967294"),
        ({"inputs_remembered": -1}, "inputs_remembered must be from 0 to 67108864 frames, not -1"),
        ({"inputs_remembered": 9.5}, "inputs_remembered must be from 0 to 67108864 frames, not 9.5"),
        ({"inputs_remembered": 2**62}, "inputs_remembered must be from 0"),
    ],
)
def test_settings_that_no_engine_can_have_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        engine(Fighter(), **options)


@pytest.mark.parametrize("players", [0, -1, 2.5, None, 2**40])
def test_a_game_without_a_number_of_players_is_refused(players: Any) -> None:
    sim = Tally(2)
    sim.num_players = players
    with pytest.raises(UsageError, match="num_players must be from 1"):
        RollbackEngine(sim, None, local_players=())


@pytest.mark.parametrize("size", [0, -1, 9, 2.5, "2", None])
def test_a_game_with_impossible_inputs_is_refused(size: Any) -> None:
    sim = Tally(2)
    sim.input_size = size  # type: ignore[attr-defined]  # a game may have one
    with pytest.raises(UsageError, match="input_size must be from 1 to 8 bytes"):
        RollbackEngine(sim, None, local_player=0)
