"""A screen that nobody sees, and programs whose windows are on it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.examples.waiting import wait
from tests.programs import path_of

SIZE = "1400x600x24"
PATIENCE = 3_000
"""Looks at something before it counts as lost."""


@contextmanager
def virtual_display() -> Iterator[dict[str, str]]:
    """Start Xvfb; yields the environment of programs that shall use it."""
    reading, writing = os.pipe()
    command = [path_of("Xvfb"), "-displayfd", str(writing), "-screen", "0", SIZE, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        silent = {"SDL_AUDIODRIVER": "dummy", "LIBGL_ALWAYS_SOFTWARE": "1", "RETICK_RELAY": ""}
        yield {**os.environ, **silent, "DISPLAY": f":{number}", "SDL_VIDEODRIVER": "x11"}
    finally:
        server.terminate()
        server.wait()


class Shown:
    """A program with a window."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._environment = environment
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-u", *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def until_line(self, part: str) -> str:
        """Read what it prints until a line has this part."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if part in line:
                return self.lines[-1]
        raise AssertionError(f"it never said {part!r}:\n" + "\n".join(self.lines))

    def tool(self, *words: str) -> str:
        """Run xdotool, where this program's window is."""
        done = subprocess.run(
            [path_of("xdotool"), *words], env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def find(self) -> str:
        """Wait for the only window of the screen, and return its number."""
        found: list[str] = []

        def is_there() -> bool:
            found[:] = self.tool("search", "--onlyvisible", "--name", ".").split()
            return bool(found)

        until(is_there)
        return found[-1]

    def stop(self) -> int:
        """End it as the system does, and read the rest of what it says."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        if self.process.stdout is not None:
            self.lines += [line.rstrip() for line in self.process.stdout]
            self.process.stdout.close()
        return self.process.wait()


def until(wanted: Callable[[], object]) -> None:
    """Wait until something is true."""
    for _ in range(PATIENCE):
        if wanted():
            return
        wait()
    raise AssertionError("it did not happen")
