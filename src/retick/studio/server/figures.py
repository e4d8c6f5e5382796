"""Numbers of a room, taken ten times a second: rates are over the last second."""

# retick: floats -- measurements

from collections import deque
from typing import Any, Final, NamedTuple

from retick.studio.server.course import Course

__all__ = ["EVERY", "Figures"]

EVERY: Final = 0.1
"""Seconds between two samples."""
KEPT: Final = 11
"""Samples, so that the first and the last are a second apart."""


class _Totals(NamedTuple):
    time: float
    down: int
    up: int
    snapshots: int
    snapshot_bytes: int


class Figures:
    """Samples of one course; it keeps a second of totals."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._watched = course.watched
        self._totals: deque[_Totals] = deque(maxlen=KEPT)

    def sample(self) -> dict[str, Any]:
        """The fields of a message, for this moment."""
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
