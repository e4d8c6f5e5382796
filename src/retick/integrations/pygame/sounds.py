"""Calls the game's ``hear`` once for each cue that begins, however often its frame is resimulated."""

from collections.abc import Callable, Hashable

from retick.rollback import CueStarted, CueTracker, RollbackEngine

__all__ = ["Sounds"]

MOVED = 3
"""A cue that a rollback moves by so many frames is still the same sound."""


class Sounds:
    """The cues of one match."""

    def __init__(self, engine: RollbackEngine, hear: Callable[[Hashable], object] | None) -> None:
        self._hear = hear
        has_cues = hear is not None and hasattr(engine.sim, "cues")
        self._tracker = CueTracker(engine, tolerance=MOVED) if has_cues else None

    def update(self) -> None:
        """After each frame."""
        if self._tracker is None or self._hear is None:
            return
        for event in self._tracker.update():
            if isinstance(event, CueStarted):
                self._hear(event.cue)
