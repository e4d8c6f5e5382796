"""Runs games in fresh Python interpreters, so that no game is ever imported into this process.

A child runs ``python -m MODULE`` for a module of ours. It gets its job as one line of JSON on stdin; after that, both
sides talk in lines of text, in the module's own protocol. The game sees neither stream: its stdin is empty, and its
output goes to stderr. The parent keeps stderr, to quote its last line when a child dies.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any

from retick._safe_path import clean_python_path
from retick.errors import UsageError


def python_command(module: str, *arguments: str) -> list[str]:
    """The command ``python -m module arguments``.

    ``-P`` keeps the working directory off the module path, so that a ``json.py`` there changes nothing. A game in it is
    found by the name that the user gave.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment(added: Mapping[str, str]) -> dict[str, str]:
    """Our environment with ``added``, without entries of PYTHONPATH that mean the working directory."""
    environment = {**os.environ, **added, "PYTHONSAFEPATH": "1"}
    if "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = clean_python_path(environment["PYTHONPATH"])
    return environment


class InterpreterDied(Exception):
    """A child ended, or was killed at the timeout, while its answer was awaited."""

    def __init__(self, code: int, last_line: str, *, timed_out: bool) -> None:
        super().__init__(f"code {code}: {last_line}")
        self.code = code
        """Exit code of the process; a negative one is the signal that ended it."""
        self.last_line = last_line
        """Last line on the process's stderr; empty if there is none."""
        self.timed_out = timed_out


def _temporary_file() -> IO[bytes]:
    """Open a file for the process's errors; UsageError on a full disk, where the system's error names no file."""
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise UsageError(f"no temporary file can be made, perhaps because the disk is full: {error.strerror}") from None


class Interpreter:
    """One child process."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._errors = _temporary_file()
        self._process = subprocess.Popen(
            python_command(module),
            env=child_environment(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
        )
        self._timed_out = False

    def send(self, line: str) -> None:
        """Write one line to the child."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._death() from None

    def read_line(self) -> str:
        """Read the child's next line, without its line end; InterpreterDied if there is none."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise self._death()
        return line[:-1]

    def _death(self) -> InterpreterDied:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return InterpreterDied(code, lines[-1] if lines else "", timed_out=self._timed_out)

    def stop_at_timeout(self) -> None:
        """Kill the child; its InterpreterDied will say that it timed out."""
        self._timed_out = True
        self._process.kill()

    def close(self) -> None:
        """Kill the child if it still runs, and close everything."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with suppress(OSError):  # a dead child has not read its last line
                    stream.close()


Start = Callable[[str, Mapping[str, object], Mapping[str, str]], Interpreter]


@contextmanager
def interpreters(timeout: float) -> Iterator[Start]:
    """Yield ``start(module, job, environment)``, which starts a child with ``environment`` added to ours.

    All children are killed after ``timeout`` seconds, or at the end.
    """
    started: list[Interpreter] = []
    lock = threading.Lock()
    expired = False

    def stop_all() -> None:
        nonlocal expired
        with lock:
            expired = True
            for child in started:
                child.stop_at_timeout()

    def start(module: str, job: Mapping[str, object], environment: Mapping[str, str]) -> Interpreter:
        with lock:
            child = Interpreter(module, environment)
            started.append(child)
            if expired:
                child.stop_at_timeout()
        child.send(json.dumps(job))
        return child

    timer = threading.Timer(timeout, stop_all)
    timer.daemon = True
    timer.start()
    try:
        yield start
    finally:
        timer.cancel()
        for child in started:
            child.close()


def job_and_streams() -> tuple[dict[str, Any], IO[str], IO[str]]:
    """In a child: read the job, and return it with the streams from and to the parent, hidden from the game."""
    lines_in = os.fdopen(os.dup(0), "r", encoding="utf-8")
    lines_out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    job: dict[str, Any] = json.loads(lines_in.readline())
    return job, lines_in, lines_out


def start_module(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    """Run ``python -m module arguments`` for a command; its standard output is a pipe to us.

    The process has its own group, so that Ctrl-C reaches only us: we end it and print one line, instead of a traceback
    from each. A file called ``retick.py`` in the working directory changes nothing. ``environment`` is added to ours.
    """
    alone = {"creationflags": 0x200} if os.name == "nt" else {"process_group": 0}
    process: subprocess.Popen[str] = subprocess.Popen(
        python_command(module, *arguments),
        env=child_environment(environment or {}),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        errors="replace",
        **alone,  # type: ignore[call-overload]  # mypy does not follow keywords that depend on the system
    )
    return process
