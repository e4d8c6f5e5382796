"""Feeds: one WebSocket between a page and its room. A room waits for a page that lost its connection."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Mapping

from starlette.websockets import WebSocket, WebSocketDisconnect

import retick
from retick.errors import RetickError
from retick.studio.room import LONGEST_NAME, FeedError, FileSent, PageRoom, read_message, write_message

FEED_VERSION = 1
LAST_WORDS = 0.1
"""Seconds to read what a page has sent before it went."""
HANDOVER = 1.0
"""Seconds in which the old connection of a reloaded page must end."""
GRACE = 10.0
"""Seconds for which a room waits for a page that lost its connection."""
MOST_ROOMS = 8
"""Most open rooms, including those that wait."""
LARGEST_FILE = 64 * 1024 * 1024
"""Most bytes of a file from a page."""
LONGEST_ERROR = 500

TAKEN = 4409
FULL = 4503
TOO_SLOW = 4408
FAILED = 4500
"""WebSocket close codes; applications may use 4000 to 4999."""

_log = logging.getLogger(__name__)


class _Held:
    """A room, the task that runs it, and the page that has it."""

    def __init__(self, room: PageRoom) -> None:
        self.room = room
        self.token = secrets.token_urlsafe(12)
        self.page: WebSocket | None = None
        self.free = asyncio.Event()
        """Set while no page has the room."""
        self.work = asyncio.create_task(self._run())
        self.ending: asyncio.TimerHandle | None = None
        self.failure = ""
        """Why the room does not run any more; a page that comes back is told, too."""

    async def handed_over(self) -> bool:
        """Wait until the room is free; whether it is. An old connection's end may be seen after the new one's start."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.free.wait(), HANDOVER)
        return self.page is None

    async def _run(self) -> None:
        try:
            await self.room.run()
        except RetickError as error:
            self.failure = str(error)
        except Exception:
            _log.exception("the room %s failed", self.room.name)
            self.failure = "this room failed; the terminal of retick studio shows the reason"
        if self.failure:
            self.room.post("error", text=self.failure)


class Feeds:
    """All open rooms."""

    def __init__(self, rooms: Mapping[str, Callable[[], PageRoom]], *, grace: float = GRACE) -> None:
        self._kinds = rooms
        self._grace = grace
        self._held: dict[str, _Held] = {}
        self._finishing: set[asyncio.Task[None]] = set()
        """Rooms whose page did not come back, until they have ended."""

    def __len__(self) -> int:
        return len(self._held)

    async def serve(self, page: WebSocket, name: str) -> None:
        """Serve one page until it disconnects."""
        make = self._kinds.get(name)
        if make is None:
            await page.close(4404, f"there is no room {name[:40]!r}")
            return
        await page.accept()
        token = page.query_params.get("token", "")
        held = self._held.get(token)
        if held is not None and not await held.handed_over():
            await page.send_text(write_message("error", text="this match is open in another page"))
            await page.close(TAKEN, "open in another page")
            return
        held = self._held.get(token)  # the room may have ended while this page waited
        if held is None or held.room.name != name:
            if len(self._held) >= MOST_ROOMS:
                text = f"{MOST_ROOMS} rooms are open: close another page of the studio first"
                await page.send_text(write_message("error", text=text))
                await page.close(FULL, "too many rooms")
                return
            try:
                held = _Held(make())
            except (Exception, SystemExit) as error:  # the user's game may raise anything
                await self._cannot_open(page, name, error)
                return
            self._held[held.token] = held
        await self._attend(held, page)

    @staticmethod
    async def _cannot_open(page: WebSocket, name: str, error: BaseException) -> None:
        _log.error("the room %s cannot be opened", name, exc_info=error)
        text = f"this room cannot be opened: {type(error).__name__}: {error}"[:LONGEST_ERROR]
        await page.send_text(write_message("error", text=text))
        await page.close(FAILED, "the room cannot be opened")

    async def close(self) -> None:
        """End all rooms."""
        for held in list(self._held.values()):
            await self._end(held)
        await asyncio.gather(*self._finishing)

    async def _attend(self, held: _Held, page: WebSocket) -> None:
        held.page = page
        held.free.clear()
        if held.ending is not None:
            held.ending.cancel()
            held.ending = None
        room = held.room
        room.outbox.clear()  # hello includes what was posted while there was no page
        try:
            hello = write_message(
                "hello",
                room=room.name,
                version=FEED_VERSION,
                retick=retick.__version__,
                token=held.token,
                **room.hello(),
            )
        except (Exception, SystemExit) as error:
            await self._end(held)
            await self._cannot_open(page, room.name, error)
            return
        if held.failure:
            room.post("error", text=held.failure)
        sender = asyncio.create_task(self._send(page, hello, room))
        reader = asyncio.create_task(self._read(page, room))
        gone_for_good = False
        try:
            await asyncio.wait((sender, reader), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((reader,), timeout=LAST_WORDS)  # a goodbye may follow other messages
        finally:
            for task in (sender, reader):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError, OSError):
                    gone_for_good = bool(await task) or gone_for_good
            held.page = None
            room.outbox.clear()
            if gone_for_good:
                await self._end(held)
            else:
                held.ending = asyncio.get_running_loop().call_later(self._grace, self._expire, held)
            held.free.set()

    def _expire(self, held: _Held) -> None:
        if held.page is None:
            del self._held[held.token]  # at once, so that no page comes back to a room that ends
            held.ending = None
            task = asyncio.create_task(self._finish(held))
            self._finishing.add(task)
            task.add_done_callback(self._finishing.discard)

    async def _end(self, held: _Held) -> None:
        if self._held.pop(held.token, None) is not None:
            await self._finish(held)

    @staticmethod
    async def _finish(held: _Held) -> None:
        if held.ending is not None:
            held.ending.cancel()
        held.work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await held.work
        held.room.close()

    async def _send(self, page: WebSocket, hello: str, room: PageRoom) -> bool:
        await page.send_text(hello)
        while True:
            message = await room.outbox.next()
            if room.outbox.overflowed:
                await page.close(TOO_SLOW, "the page is too slow")
                return False
            if isinstance(message, str):
                await page.send_text(message)
            else:
                await page.send_bytes(message)

    async def _read(self, page: WebSocket, room: PageRoom) -> bool:
        """Read messages until the page disconnects; whether it said goodbye."""
        announced: tuple[str, int] | None = None
        while True:
            packet = await page.receive()
            if packet["type"] == "websocket.disconnect":
                return False
            try:
                text = packet.get("text")
                if text is None:
                    named, announced = announced, None
                    self._take_file(room, named, packet["bytes"])
                elif (message := read_message(text)).type == "bye":
                    return True
                elif message.type == "ping":
                    room.show("pong", time=message.number("time", 0, 1e16))
                elif message.type == "file":
                    announced = message.text("name", 4096)[-LONGEST_NAME:], message.integer("slot", 0, room.slots - 1)
                else:
                    room.receive(message)
            except RetickError as error:
                room.post("error", text=str(error))
            except Exception:
                _log.exception("the room %s failed", room.name)
                room.post("error", text="that failed; the terminal of retick studio shows the reason")
            await asyncio.sleep(0)  # let other rooms run between many messages

    @staticmethod
    def _take_file(room: PageRoom, announced: tuple[str, int] | None, data: bytes) -> None:
        if announced is None:
            raise FeedError("a file must be named first, by a message of the type file")
        if len(data) > LARGEST_FILE:
            raise FeedError(f"a file has at most {LARGEST_FILE} bytes")
        room.receive_file(FileSent(announced[0], announced[1], data))
