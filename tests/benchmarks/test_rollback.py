"""``python -m benchmarks rollback``: figures beside the game's own share, and runs that must agree."""

import json

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import rollback as bench_rollback
from benchmarks.commands.rollback import UncompiledFighter, measure_rollback
from typer.testing import CliRunner

from retick.errors import RetickError
from retick.games.fighter import Fighter

RUNNER = CliRunner()


def test_rollback_measures_every_figure_beside_the_games_own_share() -> None:
    result = RUNNER.invoke(app, ["rollback", "--frames", "200", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    figures = {each["name"]: each for each in json.loads(result.stdout)["figures"]}
    assert [each["steps"] for each in figures.values()] == [8, 3, 9, 9]
    assert all(each["microseconds"] > 0 and each["own"] > 0 for each in figures.values())


def test_rollback_prints_a_line_for_each_and_the_c_loop() -> None:
    result = RUNNER.invoke(app, ["rollback", "--frames", "120", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    for words in ("sync test, 7 frames", "8-frame rollback, every tick", "adds to plain Python", "C loop"):
        assert words in result.output


def test_targets_follow_the_speed_of_the_machine() -> None:
    bounds = {each.name: each.bound for each in measure_rollback(100, 1, slow=0.5)}
    assert bounds["sync test, 7 frames"] == 0.44


def test_the_uncompiled_fighter_is_the_fighter() -> None:
    plain, game = UncompiledFighter(), Fighter()
    slots, state = plain.initial_state(3), game.initial_state(3)
    for frame in range(60):
        inputs = (frame % 16, (frame * 7) % 16)
        slots, state = plain.step(slots, inputs), game.step(state, inputs)
        assert plain.checksum(slots) == game.checksum(state)


def test_ways_that_end_differently_stop_the_rollback_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rollback, "_synctest", lambda sim, rows, distance: 5)
    with pytest.raises(RetickError, match="ends differently"):
        measure_rollback(100, 1)


def test_a_missed_target_is_exit_code_1_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bench_rollback.TARGETS, "sync test, 7 frames", 0.0)
    tiny = ["rollback", "--frames", "100", "--rounds", "1"]
    assert RUNNER.invoke(app, tiny).exit_code == 0
    result = RUNNER.invoke(app, [*tiny, "--check"])
    assert result.exit_code == 1
    assert "MISSED" in result.output
