"""Runs one server on one socket in an event loop: all of ``retick serve`` without workers, or one worker."""

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any

from retick.authority import MessageFromPlayer, RoomClosed, RoomFailed, ServerDrained
from retick.serving.agones_duty import agones_duty
from retick.serving.event_log import EventLog
from retick.serving.page_options import ServerSource, announce_page, open_page
from retick.transport.pump import Pump
from retick.transport.udp import UdpSocket

if TYPE_CHECKING:
    from retick.serving.served_game import Served

DRAIN = 1024
"""Most datagrams read between two ticks: what all players of 64 rooms send in one tick."""
GOODBYE = 0.3
"""Seconds for the goodbyes to leave."""
FIRST_PAUSE, LONGEST_PAUSE, GOOD_TIME = 1.0, 60.0, 60.0
"""Shortest and longest pause before a failed room is reopened, and the time after which it counts as good; seconds."""
LOOK_EVERY = 5.0
"""Seconds between two looks at how long ticks took, and at who was refused."""


class Patience:
    """Chooses how long a failed room stays closed: one second, doubled each time that it soon fails again."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, float]] = {}
        """For each room, the last pause and the time when it was over."""

    def pause(self, room: str, now: float) -> float:
        """Seconds until the room is opened again."""
        before, over_at = self._last.get(room, (0.0, -inf))
        soon = now - over_at < GOOD_TIME
        pause = min(2 * before, LONGEST_PAUSE) if soon and before else FIRST_PAUSE
        self._last[room] = (pause, now + pause)
        return pause


class ServerLoop:
    """Runs a server until it has drained or is stopped. Make it inside the event loop."""

    def __init__(self, server: Any, socket: UdpSocket, log: EventLog) -> None:
        self.server = server
        self._log = log
        self._over = asyncio.Event()
        self._patience = Patience()
        self._pauses: set[asyncio.TimerHandle] = set()
        self._pump = Pump(server, socket, on_events=self._report, drain=DRAIN)

    def _report(self, events: list[Any]) -> None:
        if getattr(self.server, "reads_messages", False):
            events = [event for event in events if not isinstance(event, MessageFromPlayer)]
        self._log.write(events)
        for event in events:
            if isinstance(event, RoomClosed):
                self._open_again(event.room, 0.0)  # the match is over: the next one
            elif isinstance(event, RoomFailed):
                self._open_again(event.room, self._patience.pause(event.room, time.monotonic()))
        if any(isinstance(event, ServerDrained) for event in events):
            self._over.set()

    def _open_again(self, room: str, pause: float) -> None:
        def open_it() -> None:
            self._pauses.discard(timer)
            if self.server.is_draining or self._over.is_set() or room in self.server.rooms:
                return
            try:
                self.server.open_room(room)
            except Exception as error:  # whatever the game's start or a hook raises
                self._log.note(
                    "room_not_opened", f"room {room!r} cannot be opened: {error}", room=room, text=str(error)
                )
                self._open_again(room, self._patience.pause(room, time.monotonic()))
            else:
                self._log.note("room_opened", f"room {room!r} is open again", room=room)
                self._pump.wake()

        timer = asyncio.get_running_loop().call_later(pause, open_it)
        self._pauses.add(timer)

    async def start(self) -> None:
        await self._pump.start()

    def drain(self, within: float) -> None:
        """Refuse new players and let rooms end within so many seconds."""
        self._log.note("draining", f"draining: no new players, rooms end within {within:g} s", within=within)
        self.server.drain("the server stops", within=within)
        self._pump.wake()

    def stop(self) -> None:
        """End at once."""
        self._over.set()

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until the server has drained or is stopped, or the seconds are over."""
        end = inf if seconds is None else time.monotonic() + seconds
        while not self._over.is_set() and (left := end - time.monotonic()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), min(left, LOOK_EVERY))
            self._log.write_costs(self.server)
            self._log.write_unread()
            self._log.write_refusals(self.server.refusals.take())

    async def leave(self) -> None:
        """End all rooms and their recordings, and say goodbye to everyone."""
        self._over.set()
        for timer in self._pauses:
            timer.cancel()
        for room in list(self.server.rooms):
            self.server.close_room(room, "the server stops")
        self.server.close("the server stops")
        await self._pump.leave(longest=GOODBYE)
        self._log.note("stopped", "stopped")


def rooms_in_words(count: int) -> str:
    return "one room" if count == 1 else f"{count} rooms"


def key_in_words(public_key: str | None) -> str:
    """The public key that clients need, for the line that says where the server listens."""
    return "" if public_key is None else f", server key {public_key}"


def on_sigterm(action: Callable[[], None]) -> None:
    """Call ``action`` in the running loop at each SIGTERM."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGTERM, action)
    except NotImplementedError:  # Windows
        signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(action))


async def run_alone(
    served: "Served",
    socket: UdpSocket,
    log: EventLog,
    *,
    page_address: tuple[str, int] | None,
    seconds: float | None,
    drain: float,
    agones: bool,
) -> None:
    """Run one server in this process until it has drained, the seconds are over, or Ctrl-C."""
    server = served.server
    hosting = ServerLoop(server, socket, log)
    # A second SIGTERM ends the rooms at once.
    on_sigterm(lambda: hosting.drain(0.0 if server.is_draining else drain))
    page = None
    try:
        await hosting.start()
        if page_address is not None:
            page = open_page(lambda: ServerSource(server), page_address)
        host, port = socket.address[:2]
        words = f"listening on {host} port {port}, {rooms_in_words(len(server.rooms))}{key_in_words(served.public_key)}"
        log.note("listening", words, host=host, port=port, rooms=list(server.rooms), server_key=served.public_key)
        announce_page(log, page)
        async with agones_duty(log, wanted=agones):
            await hosting.wait(seconds)
    finally:
        if page is not None:
            # In a thread: a reader of the page may be waiting for this loop.
            await asyncio.to_thread(page.close)
        await hosting.leave()
