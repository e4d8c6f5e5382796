"""The replay room: recorded matches and desync bundles.

Theory of operation. One task does all work, in this order: open new files, show the frame that the page asks for, then
work that can wait (timelines, verification, running ahead, comparison). Long work is a generator of short steps, so
that a newer request replaces an older one at once and the feed stays live, however slow a game is.
"""

import asyncio
import time
from itertools import islice
from typing import Any

from retick.audit.game_failure import game_failure, is_raised_by_game
from retick.errors import RetickError
from retick.games.fighter import Button, Fighter
from retick.games.fighter.bots import fight
from retick.replay import Replay, dumps, sealed
from retick.studio.replay.difference import Difference
from retick.studio.replay.slot import Games, Slot, open_file
from retick.studio.room import FileSent, PageMessage, PageRoom, Settings, Steps, drive, write_message
from retick.studio.shown import MOST_FIELDS, RULES

# An example recording for newcomers: two bots fight, and in a second take some presses are missing.

SEED = 9
"""Seed of a match of about eight seconds with seven hits, and one fighter left."""
LONGEST = 3600
STILL = (0, 0)
AFTERWARDS = 45
"""Frames without any press after the last hit."""
MISSING = range(240, 260)
"""Frames without attacks in the second take."""


def example(take: int) -> bytes:
    """Make the file: take 0 as the bots played it, take 1 with missing presses."""
    frames: list[tuple[int, int]] = []
    for buttons, state in islice(fight(SEED), LONGEST):
        frames.append(buttons)
        if 0 in (state.p1.hp, state.p2.hp):
            break
    frames += [STILL] * AFTERWARDS
    if take == 1:
        keep = ~int(Button.ATTACK)
        frames = [(a & keep, b & keep) if at in MISSING else (a, b) for at, (a, b) in enumerate(frames)]
    match = Replay(seed=SEED, frames=frames)  # type: ignore[arg-type]  # packed there
    return dumps(sealed(match, Fighter(), every=60), format="rtk")


SLOTS = 2
PROGRESS = 0.25
"""Seconds between two progress messages."""
LAST_FRAME = 0xFFFFFFFF


class ReplayRoom(PageRoom):
    """The replay room of one page."""

    name = "replay"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._games = Games(settings.game)
        self._own_game = settings.game
        self._slots: list[Slot | None] = [None] * SLOTS
        self._files: dict[int, FileSent] = {}
        self._wish: int | None = None
        self._frame = 0
        self._work: dict[str, Steps] = {}
        self._compared: dict[str, Any] | None = None
        self._wake = asyncio.Event()

    def hello(self) -> dict[str, Any]:
        return {
            "rules": RULES,
            "game": self._own_game,
            "slots": [None if slot is None else slot.describe() for slot in self._slots],
            "compared": self._compared,
            "frame": self._frame,
        }

    def receive(self, message: PageMessage) -> None:
        if message.type == "show":
            self._wish = message.integer("frame", 0, LAST_FRAME)
            self._wake.set()
        elif message.type == "example":
            slot = message.integer("slot", 0, SLOTS - 1)
            self.receive_file(FileSent(f"example-{slot + 1}.rtk", slot, example(slot)))
        elif message.type == "close":
            self._put(message.integer("slot", 0, SLOTS - 1), None)
        else:
            super().receive(message)

    def receive_file(self, file: FileSent) -> None:
        self._files[file.slot] = file
        self._wake.set()

    def close(self) -> None:
        self._work.clear()
        self._slots = [None] * SLOTS

    async def run(self) -> None:
        while True:
            if self._files:
                await self._open(self._files.pop(min(self._files)))
            elif self._wish is not None:
                wish, self._wish = self._wish, None
                await self._show(wish)
            elif self._work:
                await self._work_on(next(iter(self._work)))
            else:
                self._wake.clear()
                await self._wake.wait()

    @property
    def _pressed(self) -> bool:
        """Whether a newer request waits."""
        return bool(self._files) or self._wish is not None

    def _put(self, number: int, slot: Slot | None) -> None:
        self._slots[number] = slot
        self._compared = None
        self._work.pop("compare", None)
        self._work.pop(str(number), None)
        self.post("opened", slot=number, opened=None if slot is None else slot.describe())
        if slot is not None and slot.timeline is not None:
            self._work[str(number)] = self._study(number, slot)
        if all(one is not None for one in self._slots):
            self._work["compare"] = self._compare()
        self._wake.set()

    async def _open(self, file: FileSent) -> None:
        try:
            # Reading is bounded by the readers' limits, but may take longer than a slice.
            opened = await asyncio.to_thread(open_file, file)
            self._put(file.slot, Slot(opened, self._games))
        except (Exception, SystemExit) as error:
            self.post("error", text=_words(error))

    async def _show(self, frame: int) -> None:
        views: list[dict[str, Any] | None] = [None] * SLOTS
        for number, slot in enumerate(self._slots):
            if slot is None or not slot.has(frame):
                continue
            try:
                if not await drive(slot.seek(frame), lambda: self._pressed):
                    return
                views[number] = slot.view(frame)
            except (Exception, SystemExit) as error:
                views[number] = {"frame": frame, "problem": _words(error)}
        self._frame = frame
        self.show("frame", frame=frame, views=views, differs=_differing(*views))

    async def _work_on(self, key: str) -> None:
        work = self._work[key]
        try:
            ended = await drive(work, lambda: self._pressed or self._work.get(key) is not work)
        except (Exception, SystemExit) as error:
            self.post("error", text=_words(error))
            ended = True
        if ended and self._work.get(key) is work:
            del self._work[key]

    def _study(self, number: int, slot: Slot) -> Steps:
        """Do the work on one file that can wait."""
        timeline = slot.timeline
        assert timeline is not None, "a slot without frames has no work"
        yield from timeline.read_inputs()
        self._show_timeline(number, slot)
        if slot.viewer is None:
            return
        told = time.perf_counter()
        for _ in timeline.run(slot.viewer.make):
            yield
            if time.perf_counter() - told > PROGRESS:
                told = time.perf_counter()
                self.show("progress", slot=number, done=timeline.done)
        self._show_timeline(number, slot)
        yield from slot.viewer.prepare()

    def _show_timeline(self, number: int, slot: Slot) -> None:
        if slot.timeline is not None:
            text = write_message("timeline", slot=number, timeline=slot.timeline.to_json())
            self.outbox.show(f"timeline {number}", text)

    def _compare(self) -> Steps:
        first, second = self._slots
        if first is None or second is None or first.replay is None or second.replay is None:
            return
        viewer = first.viewer or second.viewer
        difference = Difference(first.replay, second.replay)
        if viewer is None:
            difference.read_inputs()
        else:
            yield from difference.run(viewer.make)
        self._compared = difference.result
        self.post("compared", compared=self._compared)


def _differing(first: dict[str, Any] | None, second: dict[str, Any] | None) -> list[str]:
    """Names of the fields that differ in two views."""
    if first is None or second is None or not first.get("fields") or not second.get("fields"):
        return []
    here, there = dict(first["fields"]), dict(second["fields"])
    return [name for name in here | there if here.get(name) != there.get(name)][:MOST_FIELDS]


def _words(error: BaseException) -> str:
    """Describe an error for a person; a defect of the studio is raised again."""
    if isinstance(error, RetickError):
        return str(error)
    if is_raised_by_game(error):
        return game_failure(error)
    raise error
