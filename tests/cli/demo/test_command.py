"""``retick demo``: options that make no sense, and its last line."""

import sys

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.demo.demo import name_the_studio

RUNNER = CliRunner()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--frames", "0"], "--frames must be 1 or more, not 0"),
        (["--loss", "95"], "--loss must be 0 to 90 percent, not 95"),
        (["--rtt", "-1"], "--rtt must be 0 to 2000"),
        (["--seed", "0"], "--seed must be 1 to"),
        (["--authority", "--record", "demo.rtk"], "--record cannot be used with --authority"),
        (["--authority", "--p1", "hopper"], "--p1 cannot be used with --authority"),
        (["--authority", "--loss", "3"], "--loss cannot be used with --authority"),
        (["--delay", "40"], "--delay"),
        (["--authority", "--plain"], "--plain cannot be used with --authority"),
        (["--authority", "--keylog", "keys"], "--keylog cannot be used with --authority"),
        (["--plain", "--keylog", "keys"], "--keylog is for sealed links"),
        (["--keylog", "no/such/keys"], "there is no folder"),
        (["--rate", "0"], "--rate"),
        (["--record", "no/such/folder/demo.rtk"], "there is no folder"),
    ],
)
def test_misuse_is_refused_in_words_before_anything_starts(arguments: list[str], words: str) -> None:
    result = RUNNER.invoke(app, ["demo", *arguments])
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize(("found", "command"), [(None, ".venv/bin/retick"), ("/usr/bin/retick", "retick")])
def test_the_last_line_names_the_studio_as_it_can_be_called_here(
    found: str | None, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/retick", "demo"])
    monkeypatch.setattr("shutil.which", lambda _: found)
    name_the_studio()
    assert capsys.readouterr().out.splitlines()[-1].endswith(f": {command} studio --open")
