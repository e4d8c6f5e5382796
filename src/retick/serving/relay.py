"""Runs a relay over its two sockets in an asyncio loop: many datagrams per wake-up, frames forwarded at once.

Addresses have the system's form, not that of ``UdpSocket``: a relay only returns them, and no frame pays for a
translation.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from retick._regular_files import regular
from retick.errors import UsageError
from retick.relay import MemberEntered, MemberGone, RelayConfig, RelayEvent, RelayServer, RoomGone, RoomOpened
from retick.relay.tickets import KEY_SIZE
from retick.serving.event_log import EventLog
from retick.serving.hosting import on_sigterm
from retick.serving.page_options import announce_page, open_page
from retick.transport.udp import UdpSocket, open_udp

if TYPE_CHECKING:
    from retick.serving.metrics import RelaySource

DRAIN = 256
"""Most datagrams read before other tasks run."""
LARGEST = 2048
"""Bytes read of one datagram: more than a relay accepts, so that a cut datagram is noticed."""
BUFFER = 1 << 22
"""Requested size of the system's buffers, in bytes: a burst of all rooms must fit."""
LOOK_EVERY = 0.25
"""Seconds between two checks of the relay's timeouts and events."""


class RelayLoop:
    """Runs a relay between ``start`` and ``stop``; the second socket may be missing."""

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
        """Start in the running event loop."""
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
        """Read at most ``DRAIN`` datagrams at the first port, and send the frames and answers."""
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
        """Send pending answers on both ports."""
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
    """Read the key in a file, made if missing; without a file, make a key for this run only."""
    if path is None:
        return os.urandom(KEY_SIZE)
    if not path.exists():
        key = os.urandom(KEY_SIZE)
        # Created with its permissions, so that nobody can read it in between.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{key.hex()}\n")
        return key
    with open(path, "rb", opener=regular) as file:
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


# A whole relay process: its sockets, its key, its page and its log.


def run_relay(
    config: RelayConfig,
    log: EventLog,
    *,
    host: str,
    port: int,
    second_port: int | None = None,
    key: Path | None = None,
    page_address: tuple[str, int] | None = None,
    seconds: float | None = None,
) -> None:
    """Run a relay until SIGTERM, Ctrl-C or the end of ``seconds``. Without ``second_port`` it is the next one.

    It says no goodbye: members come back with their tickets when a relay with the same ``key`` runs again.
    """
    secret = relay_key(key)
    first = open_udp(host, port)
    second = None
    try:
        second = open_udp(host, (port + 1 if port else 0) if second_port is None else second_port)
        ports = (first.address[1], second.address[1])
        epoch = time.time() - time.monotonic()
        server = RelayServer(key=secret, entropy=os.urandom, epoch=epoch, ports=ports, config=config)
        # The default loop of Windows cannot wait for sockets that are read here.
        factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(_run(server, first, second, log, page_address, seconds, has_key=key is not None))
    finally:
        first.close()
        if second is not None:
            second.close()


async def _run(
    server: RelayServer,
    first: UdpSocket,
    second: UdpSocket,
    log: EventLog,
    address: tuple[str, int] | None,
    seconds: float | None,
    *,
    has_key: bool,
) -> None:
    over = asyncio.Event()
    on_sigterm(over.set)
    forwarding = RelayLoop(server, first, second, on_events=lambda events: _write(log, events))
    page = None
    try:
        if address is not None:
            page = open_page(lambda: _source(server), address)
        forwarding.start()
        host, port, other = first.address[0], first.address[1], second.address[1]
        log.note("listening", f"relay on {host} ports {port} and {other}", host=host, port=port, second_port=other)
        if not has_key:
            log.note("no_key", "without --key, members cannot come back after a restart")
        announce_page(log, page)
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), seconds)
    finally:
        forwarding.stop()
        log.note("stopped", "stopped")
        if page is not None:
            # Not in the loop: a reader may be waiting for the loop just now.
            await asyncio.to_thread(page.close)


def _source(server: RelayServer) -> "RelaySource":
    from retick.serving.metrics import RelaySource  # imports prometheus_client, which is there if there is a page

    return RelaySource(server)


def _write(log: EventLog, events: list[RelayEvent]) -> None:
    """Write a line for each event, without addresses and codes: readers of the log do not need them."""
    for event in events:
        if isinstance(event, RoomOpened):
            verb = "is back" if event.returned else "opened"
            log.note("room_opened", f"room {event.room} {verb}", room=event.room, places=event.places)
        elif isinstance(event, MemberEntered):
            log.note("member_entered", f"room {event.room}: member {event.member} is there", **_of(event))
        elif isinstance(event, MemberGone):
            how = "fell silent" if event.silent else "left"
            log.note(
                "member_gone", f"room {event.room}: member {event.member} {how}", silent=event.silent, **_of(event)
            )
        elif isinstance(event, RoomGone):
            log.note("room_gone", f"room {event.room} is gone", room=event.room)


def _of(event: MemberEntered | MemberGone) -> dict[str, int]:
    return {"room": event.room, "member": event.member}
