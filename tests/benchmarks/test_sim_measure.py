"""The figures of ``python -m benchmarks sim``: all are there, and different ways to play one match must agree."""

import json
from typing import Any

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import sim_measure as bench_sim
from benchmarks.commands.sim_measure import Target
from typer.testing import CliRunner

from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout

RUNNER = CliRunner()
TINY = ["sim", "--frames", "240", "--rounds", "1", "--memory-frames", "500"]


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    result = RUNNER.invoke(app, [*TINY, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_begins_with_the_ratios(measured: dict[str, Any]) -> None:
    assert list(measured)[:4] == ["run_against_c", "step_speedup", "run_speedup", "run_against_step"]


def test_every_form_is_timed(measured: dict[str, Any]) -> None:
    forms = measured["nanoseconds"]
    assert {"run", "step", "checksum"} == set(forms["pure"])
    if "compiled" in forms:
        assert measured["step_speedup"] == pytest.approx(forms["pure"]["step"] / forms["compiled"]["step"])
        if "c" in forms:
            assert measured["run_against_c"] == pytest.approx(forms["compiled"]["run"] / forms["c"]["run"])
    assert all(value > 0 for form in forms.values() for value in form.values())


def test_the_match_measured_is_the_match_of_the_bots(measured: dict[str, Any]) -> None:
    game = Fighter()
    assert measured["checksum"] == game.checksum(game.run(game.initial_state(1), bout(1, 240)))


def test_memory_and_import_are_reported(measured: dict[str, Any]) -> None:
    assert measured["memory"]["frames"] == 500
    assert measured["memory"]["heap_growth"] >= 0
    assert measured["import_ms"] > 0
    assert measured["import_extras"] == []
    assert {"name", "value", "bound", "at_least", "kept"} == set(measured["targets"][0])


def test_without_a_compiler_the_c_loop_is_left_out_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_sim, "find_compiler", lambda: None)
    result = RUNNER.invoke(app, TINY)
    assert result.exit_code == 0
    assert "no C compiler found" in result.output
    assert "C, -O3" not in result.output


class Liar:
    """A worker whose ways of playing differ where it is told to."""

    def __init__(self, form: str, ends: dict[str, int], beginning: int) -> None:
        self.form = form
        self.ends = ends
        self.beginning = beginning

    def ask(self, what: str, **_details: int) -> Any:
        return self.ends if what == "checksums" else self.beginning


@pytest.mark.parametrize(
    ("ends", "beginning"),
    [({"run": 1, "step": 2}, 9), ({"run": 1, "step": 1, "c": 3}, 9), ({"run": 1, "step": 1}, 8)],
    ids=["step", "c", "the other form"],
)
def test_ways_of_playing_that_disagree_stop_the_benchmark(ends: dict[str, int], beginning: int) -> None:
    honest: Any = Liar("pure", {"run": 5, "step": 5}, 9)
    liar: Any = Liar("compiled", ends, beginning)
    assert bench_sim._agreed([honest, honest], 10) == 5
    with pytest.raises(RetickError, match="the same match ends differently"):
        bench_sim._agreed([honest, liar], 10)


def test_a_bound_is_a_minimum_or_a_maximum() -> None:
    assert Target(name="", value=8.0, bound=8.0, at_least=True).kept
    assert not Target(name="", value=7.99, bound=8.0, at_least=True).kept
    assert Target(name="", value=1.3, bound=1.3).kept
    assert not Target(name="", value=1.301, bound=1.3).kept
