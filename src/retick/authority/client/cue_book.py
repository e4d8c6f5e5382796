"""Which cues were started on a guess, and what became of them.

Theory of operation. The client's own run of the world gives cues early; the server's cues are the truth. Positions in a
cue are a little different in both, and so may be the tick: a cue of the server is the same as a predicted one if both
have the same values apart from floats, and are at most ``tolerance`` ticks apart. A predicted cue ends as confirmed by
one of the server, or as cancelled: when a later prediction does not give it any more, or when the server has passed its
tick. A cue of the server that nobody predicted is started and confirmed at once.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from retick.authority.frames import Cue
from retick.sim.contract import CueCancelled, CueConfirmed, CueEvent, CueStarted

__all__ = ["CueBook"]

MOST_OPEN: Final = 512
"""Cues of predictions that may wait for the server; more are not started early."""
MOST_UNREAD: Final = 2048
"""Events that may wait for the application; the oldest are dropped and counted."""


class _Open:
    __slots__ = ("cue", "now_at", "started_at")

    def __init__(self, tick: int, cue: Hashable) -> None:
        self.started_at = tick
        self.now_at = tick
        """Where the newest prediction has it."""
        self.cue = cue


def _key(value: Any) -> Any:
    """What a cue is apart from its floats."""
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
        """The ticks from ``first`` on were run, or run again, and gave these cues; ``base``: of the newest snapshot."""
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
        """A snapshot of a tick says what has happened up to it."""
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
        """The connection is lost: nothing more is known of what was predicted."""
        for each in self._open:
            self._tell(CueCancelled(frame=each.started_at, cue=each.cue))
        self._open = []

    def _taken(self, among: list[_Open], tick: int, cue: Hashable) -> _Open | None:
        """The nearest that is the same cue; it is taken out of the list."""
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
