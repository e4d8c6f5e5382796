"""Runs a function in both forms of the kernels, here and in a process where their sources run, and compares.

Such a function is called a story: its arguments are plain values, and it returns lines of text about everything that
can be observed. One process can hold one form only, so the other form has its own; it is kept for many stories.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import retick

__all__ = ["Story", "Twin", "outcome"]

ROOT = Path(__file__).parent.parent

Story = Callable[..., list[str]]


class Twin:
    """A process with the sources; use it as a context, or close it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.twin"],
            env=os.environ | {"RETICK_PURE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
        )

    def __enter__(self) -> "Twin":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.communicate()

    def tells(self, story: Story, *arguments: Any) -> list[str]:
        """The story's lines in the uncompiled form. Arguments are values whose ``repr`` is a literal."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = ascii((story.__module__, story.__name__, arguments))
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the other process has ended; its last output is above"
        lines: list[str] = ast.literal_eval(answer)
        return lines

    def agrees(self, story: Story, *arguments: Any) -> None:
        """Run the story in both forms, and compare line by line."""
        ours, theirs = story(*arguments), self.tells(story, *arguments)
        for number, (here, there) in enumerate(zip(ours, theirs, strict=False)):
            assert here == there, f"line {number} of {len(ours)} and {len(theirs)}"
        assert len(ours) == len(theirs)


def outcome(call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """What a call returns, or the error that it raises with its text."""
    try:
        return repr(call(*arguments, **named))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _answer_requests() -> None:
    assert not retick.is_compiled()
    for line in sys.stdin:
        module, name, arguments = ast.literal_eval(line)
        print(ascii(getattr(import_module(module), name)(*arguments)), flush=True)


if __name__ == "__main__":
    _answer_requests()
