"""What scripts for whole endpoints have in common: a hub, turns of a sixtieth of a second, and the steps of a script.

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
    """Ends on one hub. Each target says who they are, what a step does, and what must hold after it."""

    last_turns = 1
    """After the last step."""

    def __init__(self) -> None:
        self.hub = MemoryHub()
        self.now = 0.0
        self.said = 0
        """Packets."""

    @abstractmethod
    def react(self) -> None:
        """What the ends do in every turn, after the hub has carried what they sent."""

    @abstractmethod
    def step(self, operation: int, choice: int, body: bytes) -> None:
        """Say something."""

    @abstractmethod
    def check(self) -> None:
        """Bounds that hold whatever is said."""

    def turn(self) -> None:
        self.now += 1 / 60
        self.hub.exchange(now=self.now)
        self.react()

    def dial(self, link: LinkEndpoint, data: bytes) -> None:
        """A stranger asks to join the server."""
        if len(link.connections) < STRANGERS:
            self.said += 1
            link.dial("server", data=data[:200])

    def play(self, script: bytes) -> None:
        """All steps of a script."""
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
