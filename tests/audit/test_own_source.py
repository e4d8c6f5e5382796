"""Which source belongs to a game."""

import json
from types import CodeType

from retick.audit import own_source, targets
from retick.audit.own_source import OwnSource
from retick.games.scramble import Scramble
from retick.games.scramble.bots import ScrambleBot
from retick.sim.world import WorldSimulation
from tests.audit import cheating_games
from tests.toys import Tally


def code_of(function: object) -> CodeType:
    code = getattr(function, "__code__", None)
    assert isinstance(code, CodeType)
    return code


def test_a_games_package_is_its_own_and_the_library_is_not() -> None:
    source = OwnSource(cheating_games.Honest())
    assert source.has(code_of(cheating_games.Honest.step))
    assert source.has(code_of(Tally.step))
    assert not source.has(code_of(targets.find_target))
    assert not source.has(code_of(json.dumps))


def test_of_a_world_it_is_the_source_of_the_world() -> None:
    source = OwnSource(WorldSimulation(cheating_games.Diary()))
    assert source.has(code_of(cheating_games.Diary.advance))
    assert not source.has(code_of(WorldSimulation.step))


def test_the_games_of_the_library_are_games_and_its_other_modules_are_not() -> None:
    source = OwnSource(Scramble(2))
    assert source.has(code_of(ScrambleBot.decide))
    assert not source.has(code_of(own_source.OwnSource.has))


def test_a_file_is_shown_from_the_games_folder_on() -> None:
    source = OwnSource(cheating_games.Honest())
    assert source.shown(cheating_games.__file__) == "tests/audit/cheating_games.py"
