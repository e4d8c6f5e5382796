"""The choice of a game, as it travels to another process."""

import pickle
from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import Replay, dumps
from retick.verify import games
from retick.verify.batch import Batch, BatchEntry
from retick.verify.games import FIGHTER, UnknownGame, game_for, judge_for, spec_of
from tests.verify.matches import Turned


@pytest.mark.parametrize("game", [None, FIGHTER, "tests.verify.matches:Turned", Turned, Turned()])
def test_a_choice_that_travelled_makes_the_same_game(game: Any) -> None:
    spec = pickle.loads(pickle.dumps(spec_of(game)))
    expected = Fighter if game in (None, FIGHTER) else Turned
    assert type(spec.plain_game()) is expected


def test_a_game_that_cannot_travel_says_what_to_give_instead() -> None:
    class Local(Fighter):
        pass

    with pytest.raises(UsageError, match=r"Local cannot be sent to workers .*: give the game by import path"):
        spec_of(Local())


def test_a_recording_of_a_game_that_nobody_knows_is_said() -> None:
    with pytest.raises(UnknownGame, match="'chess', which is not known here: add --game"):
        game_for(Replay(seed=1, frames=bytes(4), game_id="chess"), None, None)
    assert type(game_for(Replay(seed=1, frames=bytes(4)), None, None)) is Fighter
    assert type(game_for(Replay(seed=1, frames=bytes(4), game_id="chess"), Turned, None)) is Turned


def test_recordings_of_many_games_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_GAMES", 2)
    made: list[str] = []
    monkeypatch.setattr(games, "game_for", lambda replay, *more: made.append(replay.game_id) or Fighter())
    judge = judge_for(spec_of(None))
    for name in ("a", "b", "c", "d", "d", "a"):
        data = dumps(Replay(seed=1, frames=bytes(4), game_id=name), format="rtk")
        judge.rows(Batch(data, [BatchEntry(name, 0, len(data))]))
    assert made == ["a", "b", "c", "d", "a"]
