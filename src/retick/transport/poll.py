"""For a game's own loop: one call at the start of a frame, one at its end, no threads and no asyncio."""

import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from retick.transport.endpoint import Closes, Endpoint
from retick.transport.udp import UdpSocket

__all__ = ["Poll", "receive_waiting", "send_waiting"]

DRAIN = 256
"""Datagrams read in one call at most, so that a flood does not stop the game."""
GOODBYE_SECONDS = 2.0
"""How long an endpoint that was closed may take to say goodbye."""


def receive_waiting(socket: UdpSocket, endpoint: Endpoint, now: float, limit: int) -> bool:
    """Give datagrams that wait in the socket to the endpoint; True when ``limit`` was reached and more may wait."""
    receive = socket.receive
    hand_over = endpoint.receive_datagram
    for _ in range(limit):
        found = receive()
        if found is None:
            return False
        hand_over(found[0], found[1], now=now)
    return True


def send_waiting(socket: UdpSocket, endpoint: Endpoint, now: float) -> None:
    """Send what the endpoint has to send."""
    send = socket.send
    for data, address in endpoint.datagrams_to_send(now=now):
        send(data, address)


class Poll:
    """Drives an endpoint over a socket. ``clock`` returns seconds and never goes back.

    ``with Poll(session, socket) as wire:`` says goodbye and closes the socket on every way out: at the end of the
    block, by an exception, and by Ctrl-C. Ctrl-C ends the block quietly: the program goes on behind it.
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
        """Send at once what the endpoint has: at the end of a frame instead of the start of the next."""
        send_waiting(self.socket, self.endpoint, self.clock() if now is None else now)

    def leave(self, seconds: float = GOODBYE_SECONDS) -> None:
        """Close the endpoint's connections, wait at most ``seconds`` for their goodbyes, and close the socket.

        Ctrl-C meanwhile ends the waiting.
        """
        try:
            with suppress(KeyboardInterrupt):
                if isinstance(self.endpoint, Closes):
                    self.endpoint.close()
                deadline = self.clock() + seconds
                while self._poll_once_before(deadline):
                    pass
        finally:
            self.close()

    def _poll_once_before(self, deadline: float) -> bool:
        """Poll, then sleep until something is to be done; False when that is never, or after ``deadline``."""
        self.poll()
        due, now = self.endpoint.next_timeout(), self.clock()
        if due is None or now >= deadline:
            return False
        select.select([self.socket], [], [], min(max(due - now, 0.0), deadline - now))
        return True

    def close(self) -> None:
        """Close the socket, without a goodbye; ``leave`` says one first."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self.leave()
        return kind is not None and issubclass(kind, KeyboardInterrupt)
