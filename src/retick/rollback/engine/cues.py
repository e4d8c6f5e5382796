"""Sounds and effects that survive rollback: each cue starts once, and ends as confirmed or cancelled (a kernel).

A game derives its cues from a transition: ``cues(before, after)`` yields hashable values such as ``("hit", 1)``. They
are not part of the state, and are derived again when a frame is resimulated. A cue that was started on a prediction and
did not happen after all is cancelled; one that still happens in the same frame keeps playing.
"""

from collections import Counter
from typing import Any

from retick.errors import UsageError
from retick.sim.contract import CueCancelled, CueConfirmed, CueEvent, CueStarted

__all__ = ["CueCancelled", "CueConfirmed", "CueEvent", "CueStarted", "CueTracker"]


try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.engine import RollbackEngine
else:
    from retick.rollback.engine.engine import RollbackEngine

_NO_CUES: Any = Counter()


@cython.cclass
class CueTracker:
    """Follows one engine; ``update`` after each advance returns which cues to start, stop and confirm."""

    _engine: RollbackEngine
    _cues: Any
    _tolerance: cython.longlong
    _first: cython.longlong
    _seen: cython.longlong
    _open: dict[int, Any]
    _told: dict[int, Any]

    def __init__(self, engine: Any, cues: Any = None, *, tolerance: Any = 0, first: Any = None) -> None:
        """``cues`` defaults to the game's own. ``first`` is the first frame to follow, by default the next one.

        With a ``tolerance``, a cue that a rollback moved by at most that many frames keeps playing: its start is not
        reported again.
        """
        found = cues if cues is not None else getattr(engine.sim, "cues", None)
        if found is None:
            raise UsageError(f"{type(engine.sim).__name__} has no cues(before, after), and none was given")
        self._engine = engine
        self._cues = found
        self._tolerance = tolerance
        self._first = self._seen = engine.frame if first is None else first
        # Started cues of frames that are not final; only frames that have some.
        self._open = {}
        # Confirmed cues, as far back as history reaches: a drop can change frames whose inputs were confirmed.
        self._told = {}

    def update(self) -> list[CueEvent]:
        """The changes since the last update; call it at least once every ``history`` frames, or cues are missed."""
        engine: RollbackEngine = self._engine
        resimulated: cython.longlong = engine.drain_resimulated()
        first: cython.longlong = self._seen if resimulated < 0 else min(self._seen, resimulated)
        cancelled: list[Any] = []
        started: list[Any] = []
        self._compare(max(first, self._first, engine.current - engine.history), cancelled, started)
        self._seen = engine.current
        if self._tolerance:
            self._keep_moved(cancelled, started)
        return cancelled + started + self._confirm()

    def cancel(self) -> list[CueEvent]:
        """Cancel the cues of frames that are not final, because the match is over."""
        open_cues, self._open = self._open, {}
        return [
            CueCancelled(frame=frame, cue=cue) for frame, cues in sorted(open_cues.items()) for cue in cues.elements()
        ]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _compare(self, first: cython.longlong, cancelled: list[Any], started: list[Any]) -> cython.int:
        """Compare the cues that frames have now with those that were told, from frame ``first`` on."""
        engine: RollbackEngine = self._engine
        frame: cython.longlong
        if first >= engine.current:
            return 0
        before: Any = engine.state_at(first)
        for frame in range(first, engine.current):
            after: Any = engine.state_at(frame + 1)
            given = tuple(self._cues(before, after))
            before = after
            # Most frames have no cue, before or now: they cost no more than these two questions.
            if given or frame in self._open:
                now = Counter(given) - self._told.get(frame, _NO_CUES)
                then = self._open.pop(frame, _NO_CUES)
                cancelled += [CueCancelled(frame=frame, cue=cue) for cue in (then - now).elements()]
                started += [CueStarted(frame=frame, cue=cue) for cue in (now - then).elements()]
                if now:
                    self._open[frame] = now
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _keep_moved(self, cancelled: list[Any], started: list[Any]) -> cython.int:
        """Remove pairs of a cancelled and a started cue that are the same cue, moved by a few frames."""
        for old in list(cancelled):
            for new in started:
                if new.cue == old.cue and abs(new.frame - old.frame) <= self._tolerance:
                    cancelled.remove(old)
                    started.remove(new)
                    break
        return 0

    @cython.cfunc
    def _confirm(self) -> list[Any]:
        """Report the cues of final frames, and forget what is older than history."""
        engine: RollbackEngine = self._engine
        confirmed: list[Any] = []
        if not self._open and not self._told:
            return confirmed
        final = engine.final_state_frame
        for frame in sorted([frame for frame in self._open if frame < final]):
            cues = self._open.pop(frame)
            confirmed += [CueConfirmed(frame=frame, cue=cue) for cue in cues.elements()]
            self._told[frame] = self._told.get(frame, _NO_CUES) + cues
        for frame in [frame for frame in self._told if frame < engine.current - engine.history]:
            del self._told[frame]
        return confirmed
