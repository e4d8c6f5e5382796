"""Drives an endpoint from a game's own loop: a call at the start of a frame, one at its end; no threads, no asyncio."""

import time
from collections.abc import Callable
from select import select
from types import TracebackType
from typing import Any, Self

from retick.transport.endpoint import Closes, Endpoint
from retick.transport.udp import UdpSocket

DRAIN = 256
"""The most datagrams read in one call, so that a flood does not stop the game."""

LONGEST_GOODBYE = 5.0
"""Seconds that a goodbye, and data to explain a desync, may take to arrive."""
LONGEST_SLEEP = 0.02
"""The most seconds between two polls while leaving."""


def receive_waiting(socket: UdpSocket, endpoint: Endpoint, now: float, limit: int) -> bool:
    """Pass datagrams that wait in the socket to the endpoint; True if ``limit`` was reached and more may wait."""
    receive = socket.receive
    hand_over = endpoint.receive_datagram
    for _ in range(limit):
        found = receive()
        if found is None:
            return False
        hand_over(found[0], found[1], now=now)
    return True


def send_waiting(socket: UdpSocket, endpoint: Endpoint, now: float) -> None:
    """Send the endpoint's datagrams."""
    send = socket.send
    for datagram in endpoint.datagrams_to_send(now=now):
        send(*datagram)


class Poll:
    """Drives an endpoint over a socket. ``clock`` returns seconds and never goes back.

    ``with Poll(session, socket) as wire:`` says goodbye and closes the socket on every way out: at the end of the
    block, by an exception, and by Ctrl-C.
    """

    def __init__(
        self, endpoint: Endpoint, socket: UdpSocket, *, clock: Callable[[], float] = time.monotonic, drain: int = DRAIN
    ) -> None:
        self.endpoint = endpoint
        self.socket = socket
        self.clock = clock
        self._drain = drain

    def poll(self, now: float | None = None) -> list[Any]:
        """Receive, handle timeouts, send, and return the events. Never waits."""
        if now is None:
            now = self.clock()
        endpoint = self.endpoint
        receive_waiting(self.socket, endpoint, now, self._drain)
        due = endpoint.next_timeout()
        if due is not None and due <= now:
            endpoint.handle_timeout(now=now)
        send_waiting(self.socket, endpoint, now)
        return endpoint.events()

    def flush(self, now: float | None = None) -> None:
        """Send the endpoint's datagrams now: at the end of a frame instead of the start of the next."""
        send_waiting(self.socket, self.endpoint, self.clock() if now is None else now)

    def leave(self, *, longest: float = LONGEST_GOODBYE) -> list[Any]:
        """Close the endpoint, keep going until its goodbye is sent or ``longest`` seconds are over, close the socket.

        Returns the events of that time. ``with Poll(session, socket) as wire:`` leaves on every way out of the block.
        """
        happened: list[Any] = []
        try:
            if isinstance(self.endpoint, Closes):
                self.endpoint.close()
                end = self.clock() + longest
                while (due := self.endpoint.next_timeout()) is not None and (now := self.clock()) < end:
                    happened += self.poll(now)
                    select([self.socket], [], [], min(max(due - now, 0.0), end - now, LONGEST_SLEEP))
            happened += self.endpoint.events()
        finally:
            self.close()
        return happened

    def close(self) -> None:
        """Close the socket at once, without the goodbye of ``leave``."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.leave()
