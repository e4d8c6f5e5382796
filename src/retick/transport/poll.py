"""For a game's own loop: one call at the start of a frame, one at its end, no threads and no asyncio."""

import time
from collections.abc import Callable
from typing import Any

from retick.transport.endpoint import Endpoint
from retick.transport.udp import UdpSocket

__all__ = ["Poll", "send_waiting", "take_waiting"]

DRAIN = 256
"""Datagrams read in one call at most, so that a flood costs a frame some time and not all of it."""


def take_waiting(socket: UdpSocket, endpoint: Endpoint, now: float, limit: int) -> bool:
    """Feed what waits in the socket to the endpoint; True when the limit was reached and more may wait."""
    receive = socket.receive
    take = endpoint.receive_datagram
    for _ in range(limit):
        found = receive()
        if found is None:
            return False
        take(found[0], found[1], now=now)
    return True


def send_waiting(socket: UdpSocket, endpoint: Endpoint, now: float) -> None:
    send = socket.send
    for data, address in endpoint.datagrams_to_send(now=now):
        send(data, address)


class Poll:
    """Joins an endpoint and a socket. ``clock`` gives seconds and never goes back."""

    def __init__(
        self, endpoint: Endpoint, socket: UdpSocket, *, clock: Callable[[], float] = time.monotonic, drain: int = DRAIN
    ) -> None:
        self.endpoint = endpoint
        self.socket = socket
        self.clock = clock
        self._drain = drain

    def poll(self, now: float | None = None) -> list[Any]:
        """Receive, handle time-outs, send, and return what happened. Never waits."""
        if now is None:
            now = self.clock()
        endpoint = self.endpoint
        take_waiting(self.socket, endpoint, now, self._drain)
        due = endpoint.next_timeout()
        if due is not None and due <= now:
            endpoint.handle_timeout(now=now)
        send_waiting(self.socket, endpoint, now)
        return endpoint.events()

    def flush(self, now: float | None = None) -> None:
        """Send at once what the endpoint has: at the end of a frame, and not at the start of the next."""
        send_waiting(self.socket, self.endpoint, self.clock() if now is None else now)

    def close(self) -> None:
        """Close the socket; say goodbye through the endpoint before."""
        self.socket.close()
