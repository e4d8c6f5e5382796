"""``retick relay`` as a process of its own, and members that talk to it over real sockets."""

import os
import select
import time
from pathlib import Path
from typing import Any

from retick.relay import RelayMember
from retick.transport.poll import Poll
from retick.transport.udp import open_udp
from tests.serving.serving import Process

TAG = b"tests of relays."


class Relaying(Process):
    """The process; its lines are JSON."""

    def __init__(self, folder: Path, *arguments: str, port: int = 0) -> None:
        words = ["--port", str(port), "--host", "127.0.0.1", "--log-json", "--key", "relay.key", *arguments]
        super().__init__(folder, "relay", *words)

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.first["port"]


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
