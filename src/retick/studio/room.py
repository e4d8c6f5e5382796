"""The base class of rooms: a room gets messages from its page, runs in the background, and posts messages to it."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from retick.errors import RetickError

LONGEST_QUEUE = 256
"""Most messages that wait for a slow page."""


class PageOutbox:
    """Messages that wait for a page: a bounded queue in order, and moments, of which only the newest is kept."""

    __slots__ = ("_filled", "_moments", "_queue", "overflowed")

    def __init__(self) -> None:
        self._queue: deque[str | bytes] = deque()
        self._moments: dict[str, str | bytes | Callable[[], str | bytes]] = {}
        self._filled = asyncio.Event()
        self.overflowed = False
        """Whether the queue overflowed, so that the page must be disconnected."""

    def post(self, message: str | bytes) -> None:
        """Queue a message that must arrive in order."""
        if len(self._queue) >= LONGEST_QUEUE:
            self.overflowed = True
            return
        self._queue.append(message)
        self._filled.set()

    def show(self, key: str, message: str | bytes | Callable[[], str | bytes]) -> None:
        """Keep a moment until it is sent or replaced by one with the same key; a function makes it when it is sent."""
        self._moments[key] = message
        self._filled.set()

    def clear(self) -> None:
        """Forget all messages, since their page has gone."""
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


# Messages of the feed are JSON objects with a ``type``. Those of a page are bounded, and checked field by field.
LONGEST_TEXT = 65536
"""Most bytes of a text message from a page."""
LONGEST_NAME = 200
"""Characters after which a file's name is cut."""


class FeedError(RetickError):
    """A page sent something wrong; the page shows the message."""


class FileSent(NamedTuple):
    """A file that a page sent."""

    name: str
    """The file's name, only to be shown."""
    slot: int
    data: bytes


class PageMessage:
    """One message of a page; every getter checks its value."""

    __slots__ = ("_fields", "type")

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.type = kind
        self._fields = fields

    def integer(self, name: str, least: int, most: int) -> int:
        """A whole number in a range."""
        value = self._fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise FeedError(f"{self.type}: {name} must be a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """A number in a range."""
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
        """A text of bounded length."""
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
    """Parse a message; FeedError unless it is a bounded JSON object with a type."""
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
    """Write a message to the page as text."""
    return json.dumps({"type": kind, **fields}, separators=(",", ":"), allow_nan=False)


class PageRoom:
    """Base class of rooms; every hook is optional."""

    name = ""
    """The room's name in the address of its feed."""
    slots = 2
    """Number of files that it can hold."""

    def __init__(self) -> None:
        self.outbox = PageOutbox()

    def hello(self) -> dict[str, Any]:
        """The room's fields of the first message, also for a page that comes back."""
        return {}

    async def run(self) -> None:
        """Run in the background until cancelled; a room that only answers messages does not need this."""

    def receive(self, message: PageMessage) -> None:
        """Handle a message of the page; the text of a FeedError, or any RetickError, goes to the page."""
        raise FeedError(f"{self.name}: there is no message {message.type[:40]!r}")

    def receive_file(self, file: FileSent) -> None:
        """Handle a file of the page."""
        raise FeedError(f"{self.name}: this room opens no files")

    def close(self) -> None:
        """End the room with its sockets and threads."""

    def post(self, kind: str, /, **fields: Any) -> None:
        """Send a message that must arrive."""
        self.outbox.post(write_message(kind, **fields))

    def show(self, kind: str, /, **fields: Any) -> None:
        """Send a message that shows a moment; a newer one of its type replaces it while it waits."""
        self.outbox.show(kind, write_message(kind, **fields))

    def show_bytes(self, key: str, data: bytes) -> None:
        """Send a picture as a binary message; a newer one with the same key replaces it while it waits."""
        self.outbox.show(key, data)


# Long work is a generator of short steps; the caller decides after every step whether to go on.
SLICE = 0.006
"""Seconds of work before other rooms get their turn."""

Steps = Iterator[None]


async def drive(steps: Steps, stop: Callable[[], bool]) -> bool:
    """Run steps until their end, or until ``stop`` returns True after a slice; whether they came to their end."""
    until = time.perf_counter() + SLICE
    for _ in steps:
        if time.perf_counter() >= until:
            await asyncio.sleep(0)
            if stop():
                return False
            until = time.perf_counter() + SLICE
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The command line's settings for all rooms."""

    game: str | None = None
    """The user's game, as module:Class or file.py:Class; None for the fighter."""
    identity: Path | None = None
    """File with a lasting key of this machine, for matches with other programs."""
    keylog: Path | None = None
    """File to which the keys of all links to other programs are appended."""
