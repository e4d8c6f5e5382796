"""``python -m benchmarks chaos --cheats`` and ``--hours``: what they print, and the line that repeats one match."""

from typing import Any

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import chaos
from typer.testing import CliRunner

from tests.checkers.cheats import CHEATS
from tests.checkers.cheats.match import CheatFailure, CheatOutcome
from tests.checkers.long_play import LongPlay

RUNNER = CliRunner()


def outcome(**details: Any) -> CheatOutcome:
    usual = {
        "broken": 3, "with_cheat": True, "shown_out": False, "resynced": False, "begun": True, "longest_hold": 1.5,
        "memory": 2048, "calls_at_once": 9, "seconds": 8.0,
    }  # fmt: skip
    return CheatOutcome(**{**usual, **details})


def test_jobs_go_through_all_cheats_with_each_seed() -> None:
    jobs = chaos.cheat_jobs(len(CHEATS) + 1, 5, None, None)
    assert {name for name, _, _ in jobs} == set(CHEATS)
    assert jobs[-1] == (jobs[0][0], 6, None)
    assert chaos.cheat_jobs(2, 5, 4, "no-inputs") == [("no-inputs", 5, 4), ("no-inputs", 6, 4)]


def test_one_match_is_played_and_summed_up() -> None:
    line = ["chaos", "--cheat", "false-leads", "--seed", "2", "--players", "3", "--processes", "1"]
    result = RUNNER.invoke(app, line)
    assert result.exit_code == 0, result.output
    assert "all 1 matches are well" in result.output
    for words in ("longest hold", "largest session", "rules broken"):
        assert words in result.output


def test_a_cheat_that_gets_its_way_is_named_with_the_line_that_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def played(scenario: Any) -> CheatOutcome:
        if scenario.seed == 8:
            raise CheatFailure("Held", "peer1 [for] 30 s")
        return outcome(resynced=True)

    monkeypatch.setattr(chaos, "play_cheat", played)
    line = ["chaos", "--cheats", "2", "--cheat", "no-inputs", "--seed", "7", "--processes", "1"]
    result = RUNNER.invoke(app, line)
    assert result.exit_code == 1
    assert "no-inputs, seed 8: Held: peer1 [for] 30 s" in result.output
    assert "again: python -m benchmarks chaos --cheat no-inputs --seed 8" in result.output
    assert "in 1 of 2 matches the cheat got its way" in result.output


def test_a_cheat_without_a_chance_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos, "play_cheat", lambda scenario: outcome(broken=0))
    result = RUNNER.invoke(app, ["chaos", "--cheat", "no-inputs"])
    assert "without a chance  no-inputs" in result.output


def test_hours_are_played_and_their_speed_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    played = LongPlay(frames=1000, goodbyes=2, crashes=3, checksum=5)
    monkeypatch.setattr(chaos, "play_long", lambda seconds, **details: played)
    result = RUNNER.invoke(app, ["chaos", "--hours", "1"])
    assert result.exit_code == 0
    assert "1 h of 4 machines: 1,000 frames, 2 goodbyes, 3 crashes, one outcome" in result.output
    assert "times as fast as time" in result.output


def test_an_hour_that_fails_says_with_which_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seconds: float, **details: Any) -> LongPlay:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(chaos, "play_long", broken)
    result = RUNNER.invoke(app, ["chaos", "--hours", "1", "--seed", "9"])
    assert result.exit_code == 1
    assert "seed 9: ZeroDivisionError: of all things" in result.output


def test_an_unknown_cheat_is_misuse() -> None:
    result = RUNNER.invoke(app, ["chaos", "--cheat", "nobody"])
    assert result.exit_code == 2
