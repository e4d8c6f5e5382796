"""``retick relay`` as a process of its own, and members that talk to it over real sockets."""

import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from retick.relay import RelayMember
from retick.transport.poll import Poll
from retick.transport.udp import open_udp

TAG = b"tests of relays."


class Relaying:
    """The process; its lines are JSON."""

    def __init__(self, folder: Path, *arguments: str, port: int = 0) -> None:
        words = ["relay", "--port", str(port), "--host", "127.0.0.1", "--log-json", "--key", "relay.key", *arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "retick", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.guard = threading.Timer(60, self.process.kill)
        self.guard.start()
        self.first = self.line()

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.first["port"]

    def finish(self) -> list[dict[str, Any]]:
        """The lines that are left, when it has ended."""
        try:
            out, err = self.process.communicate()
        finally:
            self.process.kill()
            self.guard.cancel()
        assert err == ""
        return [json.loads(line) for line in out.splitlines()]


class Person:
    """A member on a socket of its own."""

    def __init__(self, relay: Any) -> None:
        self.member = RelayMember(relay, tag=TAG, entropy=os.urandom)
        self.poll = Poll(self.member, open_udp("127.0.0.1"))
        self.events: list[Any] = []

    def close(self) -> None:
        self.poll.close()


def talk_until(people: list[Person], wanted: Any, *, longest: float = 30.0) -> None:
    """Poll all in turn until ``wanted()``."""
    deadline = time.monotonic() + longest
    while not wanted():
        assert time.monotonic() < deadline, [person.events for person in people]
        for person in people:
            person.events += person.poll.poll()
        select.select([person.poll.socket for person in people], [], [], 0.01)
