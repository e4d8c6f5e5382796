"""A small endpoint for tests of the drivers: it notes what it gets, and sends and wakes as it is told."""

from collections.abc import Hashable
from typing import Any


class Recorder:
    """Answers the five calls; ``echo`` sends everything back."""

    def __init__(self, *, echo: bool = False) -> None:
        self.echo = echo
        self.received: list[tuple[float, bytes, Hashable]] = []
        self.woken: list[float] = []
        self.outbox: list[tuple[bytes, Hashable] | tuple[bytes, Hashable, int]] = []
        self.wake_at: float | None = None
        self.wake_again = 0.0

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self.received.append((now, bytes(data), address))
        if self.echo:
            self.outbox.append((b"echo " + bytes(data), address))

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable] | tuple[bytes, Hashable, int]]:
        out, self.outbox = self.outbox, []
        return out

    def next_timeout(self) -> float | None:
        return self.wake_at

    def handle_timeout(self, *, now: float) -> None:
        if self.wake_at is not None and now >= self.wake_at:
            self.woken.append(now)
            self.wake_at = now + self.wake_again if self.wake_again else None

    def events(self) -> list[Any]:
        return []

    @property
    def payloads(self) -> list[bytes]:
        return [data for _, data, _ in self.received]
