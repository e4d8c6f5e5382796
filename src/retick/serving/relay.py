"""Drives a relay over its two sockets in a loop of asyncio: many datagrams for each wake-up, frames sent on at once.

Addresses are those of the system, not the form that ``UdpSocket`` shows: a relay gives them back as it got them, and
so no frame pays for a translation.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from retick.errors import UsageError
from retick.relay import RelayEvent, RelayServer
from retick.relay.tickets import KEY_SIZE
from retick.transport.udp import UdpSocket

__all__ = [
    "RelayLoop",
    "relay_key",
]


DRAIN = 256
"""Datagrams read before other tasks run."""
LARGEST = 2048
"""Bytes read of one datagram: more than a relay accepts, so that one that is cut off is noticed."""
BUFFER = 1 << 22
"""Bytes of the system's buffers that are asked for: a burst of all rooms must fit."""
LOOK_EVERY = 0.25
"""Seconds between two looks at the relay's clock and its events."""


class RelayLoop:
    """A relay that runs between ``start`` and ``stop``; ``second`` may be missing."""

    def __init__(
        self,
        server: RelayServer,
        first: UdpSocket,
        second: UdpSocket | None,
        *,
        on_events: Callable[[list[RelayEvent]], None],
    ) -> None:
        self._server = server
        self._first = first
        self._second = second
        self._on_events = on_events
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        first.widen(BUFFER)

    def start(self) -> None:
        """In the running loop."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._first.fileno(), self.drain)
        if self._second is not None:
            self._loop.add_reader(self._second.fileno(), self._drain_second)
        self._look(self._loop)

    def stop(self) -> None:
        if self._loop is None:
            return
        self._loop.remove_reader(self._first.fileno())
        if self._second is not None:
            self._loop.remove_reader(self._second.fileno())
        if self._timer is not None:
            self._timer.cancel()
        self._report()

    def drain(self) -> None:
        """Take what waits at the first port, at most ``DRAIN`` datagrams, and send what comes of it."""
        receive, send = self._first.raw.recvfrom, self._first.raw.sendto
        take, now = self._server.take, time.monotonic()
        try:
            for _ in range(DRAIN):
                data, address = receive(LARGEST)
                target = take(data, address, now)
                if target is not None:
                    try:
                        send(data, target)
                    except OSError as error:
                        self._first.count(error)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self._first.count(error)
        self._answer(now)

    def _drain_second(self) -> None:
        assert self._second is not None, "it is read"
        receive, now = self._second.raw.recvfrom, time.monotonic()
        try:
            for _ in range(DRAIN):
                self._server.second.receive_datagram(*receive(LARGEST), now=now)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self._second.count(error)
        self._answer(now)

    def _answer(self, now: float) -> None:
        """Send the answers that wait, on both ports."""
        for endpoint, socket in ((self._server, self._first), (self._server.second, self._second)):
            for data, address in endpoint.datagrams_to_send(now=now):
                if socket is not None:
                    try:
                        socket.raw.sendto(data, address)
                    except OSError as error:
                        socket.count(error)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = time.monotonic()
        self._server.handle_timeout(now=now)
        self._answer(now)
        self._report()
        self._timer = loop.call_later(LOOK_EVERY, self._look, loop)

    def _report(self) -> None:
        events = self._server.events()
        if events:
            self._on_events(events)


# The file with a relay's key: 64 hexadecimal digits, readable by its owner only, made at the first start.


def relay_key(path: Path | None) -> bytes:
    """The key in a file, which is made if it is not there; without a file, a key for this run only."""
    if path is None:
        return os.urandom(KEY_SIZE)
    if not path.exists():
        key = os.urandom(KEY_SIZE)
        # Created with its permissions, so that nobody can read it in between.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{key.hex()}\n")
        return key
    with path.open("rb") as file:
        text = file.read(2 * KEY_SIZE + 3).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise UsageError(
            f"{path} is not a key: a key is {2 * KEY_SIZE} hexadecimal digits; remove it to make a new one"
        )
    return key
