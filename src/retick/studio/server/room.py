"""The server room: bots and the user run the course in real time. docs/guides/studio.md lists its messages."""

import asyncio
from collections import deque
from typing import Any, Final, NamedTuple

from retick.games.runner import COURSE
from retick.studio.room import PageMessage, PageRoom, Settings
from retick.studio.server.course import MOST_BOTS, YOU, Course
from retick.transport import Conditions

# retick: floats -- measurements


EVERY: Final = 0.1
"""Seconds between two samples."""
KEPT: Final = 11
"""Number of samples that are kept, so that the first and the last are a second apart."""


class _Totals(NamedTuple):
    time: float
    down: int
    up: int
    snapshots: int
    snapshot_bytes: int


class Figures:
    """Samples the numbers of a course ten times a second; rates cover the last second."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._watched = course.watched
        self._totals: deque[_Totals] = deque(maxlen=KEPT)

    def sample(self) -> dict[str, Any]:
        """The fields of a ``figures`` message."""
        course = self._course
        client = course.runners[course.watched].client
        link = client.connection.stats
        room = course.room
        if self._watched != course.watched:
            self._watched = course.watched
            self._totals.clear()
        newest = _Totals(
            course.network.now, link.bytes_received, link.bytes_sent, room.stats.snapshots, room.stats.snapshot_bytes
        )
        self._totals.append(newest)
        oldest = self._totals[0]
        passed = max(EVERY, newest.time - oldest.time)
        sent = newest.snapshots - oldest.snapshots
        numbers = room.profile.config
        largest = {number: runner.take_newest() for number, runner in course.runners.items()}
        prediction = client.prediction
        return {
            "time": newest.time,
            "runners": [
                [number, runner.client.peer_id, *runner.in_last_second()] for number, runner in course.runners.items()
            ],
            "pending": 0 if prediction is None else len(prediction.pending),
            "correction": largest[course.watched],
            "worst": max(largest.values()),
            "down": max(0.0, (newest.down - oldest.down) / passed),
            "up": max(0.0, (newest.up - oldest.up) / passed),
            "delta": (newest.snapshot_bytes - oldest.snapshot_bytes) / sent if sent else None,
            "fixed": course.fixed_bytes(),
            "rate": numbers.snapshot_rate,
            "tally": {name: course.tallies[reset].as_dict() for name, reset in (("restored", False), ("reset", True))},
            "client": client.stats.as_dict(),
            "link": link.as_dict(),
            "server": course.server.stats().as_dict(),
        }


# retick: floats -- seconds, and positions for drawing


FRAME: Final = 1 / 60
LONGEST_STEP: Final = 0.1
"""Most seconds that pass in the room at once: on a busy machine its time goes slower."""
BODY: Final = (0.7, 1.1, 0.35)
"""A runner's width, height and offset of its lowest point, in metres; docs/reference/runner.md, step 4."""
FIRST_LINK: Final = {"latency": 60.0, "jitter": 10.0, "loss": 0.5, "bursts": 0.0}
"""First positions of the sliders, in milliseconds and percent."""


def _rounded(values: tuple[float, ...]) -> list[float]:
    return [round(value, 3) for value in values]


class ServerRoom(PageRoom):
    """The server and clients of one page."""

    name = "server"

    def __init__(self, _settings: Settings) -> None:
        super().__init__()
        self._link = dict(FIRST_LINK)
        self.course = Course(conditions=self._conditions())
        self._figures = Figures(self.course)
        self._sampled_at = 0.0

    def hello(self) -> dict[str, Any]:
        return {"boxes": [list(box) for box in COURSE.boxes], "body": BODY, "settings": self._shown_settings()}

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        last = due = clock()
        while True:
            due = max(due + FRAME, clock())
            await asyncio.sleep(due - clock())
            now = clock()
            self.advance(min(now - last, LONGEST_STEP))
            last = now

    def advance(self, seconds: float) -> None:
        """Let time pass, and show the result."""
        course = self.course
        course.run(seconds)
        self.show("frame", **self._frame(seconds))
        if course.network.now >= self._sampled_at + EVERY:
            self._sampled_at = course.network.now
            self.show("figures", **self._figures.sample())

    def receive(self, message: PageMessage) -> None:
        if message.type == "input":
            self._take_input(message)
            return
        if message.type == "conditions":
            self._set_conditions(message)
        elif message.type == "bots":
            self.course.set_bots(message.integer("number", 1, MOST_BOTS))
        elif message.type == "play":
            self.course.set_playing(message.flag("on"))
        elif message.type == "watch":
            self.course.watch(message.integer("runner", 0, MOST_BOTS))
        elif message.type == "locomotion":
            self.course.set_reset(message.choice("mode", "restored", "reset") == "reset")
        else:
            super().receive(message)
        self.post("settings", settings=self._shown_settings())

    # What the page sends.

    def _take_input(self, message: PageMessage) -> None:
        x, z, jump = message.number("x", -1, 1), message.number("z", -1, 1), message.flag("jump")
        hands = self.course.hands
        hands.x, hands.z, hands.jump = x, z, jump

    def _set_conditions(self, message: PageMessage) -> None:
        self._link = {
            "latency": message.number("latency", 0, 300),
            "jitter": message.number("jitter", 0, 100),
            "loss": message.number("loss", 0, 30),
            "bursts": message.number("bursts", 0, 5),
        }
        self.course.set_conditions(self._conditions())

    def _conditions(self) -> Conditions:
        link = self._link
        return Conditions(
            latency=link["latency"] / 1000,
            jitter=link["jitter"] / 1000,
            loss=link["loss"] / 100,
            burst_enter=link["bursts"] / 100,
        )

    # What the page is shown.

    def _shown_settings(self) -> dict[str, Any]:
        course = self.course
        return {
            **self._link,
            "bots": sum(number != YOU for number in course.runners),
            "play": YOU in course.runners,
            "watch": course.watched,
            "locomotion": "reset" if course.reset else "restored",
        }

    def _frame(self, seconds: float) -> dict[str, Any]:
        course = self.course
        client = course.runners[course.watched].client
        own = client.player
        offset = client.view_offset(seconds)
        others = client.others(now=course.network.now)
        return {
            "tick": course.room.tick,
            "truth": [
                [peer, *_rounded((*player.state.position, player.state.yaw)), player.state.mode]
                for peer, player in course.room.players.items()
            ],
            "own": None
            if own is None
            else [client.peer_id, *_rounded((*own.position, own.yaw)), own.mode, *_rounded(offset)],
            "others": [
                [peer, *_rounded((*view.position, view.yaw)), int(view.underflow)] for peer, view in others.items()
            ],
            "corrections": [
                [one.number, one.peer_id, *_rounded((one.metres, *one.before, *one.after))]
                for one in course.corrections()
            ],
        }
