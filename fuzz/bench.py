"""The common part of scripts for whole endpoints: a hub, turns of a sixtieth of a second, and the steps of a script.

A step is an operation, a length, a choice, and so many bytes. Bit 3 of the operation ends the turn.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from retick.link import LinkEndpoint
from retick.transport import MemoryHub

__all__ = ["Bench"]

LONGEST = 512
STRANGERS = 6


class Bench(ABC):
    """Endpoints on one hub. Each target defines them, the effect of a step, and what must hold after it."""

    last_turns = 1
    """Called after the last step."""

    def __init__(self) -> None:
        self.hub = MemoryHub()
        self.now = 0.0
        self.said = 0
        """Number of packets."""

    @abstractmethod
    def react(self) -> None:
        """Called in every turn, after the hub has delivered what was sent."""

    @abstractmethod
    def step(self, operation: int, choice: int, body: bytes) -> None:
        """Do one step."""

    @abstractmethod
    def check(self) -> None:
        """Check the bounds that must always hold."""

    def turn(self) -> None:
        self.now += 1 / 60
        self.hub.exchange(now=self.now)
        self.react()

    def dial(self, link: LinkEndpoint, data: bytes) -> None:
        """Let a stranger ask to join the server."""
        if len(link.connections) < STRANGERS:
            self.said += 1
            link.dial("server", data=data[:200])

    def play(self, script: bytes) -> None:
        """Run all steps of a script."""
        for operation, choice, body in _steps(script):
            self.step(operation, choice, body)
            if operation & 8:
                self.turn()
            self.check()
        for _ in range(self.last_turns):
            self.turn()
        self.check()


def _steps(script: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at + 3 <= len(script) and at < LONGEST:
        operation, length, choice = script[at], script[at + 1], script[at + 2]
        yield operation, choice, script[at + 3 : at + 3 + length]
        at += 3 + length
