"""What a room is: it gets what its page sends, runs in the background, and posts messages for the page."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from retick.errors import RetickError

# Messages that wait for a page: those that must arrive in order, and moments, of which only the newest is kept.

LONGEST_QUEUE = 256
"""Messages that must arrive and may wait for a slow page."""


class PageOutbox:
    """Bounded by the queue and by the number of keys of moments."""

    __slots__ = ("_filled", "_moments", "_queue", "overflowed")

    def __init__(self) -> None:
        self._queue: deque[str | bytes] = deque()
        self._moments: dict[str, str | bytes | Callable[[], str | bytes]] = {}
        self._filled = asyncio.Event()
        self.overflowed = False
        """The page let the queue overflow: it is to be disconnected."""

    def post(self, message: str | bytes) -> None:
        """Queue a message that must arrive."""
        if len(self._queue) >= LONGEST_QUEUE:
            self.overflowed = True
            return
        self._queue.append(message)
        self._filled.set()

    def show(self, key: str, message: str | bytes | Callable[[], str | bytes]) -> None:
        """Keep a moment until it is sent, or a newer one with its key comes. A function makes it when it is sent."""
        self._moments[key] = message
        self._filled.set()

    def clear(self) -> None:
        """Forget what waits: its page has gone."""
        self._queue.clear()
        self._moments.clear()
        self._filled.clear()
        self.overflowed = False

    async def next(self) -> str | bytes:
        """Wait for the next message."""
        while True:
            if self._queue:
                return self._queue.popleft()
            if self._moments:
                moment = self._moments.pop(next(iter(self._moments)))
                return moment() if callable(moment) else moment
            self._filled.clear()
            await self._filled.wait()


# Messages of the feed: one JSON object with a ``type``. What a page sends is bounded, and checked field by field.

LONGEST_TEXT = 65536
"""Bytes of a text message from a page."""
LONGEST_NAME = 200
"""Characters of a file's name: what is longer is cut."""


class FeedError(RetickError):
    """A page sent something wrong; the text is shown on the page."""


class FileSent(NamedTuple):
    """A file that a page sent."""

    name: str
    """Only for showing."""
    slot: int
    data: bytes


class PageMessage:
    """One message of a page; every getter checks what it gives."""

    __slots__ = ("_fields", "type")

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.type = kind
        self._fields = fields

    def integer(self, name: str, least: int, most: int) -> int:
        """A whole number in its range."""
        value = self._fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise FeedError(f"{self.type}: {name} must be a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """A number in its range."""
        value = self._fields.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
            raise FeedError(f"{self.type}: {name} must be a number")
        if not least <= value <= most:
            raise FeedError(f"{self.type}: {name} must be from {least:g} to {most:g}")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._fields.get(name)
        if not isinstance(value, bool):
            raise FeedError(f"{self.type}: {name} must be true or false")
        return value

    def text(self, name: str, longest: int = LONGEST_NAME) -> str:
        """A text that is not too long."""
        value = self._fields.get(name)
        if not isinstance(value, str) or len(value) > longest:
            raise FeedError(f"{self.type}: {name} must be a text of at most {longest} characters")
        return value

    def choice(self, name: str, *allowed: str) -> str:
        """One of a few words."""
        value = self._fields.get(name)
        if value not in allowed:
            raise FeedError(f"{self.type}: {name} must be one of {', '.join(allowed)}")
        return str(value)


def read_message(text: str) -> PageMessage:
    """Raises FeedError unless it is a bounded JSON object with a type."""
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
        raise FeedError(f"a message has at most {LONGEST_TEXT} bytes")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise FeedError("a message must be JSON") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise FeedError("a message must be an object with a type")
    return PageMessage(fields["type"], fields)


def write_message(kind: str, /, **fields: Any) -> str:
    """The text of a message to the page."""
    return json.dumps({"type": kind, **fields}, separators=(",", ":"), allow_nan=False)


class PageRoom:
    """Base class of rooms; every hook is optional."""

    name = ""
    """In the address of its feed."""
    slots = 2
    """Files that it holds at most."""

    def __init__(self) -> None:
        self.outbox = PageOutbox()

    def hello(self) -> dict[str, Any]:
        """What the first message has besides the fields of every room; also for a page that comes back."""
        return {}

    async def run(self) -> None:
        """Runs until it is cancelled, as long as the room exists. A room that only answers needs none."""

    def receive(self, message: PageMessage) -> None:
        """A message of the page. Raises FeedError, or any RetickError, for what is wrong: its text goes to the page."""
        raise FeedError(f"{self.name}: there is no message {message.type[:40]!r}")

    def receive_file(self, file: FileSent) -> None:
        """A file of the page."""
        raise FeedError(f"{self.name}: no file is opened here")

    def close(self) -> None:
        """The room ends: sockets and threads end with it."""

    def post(self, kind: str, /, **fields: Any) -> None:
        """Send a message that must arrive."""
        self.outbox.post(write_message(kind, **fields))

    def show(self, kind: str, /, **fields: Any) -> None:
        """Send a message that shows a moment: while it waits, a newer one of its type replaces it."""
        self.outbox.show(kind, write_message(kind, **fields))

    def show_bytes(self, key: str, data: bytes) -> None:
        """Send a picture as a binary message; while it waits, a newer one with the same key replaces it."""
        self.outbox.show(key, data)


# Long work in short steps. Work is a generator: whoever drives it decides after every step whether to go on.

SLICE = 0.006
"""Seconds of work before others get their turn."""

Steps = Iterator[None]


async def drive(steps: Steps, stop: Callable[[], bool]) -> bool:
    """Whether the steps came to their end; ``stop`` is asked after each slice."""
    until = time.perf_counter() + SLICE
    for _ in steps:
        if time.perf_counter() >= until:
            await asyncio.sleep(0)
            if stop():
                return False
            until = time.perf_counter() + SLICE
    return True


# What was said on the command line, for all rooms.


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One studio."""

    game: str | None = None
    """The game of its user, as module:Class or file.py:Class; None for the fighter."""
    identity: Path | None = None
    """File with a lasting key of this machine, for matches with other programs."""
    keylog: Path | None = None
    """File to which the keys of all links to other programs are appended."""
