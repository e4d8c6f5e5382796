"""``retick bench sim``: every figure is there, ways of playing agree or it says so, and misses are told."""

import json
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.bench import sim as bench
from retick.cli.bench import sim_measure as bench_sim
from retick.cli.bench.sim_measure import Plan, Report, Target
from retick.cli.bench.sim_worker import Bench
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout

RUNNER = CliRunner()
TINY = ["bench", "sim", "--frames", "240", "--rounds", "1", "--memory-frames", "500"]
REPORT = Report(
    run_against_c=1.25,
    step_speedup=20.5,
    run_speedup=150.0,
    run_against_step=14.0,
    nanoseconds={
        "compiled": {"run": 7.0, "step": 98.0, "checksum": 50.0},
        "pure": {"run": 1050.0, "step": 2009.0, "checksum": 2000.0},
        "c": {"run": 5.6},
    },
    memory={"frames": 10_000_000, "resident_growth": 4096, "heap_growth": 265, "heap_peak": 700},
    import_ms=25.0,
    import_extras=(),
    checksum=0x1234ABCD,
    machine={"python": "3.11", "system": "Any", "c": "cc"},
)


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


def test_run_takes_no_more_memory_for_more_frames() -> None:
    timer = Bench(bout(1, 200), None)
    timer.memory(10)
    few, many = timer.memory(200), timer.memory(6000)
    assert few["heap_peak"] is not None
    assert many["heap_peak"] is not None
    assert many["heap_peak"] - few["heap_peak"] < 6000


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


def shown(monkeypatch: pytest.MonkeyPatch, report: Report, *options: str) -> tuple[int, str]:
    monkeypatch.setattr(bench, "measure", lambda _plan, _progress: report)
    result = RUNNER.invoke(app, ["bench", "sim", *options])
    return result.exit_code, result.output


def test_the_tables_show_ratios_before_times(monkeypatch: pytest.MonkeyPatch) -> None:
    code, output = shown(monkeypatch, REPORT, "--check")
    assert code == 0
    assert output.index("1.25") < output.index("5.6")
    assert "0x1234ABCD" in output
    assert "10,000,000 frames" in output
    assert "missed" not in output


@pytest.mark.parametrize(
    "report",
    [
        replace(REPORT, run_against_c=1.31),
        replace(REPORT, step_speedup=7.9),
        replace(REPORT, import_ms=61.0),
        replace(REPORT, import_extras=("rich",)),
        replace(REPORT, memory=REPORT.memory | {"resident_growth": 40_000_000}),
    ],
    ids=["loop", "step", "import", "extras", "memory"],
)
def test_a_missed_target_is_told_and_checked(monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
    code, output = shown(monkeypatch, report, "--check")
    assert code == 1
    assert output.count("missed") == 1
    assert shown(monkeypatch, report)[0] == 0


def test_what_could_not_be_measured_is_no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    poor = replace(
        REPORT,
        run_against_c=None,
        step_speedup=None,
        run_speedup=None,
        run_against_step=None,
        nanoseconds={"pure": REPORT.nanoseconds["pure"]},
        memory=REPORT.memory | {"resident_growth": None},
    )
    code, output = shown(monkeypatch, poor, "--check")
    assert code == 0
    assert "the kernels are not compiled here" in output
    assert "not known on this system" in output


def test_a_bound_is_a_floor_or_a_ceiling() -> None:
    assert Target(name="", value=8.0, bound=8.0, at_least=True).kept
    assert not Target(name="", value=7.99, bound=8.0, at_least=True).kept
    assert Target(name="", value=1.3, bound=1.3).kept
    assert not Target(name="", value=1.301, bound=1.3).kept


def test_an_interrupt_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_plan: Plan, _progress: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "measure", interrupted)
    result = RUNNER.invoke(app, ["bench", "sim"])
    assert result.exit_code == 130
    assert "interrupted" in result.output


@pytest.mark.parametrize("option", ["--frames", "--rounds", "--memory-frames"])
def test_counts_below_one_are_refused(option: str) -> None:
    result = RUNNER.invoke(app, ["bench", "sim", option, "0"])
    assert result.exit_code == 2
    assert f"{option} must be 1 or more, not 0" in result.stderr


def test_help_shows_an_example() -> None:
    assert "retick bench sim --rounds" in RUNNER.invoke(app, ["bench", "sim", "--help"]).output
