"""``python -m benchmarks cheats`` and ``chaos --hours``: what they print, and the line that repeats one match."""

from typing import Any

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import chaos, cheats
from typer.testing import CliRunner

from tests.checkers.cheats.match import CheatFailure, CheatOutcome
from tests.checkers.long_play import LongPlay

RUNNER = CliRunner()


def outcome(**details: Any) -> CheatOutcome:
    usual = {
        "broken": 3, "with_cheat": True, "shown_out": False, "resynced": False, "begun": True, "losses": 0,
        "longest_hold": 1.5, "memory": 2048, "calls_at_once": 9, "seconds": 8.0,
    }  # fmt: skip
    return CheatOutcome(**{**usual, **details})


def test_one_match_is_played_and_summed_up() -> None:
    line = ["cheats", "--matches", "1", "--seed", "2", "--players", "3", "--processes", "1"]
    result = RUNNER.invoke(app, line)
    assert result.exit_code == 0, result.output
    assert "all 1 matches are well" in result.output
    for words in ("longest hold", "largest session", "simulated time"):
        assert words in result.output


def test_a_cheat_that_gets_its_way_is_named_with_the_line_that_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def played(scenario: Any) -> CheatOutcome:
        if scenario.seed == 8:
            raise CheatFailure("Held", "peer1 [for] 30 s")
        return outcome(resynced=True)

    monkeypatch.setattr(cheats, "play_cheats", played)
    monkeypatch.setattr(cheats, "shrunk", lambda scenario, fails: scenario)
    line = ["cheats", "--matches", "2", "--colluding", "--seed", "7", "--processes", "1", "--shrink"]
    result = RUNNER.invoke(app, line)
    assert result.exit_code == 1
    assert "seed 8: Held: peer1 [for] 30 s" in result.output
    assert "again: python -m benchmarks cheats --matches 1 --colluding --seed 8 --shrink" in result.output
    assert "machines; as player: peer" in result.output
    assert "in 1 of 2 matches a cheat got its way" in result.output


@pytest.mark.parametrize(("losses", "code"), [(0, 0), (1, 1)])
def test_more_honest_machines_out_than_the_limit_are_a_failure(
    monkeypatch: pytest.MonkeyPatch, losses: int, code: int
) -> None:
    monkeypatch.setattr(cheats, "play_cheats", lambda scenario: outcome(losses=losses))
    result = RUNNER.invoke(app, ["cheats", "--matches", "5", "--colluding", "--processes", "1"])
    assert result.exit_code == code
    assert f"{5 * losses} with an honest machine out" in result.output


def test_a_planted_error_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cheats, "seeds_until_found", lambda name, first, most: (3, "Parted: all"))
    result = RUNNER.invoke(app, ["cheats", "--flaw", "no-consents", "--seed", "5"])
    assert result.exit_code == 0
    assert "no-consents: found by seed 7: Parted: all" in result.output
    monkeypatch.setattr(cheats, "seeds_until_found", lambda name, first, most: (0, ""))
    assert RUNNER.invoke(app, ["cheats", "--flaw", "no-consents"]).exit_code == 1
    assert RUNNER.invoke(app, ["cheats", "--flaw", "nobody"]).exit_code == 2


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
