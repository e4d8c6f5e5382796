"""What a server does when it is too slow: it has left out ticks, and now sends fewer snapshots for a while."""
# retick: floats -- seconds; nothing is simulated from them

from typing import Final

__all__ = ["Load"]

MOST: Final = 2
"""Snapshots come at most 2 to the power of this times as seldom."""
STEP_SECONDS: Final = 0.5
"""Between two steps up."""
CALM_SECONDS: Final = 5.0
"""Without a tick left out, before a step down."""


class Load:
    """How much is shed: 0 nothing, 1 every second snapshot, 2 three of four."""

    __slots__ = ("_changed_at", "_late_at", "level")

    def __init__(self) -> None:
        self.level = 0
        self._changed_at = -STEP_SECONDS
        self._late_at = 0.0

    def note(self, skipped: int, now: float) -> None:
        """So many ticks were just left out; 0 mostly."""
        if skipped:
            self._late_at = now
            if self.level < MOST and now - self._changed_at >= STEP_SECONDS:
                self.level += 1
                self._changed_at = now
        elif self.level and now - max(self._late_at, self._changed_at) >= CALM_SECONDS:
            self.level -= 1
            self._changed_at = now
