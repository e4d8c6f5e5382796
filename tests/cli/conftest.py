"""Fixtures for tests of commands."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retick import __main__, replay
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def environment_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line changes the environment of the process that it runs in, for its children."""
    monkeypatch.setenv("PYTHONSAFEPATH", "1")


def as_a_shell_sees_it(main: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line."""
    try:
        main()
        code = 0
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The whole command as a shell sees it: exit code, output, errors."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["retick", *map(str, words)])
        return as_a_shell_sees_it(__main__.main, capsys)

    return call


@pytest.fixture
def match(tmp_path: Path) -> Path:
    path = tmp_path / "match.rtk"
    replay.save(path, replay.sealed(replay.Replay(seed=2, frames=bout(2, 300)), Fighter(), every=100))
    return path
