"""``retick serve``, ``retick bots``, ``retick demo --authority`` and ``retick bench authority``."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.bench.authority_load import measure_load
from retick.cli.demo.authority import demo_authority
from retick.cli.serve.bots import RunningBot
from retick.cli.serve.serve import _runner_config, metrics_text
from retick.errors import RetickError, UsageError
from retick.games.runner import RunnerConfig
from retick.link import Reason
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
        ["bots", "1", "--seconds", "nan"],
        ["bots", "1", "--jitter", "inf"],
        ["serve", "--port", "0", "--seconds", "-1"],
        ["serve", "--port", "0", "--seconds", "nan"],
        ["bench", "authority", "--seconds", "nan"],
        ["bots", "1", "--connect", ":7777"],
        ["bench", "authority", "--part", "luck"],
        ["bench", "authority", "--seconds", "1"],
    ],
)
def test_misuse_is_told_in_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, UsageError)
    assert "\n" not in str(result.exception)


def test_a_config_file_holds_where_no_option_was_given(tmp_path: Path) -> None:
    file = tmp_path / "server.json"
    file.write_text('{"serverTickRate": 30, "maxPlayers": 4, "snapshotRate": 10}')
    config = _runner_config(file, None, None, 15)
    assert (config.server_tick_rate, config.max_players, config.snapshot_rate) == (30, 4, 15)
    assert _runner_config(None, None, None, None) == RunnerConfig()


def test_a_config_file_that_is_no_text_or_too_fast_is_misuse_and_one_that_is_no_json_is_complained_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "server.json"
    for content in (b"\xff\xfe{", b'{"serverTickRate": 1000}'):
        file.write_bytes(content)
        with pytest.raises(UsageError):
            _runner_config(file, None, None, None)
    file.write_bytes(b"{oops")
    assert _runner_config(file, None, None, None) == RunnerConfig()
    assert "server.json: not JSON, so defaults are used" in capsys.readouterr().err


def test_bots_without_a_server_stop_when_none_is_left_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.cli.serve.bots.RunningBot", Turned)
    result = CliRunner().invoke(app, ["bots", "2", "--connect", "127.0.0.1:9", "--seconds", "3600"])
    assert result.output.startswith("2 bots dial 127.0.0.1 port 9 for 3600 s")
    assert isinstance(result.exception, RetickError)
    assert "no bot is left at 127.0.0.1 port 9 (no answer): is retick serve running there?" in str(result.exception)


class Turned(RunningBot):
    """Learns at its first turn that nobody answers."""

    def tick(self) -> None:
        self.client._fail(Reason.NO_ANSWER, "no answer")
        super().tick()


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


def test_the_load_run_seats_its_senders_and_says_where_time_goes() -> None:
    load = measure_load(rooms=2, players=2, seconds=1.0)
    assert load.joined == 4
    assert load.ticks
    assert set(load.spent) == {"receive", "tick", "snapshots", "send"}
    assert all(seconds > 0 for seconds in load.spent.values())
