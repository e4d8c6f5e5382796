"""``python -m benchmarks chaos``: what it prints of matches that end well, fail, or raise."""

from typing import Any

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import chaos as bench_chaos
from typer.testing import CliRunner

from tests.checkers.chaos import Outcome

RUNNER = CliRunner()


def test_chaos_tells_what_happened_in_its_matches() -> None:
    result = RUNNER.invoke(app, ["chaos", "--matches", "3", "--frames", "180", "--processes", "1"])
    assert result.exit_code == 0, result.output
    for words in ("all 3 matches ended with equal states", "rollbacks", "depths", "hits", "planted and found  1"):
        assert words in result.output


def test_a_failed_match_is_reported_with_the_line_that_runs_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(job: Any) -> Any:
        return job[0], Outcome(matches=1, frames=600, seconds=9.0), "diverged at frame 5" if job[0] == 8 else ""

    monkeypatch.setattr(bench_chaos, "run_seed", failing)
    result = RUNNER.invoke(app, ["chaos", "--matches", "3", "--seed", "7", "--processes", "1"])
    assert result.exit_code == 1
    assert "seed 8: diverged at frame 5" in result.output
    assert "python -m benchmarks chaos --matches 1 --players 2 --frames 600 --seed 8" in result.output
    assert "1 of 3 matches failed" in result.output


def test_an_exception_in_a_match_is_a_failure_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(bench_chaos, "play", broken)
    assert bench_chaos.run_seed((5, 2, 600, False))[2].startswith("the game raised ZeroDivisionError: of all things (")


@pytest.mark.parametrize("wrong", [["--players", "1"], ["--players", "9"], ["--matches", "0"], ["--frames", "10"]])
def test_chaos_that_makes_no_sense_is_misuse(wrong: list[str]) -> None:
    assert RUNNER.invoke(app, ["chaos", *wrong]).exit_code == 2


def test_online_matches_are_played_behind_routers() -> None:
    result = RUNNER.invoke(app, ["chaos", "--nat", "--matches", "2", "--frames", "180", "--processes", "1"])
    assert result.exit_code == 0, result.output
    assert "moves of paths" in result.output
    assert "all 2 matches ended with equal states" in result.output


def test_a_failed_online_match_is_reported_with_the_line_that_runs_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(bench_chaos, "play_online", broken)
    result = RUNNER.invoke(app, ["chaos", "--nat", "--matches", "1", "--seed", "7", "--processes", "1"])
    assert result.exit_code == 1
    assert "python -m benchmarks chaos --nat --matches 1 --players 2 --frames 600 --seed 7" in result.output
