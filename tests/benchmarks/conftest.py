"""What tests of benchmarks share: the command line as a shell sees it."""

import sys

import pytest

from benchmarks import __main__
from tests.cli.conftest import Run, as_a_shell_sees_it


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``python -m benchmarks`` with these words: exit code, output, errors."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["benchmarks", *map(str, words)])
        return as_a_shell_sees_it(__main__.main, capsys)

    return call
