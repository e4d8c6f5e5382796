"""``retick serve``, ``retick bots``, ``retick demo --authority`` and ``retick bench authority``."""

import json
from contextlib import suppress

import pytest
import typer
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.demo_authority import demo_authority
from retick.cli.serve import metrics_text
from retick.cli.weather import run_weather
from retick.errors import UsageError
from tests.authority.courses import Field


@pytest.mark.parametrize("command", [["serve"], ["bots"], ["bench", "authority"]])
def test_help_shows_an_example(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Example: retick" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--rooms", "0"],
        ["serve", "--tick-rate", "0"],
        ["serve", "--players", "17"],
        ["serve", "--config", "no such file.json"],
        ["bots", "0"],
        ["bots", "1", "--loss", "101"],
        ["bots", "1", "--connect", ":7777"],
        ["bench", "authority", "--part", "luck"],
        ["bench", "authority", "--seconds", "1"],
    ],
)
def test_misuse_is_told_in_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, UsageError)
    assert "\n" not in str(result.exception)


def test_metrics_name_rooms_players_and_refusals() -> None:
    field = Field()
    field.join("a")
    field.join("b", room="nowhere")
    field.run(2.0)
    lines = metrics_text(field.server).splitlines()
    assert 'retick_room_players{room=""} 1' in lines
    assert any(line.startswith('retick_player_ticks_buffered{room="",peer="2"}') for line in lines)
    assert 'retick_refused{reason="bad_join"} 1' in lines


def test_the_bench_measures_bytes_and_a_short_scenario() -> None:
    result = CliRunner().invoke(
        app, ["bench", "authority", "--part", "scenario", "--seeds", "1", "--seconds", "40", "--json", "--check"]
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)["scenario"]
    assert all(row["kept"] for row in rows)


def test_server_and_bots_meet_in_separate_processes(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether all went smoothly depends on the machine's other work; that they meet does not."""
    with suppress(typer.Exit):
        demo_authority(bots=2, seconds=4.0)
    assert "2 of 2" in capsys.readouterr().out


def test_after_bad_weather_no_client_is_stuck_and_corrections_end() -> None:
    """The short form; five minutes of it are ``retick bench authority --part weather``."""
    found = run_weather(2, seconds=24.0, clients=2)
    assert found.loss > 0.15
    assert found.stuck == 0
    assert found.pending <= 256
    assert found.late_corrections == 0
