"""Finds the steps from line to line that a call takes inside Retick, by tracing, to guide the search.

Compiled kernels show no lines. ``RETICK_PURE=1`` runs their sources.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import retick

__all__ = ["SOURCE", "Traced"]

SOURCE = str(Path(retick.__file__).parent)
Step = tuple[str, int, int]


class Traced:
    """Collects steps: file, line before, line."""

    def __init__(self, folders: tuple[str, ...] = ("",)) -> None:
        """Trace ``folders`` of Retick, such as "rollback/session"; "" for all of it."""
        self.steps: set[Step] = set()
        self._prefixes = tuple(str(Path(SOURCE, folder)) for folder in folders)

    def of(self, call: Callable[[], object]) -> set[Step]:
        """Make a call; return the steps that no call took before."""
        before, self.steps = self.steps, set()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(None)
            found, self.steps = self.steps, before
        new = found - before
        before |= new
        return new

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(self._prefixes):
            return None
        steps = self.steps
        last = 0

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                now = frame.f_lineno
                steps.add((name, last, now))
                last = now
            return line

        return line
