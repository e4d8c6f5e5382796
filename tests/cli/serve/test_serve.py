"""``retick serve``: its configuration, and misuse."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.serve.serve import _runner_config
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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe{", "is not UTF-8 text"),
        (b'{"serverTickRate": 1000}', "--tick-rate must be 1 to 240, not 1000"),
        (b"{oops", "is not JSON: "),
        (b"", "is not JSON: "),
        (b"[" * 100_000, "is not JSON: "),
        (b"[1]", "is not a JSON object"),
    ],
)
def test_a_config_file_that_cannot_be_used_is_misuse(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "server.json"
    file.write_bytes(content)
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--seconds", "0.01", "--config", str(file)])
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_key_that_a_server_does_not_have_is_named_and_the_others_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same file may be a client's, too."""
    file = tmp_path / "server.json"
    file.write_text('{"mouseSensitivity": 0.0023, "maxPlayers": 4}')
    assert _runner_config(file, None, None, None) == RunnerConfig(max_players=4)
    assert capsys.readouterr().err == "retick: server.json: mouseSensitivity is not a key of this configuration\n"
