"""Sounds and effects that survive rollback: each cue starts once, and ends as confirmed or as cancelled.

A game derives its cues from a transition: ``cues(before, after)`` yields hashable values such as ``("hit", 1)``. They
are not part of the state, and are derived again when a frame is resimulated. A cue that was started on a prediction and
did not happen after all is cancelled; one that still happens in the same frame keeps playing.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from retick.errors import UsageError
from retick.rollback.engine.engine import RollbackEngine
from retick.sim.contract import CueCancelled, CueConfirmed, CueEvent, CueStarted

__all__ = ["CueCancelled", "CueConfirmed", "CueEvent", "CueStarted", "CueTracker"]


_NO_CUES: Counter[Hashable] = Counter()


class CueTracker:
    """Follows one engine; ``update`` after each advance returns which cues to start, stop and confirm."""

    def __init__(
        self,
        engine: RollbackEngine,
        cues: Callable[[Any, Any], Iterable[Hashable]] | None = None,
        *,
        tolerance: int = 0,
        first: int | None = None,
    ) -> None:
        """``cues`` defaults to the game's own. ``first`` is the first frame to follow, by default the next one.

        With a ``tolerance``, a cue that a rollback moved by at most that many frames keeps playing: its start is not
        reported again.
        """
        found = cues if cues is not None else getattr(engine.sim, "cues", None)
        if found is None:
            raise UsageError(f"{type(engine.sim).__name__} has no cues(before, after), and none was given")
        self._engine = engine
        self._cues: Callable[[Any, Any], Iterable[Hashable]] = found
        self._tolerance = tolerance
        self._first = self._seen = engine.frame if first is None else first
        self._open: dict[int, Counter[Hashable]] = {}
        """Started cues of frames that are not final; only frames that have some."""
        self._told: dict[int, Counter[Hashable]] = {}
        """Confirmed cues, as far back as history reaches: a drop can change frames whose inputs were confirmed."""

    def update(self) -> list[CueEvent]:
        """The changes since the last update; call it at least once every ``history`` frames, or cues are missed."""
        resimulated = self._engine.drain_resimulated()
        first = self._seen if resimulated < 0 else min(self._seen, resimulated)
        cancelled, started = self._compare(max(first, self._first, self._engine.frame - self._engine.history))
        self._seen = self._engine.frame
        if self._tolerance:
            self._keep_moved(cancelled, started)
        return [*cancelled, *started, *self._confirm()]

    def cancel(self) -> list[CueEvent]:
        """Cancel the cues of frames that are not final, because the match is over."""
        open_cues, self._open = self._open, {}
        return [
            CueCancelled(frame=frame, cue=cue) for frame, cues in sorted(open_cues.items()) for cue in cues.elements()
        ]

    def _compare(self, first: int) -> tuple[list[CueEvent], list[CueEvent]]:
        cancelled: list[CueEvent] = []
        started: list[CueEvent] = []
        engine, cues_of = self._engine, self._cues
        if first >= engine.frame:
            return cancelled, started
        before = engine.state_at(first)
        for frame in range(first, engine.frame):
            after = engine.state_at(frame + 1)
            given = tuple(cues_of(before, after))
            before = after
            # Most frames have no cue, before or now: they cost no more than these two questions.
            if given or frame in self._open:
                now = Counter(given) - self._told.get(frame, _NO_CUES)
                then = self._open.pop(frame, _NO_CUES)
                cancelled += [CueCancelled(frame=frame, cue=cue) for cue in (then - now).elements()]
                started += [CueStarted(frame=frame, cue=cue) for cue in (now - then).elements()]
                if now:
                    self._open[frame] = now
        return cancelled, started

    def _keep_moved(self, cancelled: list[CueEvent], started: list[CueEvent]) -> None:
        """Remove pairs of a cancelled and a started cue that are the same cue, moved by a few frames."""
        for old in list(cancelled):
            for new in started:
                if new.cue == old.cue and abs(new.frame - old.frame) <= self._tolerance:
                    cancelled.remove(old)
                    started.remove(new)
                    break

    def _confirm(self) -> list[CueEvent]:
        engine = self._engine
        confirmed: list[CueEvent] = []
        if not self._open and not self._told:
            return confirmed
        for frame in sorted(frame for frame in self._open if frame < engine.final_state_frame):
            cues = self._open.pop(frame)
            confirmed += [CueConfirmed(frame=frame, cue=cue) for cue in cues.elements()]
            self._told[frame] = self._told.get(frame, _NO_CUES) + cues
        for frame in [frame for frame in self._told if frame < engine.frame - engine.history]:
            del self._told[frame]
        return confirmed
