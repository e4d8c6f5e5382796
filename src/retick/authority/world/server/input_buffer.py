"""Inputs of one player that wait at the server for their tick, and the choice of one for each tick.

An input that was received is not changed by a later packet. The first row that fits decides about a tick:

    there is an input for it            that one
    fewer than ``hold`` are missing     the last one, repeated
    otherwise                           0: nothing is pressed
"""

from retick.authority.world.frames import InputFrame
from retick.authority.world.server.viewed import ticks_behind

__all__ = ["InputBuffer"]


class InputBuffer:
    """At most as many inputs as they may come early."""

    __slots__ = ("_ahead", "_hold", "_last", "_rewind", "_waiting", "behind", "dropped_early", "dropped_late", "held",
                 "margin", "neutral", "newest", "streak", "streak_max", "used")  # fmt: skip

    def __init__(self, *, hold: int, ahead: int, rewind: int = 1) -> None:
        """``hold``: ticks that the last input is repeated; ``ahead``: ticks that one may come early.

        ``rewind``: ticks that somebody can see the others behind, at most.
        """
        self._hold = hold
        self._ahead = ahead
        self._rewind = rewind
        self._waiting: dict[int, tuple[int, int]] = {}
        """Tick to the input, and how far behind the others were seen with it."""
        self.behind = 1
        """Ticks behind the input that was taken last that the player saw the others."""
        self._last = 0
        self.streak = 0
        """Ticks in a row without their input, up to now."""
        self.streak_max = 0
        self.newest = 0
        """Tick of the newest input received; 0 before the first."""
        self.margin = 0
        """How many ticks early it was: 0 if it came for the next tick, below 0 if it was late."""
        self.used = 0
        """Ticks that had their input."""
        self.held = 0
        """Ticks that ran on the last one."""
        self.neutral = 0
        """Ticks that ran on nothing."""
        self.dropped_late = 0
        """Inputs that came after their tick, and that no earlier packet had brought."""
        self.dropped_early = 0
        """Inputs that came too early."""

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, frame: InputFrame, tick: int, measured: int = 0) -> bool:
        """Keep the inputs of a packet; ``tick`` was run last. Returns whether it brought a newer tick than ever.

        ``measured``: ticks behind that the link allows for an input that is not early.
        """
        is_newer = self.newest < frame.tick <= tick + self._ahead
        for back, pressed in enumerate(frame.inputs):
            meant = frame.tick - back
            if meant > tick + self._ahead:
                self.dropped_early += 1
            elif meant > tick:
                if meant not in self._waiting:
                    early = meant - tick - 1
                    behind = ticks_behind(frame.viewed, early=early, measured=measured, most=self._rewind)
                    self._waiting[meant] = (pressed, behind)
            else:
                self.dropped_late += meant > self.newest
        if is_newer:
            self.newest = frame.tick
            self.margin = frame.tick - tick - 1
        return is_newer

    def take(self, tick: int) -> int:
        """The input for a tick; each tick is asked for once, in order."""
        found = self._waiting.pop(tick, None)
        if found is not None:
            self.used += 1
            self.streak = 0
            self._last, self.behind = found
            return self._last
        self.streak += 1
        self.streak_max = max(self.streak_max, self.streak)
        if self.streak <= self._hold:
            self.held += 1
        else:
            self.neutral += 1
            self._last = 0
        return self._last
