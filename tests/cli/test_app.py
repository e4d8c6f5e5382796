"""The list of commands: every help is there and shows an example that can be run."""

import re
import shlex
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import retick
from retick.cli.app import app
from tests.cli.conftest import Run
from tests.cli.test_exit_codes import COMMANDS, app_of

GROUPS = ["", "desync", "replay"]


def as_typed(command: str) -> str:
    """What a person types for a command."""
    return f"python -m {command}" if command.startswith("benchmarks") else f"retick {command}".rstrip()


def found_at(command: str) -> Any:
    """The command that typer made."""
    line, words = app_of(command)
    found: Any = typer.main.get_command(line)
    for word in words:
        found = found.commands[word]
    return found


def shown(command: str) -> str:
    line, words = app_of(command)
    result = CliRunner().invoke(line, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS])
def test_every_help_shows_an_example_of_that_command(command: str) -> None:
    assert f"Example: {as_typed(command)}" in shown(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_says_what_exit_codes_mean_and_describes_every_option(command: str) -> None:
    text = shown(command)
    found = found_at(command)
    for parameter in found.params:
        described = getattr(parameter, "help", None)
        assert described or parameter.name == "help", parameter.name
    assert "Exit code 0: " in text


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPS])
def test_every_help_has_the_brackets_that_its_text_has(command: str) -> None:
    found = found_at(command)
    parameters = [getattr(parameter, "help", None) or "" for parameter in found.params]
    defaults = [each for each in (getattr(p, "show_default", None) for p in found.params) if isinstance(each, str)]
    words = [word for text in (found.help or "", *parameters, *defaults) for word in re.findall(r"\[[^\s\]]+\]", text)]
    text = shown(command)
    assert "( game" not in text
    assert all(text.count(word) >= words.count(word) for word in words)


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_examples_exist(command: str) -> None:
    found = found_at(command)
    known = {option for parameter in found.params for option in parameter.opts}
    for example in re.findall(rf"Example: ({as_typed(command)}[^│\n]*)", shown(command)):
        assert {word for word in shlex.split(example) if word.startswith("--")} <= known


def test_the_version_says_which_form_the_kernels_have() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    form = "compiled" if retick.is_compiled() else "pure Python"
    assert result.output == f"retick {retick.__version__} ({form} kernels)\n"


def test_no_command_at_all_is_misuse_and_shows_the_help() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "synctest" in result.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nosuch"], "retick: no such command 'nosuch' (see retick --help)"),
        (["--nope"], "retick: no such option: --nope (see retick --help)"),
        (["export", "schema"], "retick: missing argument 'GAME' (see retick export schema --help)"),
        (["replay", "nosuch"], "retick: no such command 'nosuch' (see retick replay --help)"),
        (["replay", "verify"], "retick: missing argument 'FILES' (see retick replay verify --help)"),
        (["synctest", "a:B", "--frames", "0"], "retick: invalid value for '--frames': "),
        (["synctest", "a:B", "--frames", "\x1b[31m"], "retick: invalid value for '--frames': "),
        (["synctest", "a:B", "--\x1b[31m"], "retick: no such option: --\\x1b[31m"),
    ],
)
def test_wrong_arguments_are_one_line_like_every_other_error(run: Run, arguments: list[str], line: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(line)
    assert err.count("\n") == 1
    assert err.rstrip().endswith("--help)")


@pytest.mark.parametrize("group", ["", "replay", "desync"])
def test_a_group_without_a_command_shows_its_help_and_no_complaint(run: Run, group: str) -> None:
    code, out, err = run(*group.split())
    assert code == 2
    assert "Usage: " in out + err
    assert "retick: " not in err
