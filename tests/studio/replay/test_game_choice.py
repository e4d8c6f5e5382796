"""A file picks one of the games that are known, and never another."""

import sys

import pytest

from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.replay import Replay
from retick.studio.replay.slot import GameNotKnown, Games

FRAMES = [(0, 0)] * 3


def test_recordings_of_this_library_are_shown_with_its_games() -> None:
    games = Games(None)
    assert isinstance(games.make_for(Replay(seed=1, frames=FRAMES, game_id="retick.fighter"))(), Fighter)
    scramble = Scramble()
    replay = Replay(seed=1, frames=b"", num_players=scramble.num_players, game_id="retick.scramble")
    assert isinstance(games.make_for(replay)(), Scramble)


def test_a_recording_without_a_name_and_without_checksums_is_of_the_fighter() -> None:
    assert isinstance(Games(None).make_for(Replay(seed=1, frames=FRAMES))(), Fighter)


@pytest.mark.parametrize("name", ["this:that", "os:system", "tests.toys:Tally", "nobody.knows"])
def test_a_name_in_a_file_imports_nothing(name: str) -> None:
    before = set(sys.modules)
    with pytest.raises(GameNotKnown, match="retick studio module:Class"):
        Games(None).make_for(Replay(seed=1, frames=FRAMES, game_id=name))
    assert set(sys.modules) == before


def test_a_recording_that_names_no_game_but_has_checksums_is_of_the_studios_game() -> None:
    replay = Replay(seed=1, frames=FRAMES, checkpoints={0: 1})
    with pytest.raises(GameNotKnown, match="does not name its game"):
        Games(None).make_for(replay)
    game = Games("tests.toys:Tally").make_for(replay)()
    assert type(game).__name__ == "Tally"


def test_the_game_of_the_command_line_is_used_for_its_own_recordings_only() -> None:
    games = Games("tests.studio.replay.slow_game:Slow")
    assert type(games.make_for(Replay(seed=1, frames=FRAMES, game_id="tests.slow"))()).__name__ == "Slow"
    assert isinstance(games.make_for(Replay(seed=1, frames=FRAMES, game_id="retick.fighter"))(), Fighter)
    with pytest.raises(GameNotKnown):
        games.make_for(Replay(seed=1, frames=FRAMES, game_id="tests.other"))
