"""Options of ``retick host`` and ``retick join`` that make no sense."""

import pytest
from typer.testing import CliRunner

from retick.cli.app import app

RUNNER = CliRunner()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["host", "--players", "9"], "--players must be 2 (the fighter) or 3 to 8"),
        (["host", "--players", "3", "--lan-compat"], "is for 2 players"),
        (["host", "--seats", "2"], "--seats must be 1 to 1"),
        (["host", "--delay", "31"], "--delay must be 0 to 30 frames"),
        (["host", "--rate", "0"], "--rate must be 1 to 1000"),
        (["host", "--port", "70000"], "a port is 0 to 65535"),
        (["host", "--record", "match.rplk"], "name the file .rtk"),
        (["join", "--lan-compat"], "--lan-compat needs the host's address"),
        (["join", "--wait", "0"], "--wait must be above 0"),
        (["join", "1.2.3.4:0"], "has no valid port"),
        (["watch", "1.2.3.4:0"], "has no valid port"),
        (["watch", "1.2.3.4", "--delay", "601"], "--delay must be 0 to 600"),
        (["watch", "1.2.3.4", "--players", "1"], "--players must be 2"),
    ],
)
def test_misuse_is_refused_in_words(arguments: list[str], words: str) -> None:
    bot = [] if arguments[0] == "watch" else ["--bot"]
    result = RUNNER.invoke(app, [*arguments, *bot])
    assert result.exit_code == 2
    assert words in result.stderr


def test_without_a_terminal_or_a_bot_nobody_could_play() -> None:
    result = RUNNER.invoke(app, ["host"])
    assert result.exit_code == 2
    assert "Add --bot" in result.stderr
