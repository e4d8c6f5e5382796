"""One client of the room: a bot or the user at its controls, and what its corrections were."""

# retick: floats -- measurements, and headings that are inputs

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atan2, hypot, inf
from typing import Any, Final, NamedTuple

from retick.authority import Client, Joined, Reconciled
from retick.games.runner import Intent, RunnerState
from retick.testing.course_clients import CourseClient
from retick.transport import SimulatedNetwork
from retick.wire.plain import Plain

__all__ = ["VISIBLE", "WARM_UP", "Correction", "Hands", "Runner", "Tally"]

WARM_UP: Final = 3.0
"""Seconds after joining, or after a switch, in which corrections do not count: the client is still adjusting."""
VISIBLE: Final = 0.25
"""Metres: a larger correction is seen by a player."""
LEAST: Final = 0.0005
"""Metres: a smaller one is rounding."""


class Correction(NamedTuple):
    """A client was moved by a snapshot."""

    number: int
    """Counts all corrections of a room."""
    time: float
    """Seconds."""
    peer_id: int
    """Of the runner."""
    metres: float
    before: tuple[float, float, float]
    after: tuple[float, float, float]


@dataclass(slots=True)
class Tally(Plain):
    """What reconciling did, of all clients."""

    reconciles: int = 0
    corrections: int = 0
    visible: int = 0
    largest: float = 0.0

    def add(self, metres: float) -> None:
        """One more reconcile."""
        self.reconciles += 1
        self.corrections += metres > LEAST
        self.visible += metres > VISIBLE
        self.largest = max(self.largest, metres)


class Hands:
    """Controls that a person holds: a direction on the course, and the jump key."""

    def __init__(self) -> None:
        self.x = self.z = 0.0
        self.jump = False

    def decide(self, state: RunnerState) -> Intent:
        """The runner looks where it runs; it stands when no direction is held."""
        length = hypot(self.x, self.z)
        if length < 0.05:
            return Intent(yaw=state.yaw, jump=self.jump)
        # retick: allow inexact-math -- a heading is an input, and inputs are recorded
        return Intent(move_y=min(1.0, length), yaw=atan2(-self.x, -self.z), jump=self.jump)


class Runner(CourseClient):
    """A client in its loop; ``report`` gets each of its corrections: metres, before, after."""

    def __init__(
        self,
        network: SimulatedNetwork,
        name: str,
        client: Client,
        bot: Any,
        *,
        tally: Callable[[], Tally],
        report: Callable[["Runner", float, RunnerState, RunnerState], None],
    ) -> None:
        super().__init__(network, name, client, bot)
        self.recent: deque[tuple[float, float]] = deque(maxlen=64)
        """Time and metres of corrections."""
        self.newest = 0.0
        """Metres, the largest correction since it was taken."""
        self._tally = tally
        self._report = report
        self._counts_from = inf

    def on_event(self, event: Any, now: float) -> None:
        if isinstance(event, Joined):
            self._counts_from = now + WARM_UP
        elif isinstance(event, Reconciled):
            if now >= self._counts_from:
                self._tally().add(event.correction)
            if event.correction > LEAST:
                self.recent.append((now, event.correction))
                self.newest = max(self.newest, event.correction)
                self._report(self, event.correction, event.before, event.after)

    def take_newest(self) -> float:
        """The largest correction since the last call."""
        taken, self.newest = self.newest, 0.0
        return taken

    def in_last_second(self) -> tuple[int, float]:
        """Number of corrections and the largest, in metres."""
        since = self.network.now - 1.0
        found = [metres for time, metres in self.recent if time >= since]
        return len(found), max(found, default=0.0)

    def set_reset(self, on: bool) -> None:
        """From the next snapshot on, reset locomotion or restore it."""
        config = replace(self.client.config, reset_on_reconcile=on)
        self.client.config = config
        if self.client.prediction is not None:
            self.client.prediction.config = config
            self._counts_from = self.network.now + WARM_UP
