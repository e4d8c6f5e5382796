"""``python -m benchmarks agents``: what it prints, and when a target is missed."""

import json
from dataclasses import replace

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import agents as bench
from benchmarks.commands.agents import AgentsReport
from typer.testing import CliRunner

from retick.integrations.vector import VectorFighter
from tests.cli.conftest import Run

REPORT = AgentsReport(
    stepped=160.0,
    stepped_alone=85.0,
    observed=58.0,
    observed_alone=29.0,
    c_loop=34.0,
    matches=100_000,
    threads=2,
)


def shown(monkeypatch: pytest.MonkeyPatch, report: AgentsReport, *options: str) -> tuple[int, str]:
    monkeypatch.setattr(bench, "measure_agents", lambda *_: report)
    result = CliRunner().invoke(app, ["agents", *options])
    return result.exit_code, result.output


def test_the_rates_are_shown_beside_the_c_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    code, output = shown(monkeypatch, REPORT, "--check")
    assert code == 0
    assert "160.0" in output
    assert "2.50 times the C loop" in output
    assert "missed" not in output


@pytest.mark.parametrize("poor", [replace(REPORT, stepped=79.0), replace(REPORT, observed=19.0)])
def test_a_missed_target_is_reported_and_checked(monkeypatch: pytest.MonkeyPatch, poor: AgentsReport) -> None:
    code, output = shown(monkeypatch, poor, "--check")
    assert code == 1
    assert output.count("missed") == 1
    assert shown(monkeypatch, poor)[0] == 0
    assert json.loads(shown(monkeypatch, poor, "--json")[1])["kept"] is False


def test_without_a_compiler_the_c_loop_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    code, output = shown(monkeypatch, replace(REPORT, c_loop=None))
    assert code == 0
    assert "the C loop is left out" in output


def test_it_measures_and_names_a_wrong_count(run: Run) -> None:
    code, out, _ = run("agents", "--matches", 100, "--rounds", 1)
    assert code == 0
    assert "100 matches, 2 threads" in out
    code, _, err = run("agents", "--threads", 0)
    assert code == 2
    assert "--threads must be 1 or more, not 0" in err


def test_matches_that_are_not_the_games_own_are_noticed(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(VectorFighter, "step", lambda self, actions: None)
    code, _, err = run("agents", "--matches", 3, "--rounds", 1)
    assert code == 1
    assert "match 0 in arrays is not the match of the game" in err
