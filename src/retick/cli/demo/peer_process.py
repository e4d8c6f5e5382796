"""The two processes of ``retick demo`` as their parent sees them."""

import json
import subprocess
import threading
from collections import deque
from queue import Empty, SimpleQueue

from retick.cli.child_process import start_module
from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.proof import Ending
from retick.errors import RetickError
from retick.playing.network_report import NetworkReport

__all__ = ["PeerProcess"]

DEPTHS_KEPT = 400
START_SECONDS = 30.0
STOP_SECONDS = 1.0


class PeerProcess:
    """Starts one peer, keeps its newest report, and ends it."""

    def __init__(self, title: str, plan: PeerPlan) -> None:
        self.title = title
        self.port = 0
        """The UDP port on which it listens; 0 until it has reported it."""
        self.report: NetworkReport | None = None
        self.depths: deque[int] = deque(maxlen=DEPTHS_KEPT)
        """Rollback depth of each of the last frames."""
        self.ending: Ending | None = None
        self.failure = ""
        self._noise: deque[str] = deque(maxlen=5)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._unwanted = False
        self._process = start_module("retick.cli.demo.peer", plan.dumps(), stderr=subprocess.STDOUT)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def finished(self) -> bool:
        """Whether it will report nothing more."""
        return self.ending is not None or bool(self.failure)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait_until_it_listens(self) -> None:
        """Wait for the process to report its port; RetickError if it does not."""
        while not self.port and not self.finished:
            try:
                self._receive(self._lines.get(timeout=START_SECONDS))
            except Empty:
                self.failure = f"did not start within {START_SECONDS:.0f} s"
        if not self.port:
            raise RetickError(f"the {self.title}'s process {self.failure}")

    def update(self) -> None:
        """Read all that was reported since the last call."""
        while not self.finished:
            try:
                self._receive(self._lines.get_nowait())
            except Empty:
                return

    def dismiss(self) -> None:
        """Close the pipe at the next report; the process then says goodbye to the other peer and ends."""
        self._unwanted = True

    def stop(self) -> None:
        """End the process: wait a moment for its goodbye, then kill it."""
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

    def _receive(self, line: str | None) -> None:
        if line is None:
            code = self._process.wait()
            self.failure = f"ended with code {code}" + "".join(f"; {text.strip()}" for text in self._noise)
            return
        word, _, text = line.rstrip().partition(" ")
        if word == "listening":
            self.port = json.loads(text)["port"]
        elif word in ("frame", "stalled"):
            self.report = NetworkReport.loads(text)
            if word == "frame":
                self.depths.append(self.report.depth)
        elif word == "end":
            self.ending = Ending.loads(text)
        elif word == "failed":
            self.failure = f"gave up: {json.loads(text)['why']}"
        elif word != "waiting":
            self._noise.append(line.rstrip())
