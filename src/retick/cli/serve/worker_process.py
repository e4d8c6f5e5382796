"""The front's end of one worker process: starts it, writes lines to it, and hands on the lines that it writes."""

import asyncio
import json
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from retick.cli.child_process import start_module
from retick.cli.serve.plan import ServePlan

__all__ = ["WorkerProcess"]

MODULE = "retick.cli.serve.worker"


class WorkerProcess:
    """A process that runs. Made within the loop; both callbacks are called there."""

    def __init__(
        self,
        number: int,
        plan: ServePlan,
        *,
        on_line: Callable[["WorkerProcess", dict[str, Any]], None],
        on_end: Callable[["WorkerProcess", int], None],
    ) -> None:
        """``on_end`` gets the exit code; a negative one is the signal that ended the process."""
        self.number = number
        self.rooms = set(plan.rooms)
        """Rooms that new players are sent to it for."""
        self.port = 0
        """0 until it is ready."""
        self.is_running = True
        self._on_line = on_line
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._process = start_module(MODULE, stdin=subprocess.PIPE)
        threading.Thread(target=self._read, name=f"worker {number}", daemon=True).start()
        self.send(plan.to_json())

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, order: dict[str, Any]) -> None:
        """One line to the worker; lost if it has ended."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        """In a thread, until the process has ended."""
        assert self._process.stdout is not None
        for text in self._process.stdout:
            with suppress(json.JSONDecodeError):  # of a worker that was killed while it wrote
                self._call(self._line, json.loads(text))
        self._call(self._end, self._process.wait())

    def _call(self, action: Callable[[Any], None], value: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(action, value)

    def _line(self, message: dict[str, Any]) -> None:
        self._on_line(self, message)

    def _end(self, code: int) -> None:
        self.is_running = False
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._on_end(self, code)
