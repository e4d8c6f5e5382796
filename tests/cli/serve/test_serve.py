"""``retick serve``: its configuration, and misuse."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.serve.serve import _runner_config
from retick.errors import UsageError
from retick.games.runner import RunnerConfig


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--rooms", "0"],
        ["serve", "--tick-rate", "0"],
        ["serve", "--per-address", "0"],
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
def test_misuse_is_refused_in_words_in_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


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
