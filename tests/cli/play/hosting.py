"""``retick host`` in a process of its own, for tests of the commands that meet it."""

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Iterator

FAST = ["--bot", "--rate", "500"]


@contextlib.contextmanager
def hosting(*options: str, bind: str = "127.0.0.1") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``retick host`` in a process of its own, and what it says to join with: an invite, or an address."""
    command = [sys.executable, "-m", "retick", "host", "--bind", bind, "--port", "0", *FAST, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            assert process.stdout is not None
            said = [process.stdout.readline()]
            while said[-1] and "retick join" not in said[-1]:
                said.append(process.stdout.readline())
            way = re.search(r"retick join (\S+)", said[-1])
            assert way is not None, said
            yield process, way[1]
        finally:
            process.kill()
            guard.cancel()


def line_of_play(process: subprocess.Popen[str]) -> str:
    """The next line that is not about somebody who has connected."""
    assert process.stdout is not None
    while (line := process.stdout.readline()).startswith("connected: "):
        pass
    return line


def last_words(process: subprocess.Popen[str]) -> tuple[str, int]:
    assert process.stdout is not None
    return process.stdout.read(), process.wait()
