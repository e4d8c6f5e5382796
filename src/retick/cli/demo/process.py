"""The two processes of ``retick demo`` as their parent sees them."""

import json
import os
import subprocess
import sys
import threading
from collections import deque
from queue import Empty, SimpleQueue

from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.proof import Ending
from retick.cli.draw.netview import SideReport
from retick.errors import RetickError

__all__ = ["PeerProcess"]

DEPTHS_KEPT = 400
START_SECONDS = 30.0
STOP_SECONDS = 1.0


class PeerProcess:
    """One peer: starts it, keeps what it reported last, and ends it."""

    def __init__(self, title: str, plan: PeerPlan) -> None:
        self.title = title
        self.port = 0
        """Where it listens; 0 until it has said so."""
        self.report: SideReport | None = None
        self.depths: deque[int] = deque(maxlen=DEPTHS_KEPT)
        """Rollback depth of each of the last frames."""
        self.ending: Ending | None = None
        self.failure = ""
        self._noise: deque[str] = deque(maxlen=5)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._unwanted = False
        # In a group of its own: Ctrl-C is the parent's to handle, and reaches this process as a closed pipe.
        alone = {"creationflags": 0x200} if os.name == "nt" else {"process_group": 0}
        self._process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-P", "-m", "retick.cli.demo.peer", plan.dumps()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            **alone,  # type: ignore[call-overload]  # mypy does not follow keywords that depend on the system
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def finished(self) -> bool:
        """Whether it has said all that it will say."""
        return self.ending is not None or bool(self.failure)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait_until_it_listens(self) -> None:
        """RetickError if it does not."""
        while not self.port and not self.finished:
            try:
                self._take(self._lines.get(timeout=START_SECONDS))
            except Empty:
                self.failure = f"did not start within {START_SECONDS:.0f} s"
        if not self.port:
            raise RetickError(f"the {self.title}'s process {self.failure}")

    def update(self) -> None:
        """Take in all that was reported since the last call."""
        while not self.finished:
            try:
                self._take(self._lines.get_nowait())
            except Empty:
                return

    def dismiss(self) -> None:
        """Close the pipe at the next report, which ends the process as soon as it has said goodbye."""
        self._unwanted = True

    def stop(self) -> None:
        """End the process: let it say goodbye, but not for long."""
        self.dismiss()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                if self._unwanted:
                    break
                self._lines.put(line)
        self._lines.put(None)

    def _take(self, line: str | None) -> None:
        if line is None:
            code = self._process.wait()
            self.failure = f"ended with code {code}" + "".join(f"\n  {text}" for text in self._noise)
            return
        word, _, text = line.rstrip().partition(" ")
        if word == "listening":
            self.port = json.loads(text)["port"]
        elif word in ("frame", "stalled"):
            self.report = SideReport.loads(text)
            if word == "frame":
                self.depths.append(self.report.depth)
        elif word == "end":
            self.ending = Ending.loads(text)
        elif word == "failed":
            self.failure = f"gave up: {json.loads(text)['why']}"
        elif word != "waiting":
            self._noise.append(line.rstrip())
