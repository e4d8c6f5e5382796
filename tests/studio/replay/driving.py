"""A room without a page: messages go in, and what the page would get comes out."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from retick.studio.replay.room import ReplayRoom
from retick.studio.room import FileSent, PageMessage, Settings

PATIENCE = 60.0
"""Seconds until a test gives up."""


class Driven:
    """A room that runs."""

    def __init__(self, room: ReplayRoom) -> None:
        self.room = room

    def say(self, kind: str, **fields: Any) -> None:
        self.room.receive(PageMessage(kind, fields))

    def open(self, data: bytes, *, slot: int = 0, name: str = "match.rtk") -> None:
        self.room.receive_file(FileSent(name, slot, data))

    async def next(self, kind: str, fits: Callable[[dict[str, Any]], bool] = lambda message: True) -> dict[str, Any]:
        """The next message of a type; others are skipped, but an error that was not asked for fails the test."""
        while True:
            text = await asyncio.wait_for(self.room.outbox.next(), PATIENCE)
            message: dict[str, Any] = json.loads(text)
            if message["type"] == kind and fits(message):
                return message
            assert message["type"] != "error", message

    async def verdict(self, slot: int = 0) -> dict[str, Any]:
        """What was found when the recording was run to its end."""
        done = await self.next("timeline", lambda m: m["slot"] == slot and m["timeline"]["verdict"] is not None)
        return dict(done["timeline"])

    async def shown(self, frame: int) -> dict[str, Any]:
        self.say("show", frame=frame)
        return await self.next("frame", lambda message: message["frame"] == frame)


def drive(script: Callable[[Driven], Coroutine[Any, Any, None]], *, game: str | None = None) -> None:
    """Run a room while the script talks to it; a failure of the room is the test's failure."""

    async def both() -> None:
        room = ReplayRoom(Settings(game=game))
        work = asyncio.create_task(room.run())
        talk = asyncio.create_task(script(Driven(room)))
        done, _ = await asyncio.wait((work, talk), return_when=asyncio.FIRST_COMPLETED)
        for task in (work, talk):
            task.cancel()
        for task in done:
            task.result()
        room.close()

    # In a thread of its own: the driver of the browser has a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(both())).result()
