"""The asyncio pump: reads when the socket has datagrams, wakes at the endpoint's timeout, and sends after both.

On a loop with ``add_reader`` the pump reads the socket itself, a bounded number of datagrams at a time, which costs a
fifth of asyncio's own datagram transport. The Proactor loop of Windows has no ``add_reader``; there the transport
receives, and everything else is the same.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Self

from retick.transport.endpoint import Closes, Endpoint
from retick.transport.poll import LONGEST_GOODBYE, receive_waiting, send_waiting
from retick.transport.udp import SocketAddress, UdpSocket

DRAIN = 64
"""How many datagrams are read before other tasks run."""
LOOK_EVERY = 0.01
"""Seconds between two checks whether all goodbyes are said."""


class _Receiver(asyncio.DatagramProtocol):
    """Receives on loops without add_reader."""

    def __init__(self, pump: "Pump") -> None:
        self._pump = pump

    def datagram_received(self, data: bytes, addr: SocketAddress) -> None:
        pump = self._pump
        pump.endpoint.receive_datagram(data, pump.socket.shown(addr), now=pump.now)
        pump.wake()

    def error_received(self, exc: Exception) -> None:
        self._pump.socket.count(exc)


class Pump:
    """Drives an endpoint over a socket in a running loop; ``async with`` starts and stops it."""

    def __init__(
        self, endpoint: Endpoint, socket: UdpSocket, *, on_events: Callable[[list[Any]], None], drain: int = DRAIN
    ) -> None:
        """``on_events`` gets the events, never an empty list. Datagrams that it causes are sent at once."""
        self.endpoint = endpoint
        self.socket = socket
        self._on_events = on_events
        self._drain = drain
        self._loop: asyncio.AbstractEventLoop | None = None
        self._transport: asyncio.DatagramTransport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._reads = False

    @property
    def now(self) -> float:
        """The loop's clock, which is the endpoint's clock."""
        return (self._loop or asyncio.get_running_loop()).time()

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            self._loop.add_reader(self.socket.fileno(), self._on_readable)
            self._reads = True
        except NotImplementedError:
            self._transport, _ = await self._loop.create_datagram_endpoint(
                lambda: _Receiver(self), sock=self.socket.raw
            )
            self.socket.send_through(self._transport.sendto)
        self.wake()

    def stop(self) -> None:
        """Detach from the loop. The socket stays open, except where the loop's own transport received for it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._loop is not None and self._reads:
            self._loop.remove_reader(self.socket.fileno())
            self._reads = False
        if self._transport is not None:
            self._transport.close()
            self._transport = None
            self.socket.send_through(None)
        self._loop = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def leave(self, *, longest: float = LONGEST_GOODBYE) -> None:
        """Close the endpoint's connections, wait up to ``longest`` seconds for their goodbyes, and stop."""
        try:
            if isinstance(self.endpoint, Closes):
                self.endpoint.close()
            self.wake()
            deadline = self.now + longest
            while self._loop is not None and self.endpoint.next_timeout() is not None and self.now < deadline:
                await asyncio.sleep(LOOK_EVERY)
        finally:
            self.stop()

    async def __aexit__(self, *_: object) -> None:
        """Say goodbye on every way out, even on an exception or when Ctrl-C cancels the task."""
        await self.leave()

    def wake(self) -> None:
        """Handle timeouts, send and report events: call it after using the endpoint from outside."""
        if self._loop is None:
            return
        now = self._loop.time()
        endpoint = self.endpoint
        try:
            due = endpoint.next_timeout()
            if due is not None and due <= now:
                endpoint.handle_timeout(now=now)
            send_waiting(self.socket, endpoint, now)
            while events := endpoint.events():
                self._on_events(events)
                send_waiting(self.socket, endpoint, now)
        finally:
            # An error in on_events goes to the loop; the timer must be set all the same.
            self._arm()

    def _on_readable(self) -> None:
        receive_waiting(self.socket, self.endpoint, self.now, self._drain)
        self.wake()

    def _arm(self) -> None:
        """Keep one timer; one that is on time or early stays."""
        if self._loop is None:
            return
        due = self.endpoint.next_timeout()
        if due is None:
            return
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = self._loop.call_at(due, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.wake()
