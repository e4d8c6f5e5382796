"""``python -m benchmarks sim``: what it prints, and when a target is missed."""

from dataclasses import replace

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import sim as bench
from benchmarks.commands.sim_measure import Report
from typer.testing import CliRunner

RUNNER = CliRunner()
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


def shown(monkeypatch: pytest.MonkeyPatch, report: Report, *options: str) -> tuple[int, str]:
    monkeypatch.setattr(bench, "measure", lambda _plan, _progress: report)
    result = RUNNER.invoke(app, ["sim", *options])
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
def test_a_missed_target_is_reported_and_checked(monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
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


@pytest.mark.parametrize("option", ["--frames", "--rounds", "--memory-frames"])
def test_counts_below_one_are_refused(option: str) -> None:
    result = RUNNER.invoke(app, ["sim", option, "0"])
    assert result.exit_code == 2
    assert f"{option} must be 1 or more, not 0" in result.stderr
