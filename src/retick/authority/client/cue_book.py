"""Keeps track of cues that were started on a prediction until they are confirmed or cancelled.

Theory of operation. The client's own run of the world gives cues early; the server's cues are the truth. Positions in a
cue may differ a little, and so may the tick: a server's cue matches a predicted one if both have the same values apart
from floats, and are at most ``tolerance`` ticks apart. A matching cue of the server confirms a predicted one. It is
cancelled when a later prediction no longer gives it, or when the server has passed its tick. A cue of the server that
nobody predicted is started and confirmed at once.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from retick.authority.frames import Cue
from retick.sim.contract import CueCancelled, CueConfirmed, CueEvent, CueStarted

MOST_OPEN: Final = 512
"""The most predicted cues that wait for the server; more are not started early."""
MOST_UNREAD: Final = 2048
"""The most events kept for the application; the oldest are dropped and counted."""


class _Open:
    __slots__ = ("cue", "now_at", "started_at")

    def __init__(self, tick: int, cue: Hashable) -> None:
        self.started_at = tick
        self.now_at = tick
        """The tick at which the newest prediction has it."""
        self.cue = cue


def _key(value: Any) -> Any:
    """The values of a cue that identify it: everything but its floats."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    return float if isinstance(value, float) else (type(value), value)


class CueBook:
    """The cues of one client."""

    def __init__(self, tolerance: int) -> None:
        self._tolerance = tolerance
        self._open: list[_Open] = []
        self._events: list[CueEvent] = []
        self.dropped = 0
        """Events that the application never got, because it did not ask."""

    def drain(self) -> list[CueEvent]:
        events, self._events = self._events, []
        return events

    def predicted(self, first: int, cues: Mapping[int, Iterable[Hashable]], base: int) -> None:
        """Note the cues of the ticks run (again) from ``first`` on; ``base`` is the newest snapshot's tick."""
        left = [each for each in self._open if each.now_at >= first]
        earlier = [each for each in self._open if each.now_at <= base]
        others = [each for each in self._open if base < each.now_at < first]
        kept: list[_Open] = []
        new: list[tuple[int, Hashable]] = []
        for tick in sorted(cues):
            for cue in cues[tick]:
                same = self._taken(left, tick, cue) or self._taken(earlier, tick, cue)
                if same is None:
                    new.append((tick, cue))
                else:
                    same.now_at = tick
                    kept.append(same)
        for gone in left:
            self._tell(CueCancelled(frame=gone.started_at, cue=gone.cue))
        self._open = [*earlier, *others, *kept]
        for tick, cue in new:
            if len(self._open) < MOST_OPEN:
                self._open.append(_Open(tick, cue))
                self._tell(CueStarted(frame=tick, cue=cue))

    def happened(self, cues: Iterable[Cue], tick: int) -> None:
        """Note the cues that happened up to the tick of a snapshot."""
        for cue in cues:
            same = self._taken(self._open, cue.tick, cue.cue)
            if same is None:
                self._tell(CueStarted(frame=cue.tick, cue=cue.cue))
                self._tell(CueConfirmed(frame=cue.tick, cue=cue.cue))
            else:
                self._tell(CueConfirmed(frame=same.started_at, cue=same.cue))
        late = [each for each in self._open if each.now_at + self._tolerance <= tick]
        self._open = [each for each in self._open if each.now_at + self._tolerance > tick]
        for gone in late:
            self._tell(CueCancelled(frame=gone.started_at, cue=gone.cue))

    def cancel(self) -> None:
        """Cancel all open cues, because the connection is lost."""
        for each in self._open:
            self._tell(CueCancelled(frame=each.started_at, cue=each.cue))
        self._open = []

    def _taken(self, among: list[_Open], tick: int, cue: Hashable) -> _Open | None:
        """Find the nearest open cue that is the same, and remove it from the list."""
        key = _key(cue)
        same = [each for each in among if abs(each.now_at - tick) <= self._tolerance and _key(each.cue) == key]
        if not same:
            return None
        nearest = min(same, key=lambda each: abs(each.now_at - tick))
        among.remove(nearest)
        return nearest

    def _tell(self, event: CueEvent) -> None:
        if len(self._events) == MOST_UNREAD:
            del self._events[0]
            self.dropped += 1
        self._events.append(event)
