"""For a game's own loop: one call at the start of a frame, one at its end, no threads and no asyncio."""

import time
from collections.abc import Callable
from typing import Any

from retick.transport.endpoint import Endpoint
from retick.transport.udp import UdpSocket

__all__ = ["Poll", "receive_waiting", "send_waiting"]

DRAIN = 256
"""Datagrams read in one call at most, so that a flood does not stop the game."""


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
    """Drives an endpoint over a socket. ``clock`` returns seconds and never goes back."""

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

    def close(self) -> None:
        """Close the socket. Close the endpoint's connections before, and poll until they have said goodbye."""
        self.socket.close()
