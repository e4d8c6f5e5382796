"""A replay player with pause and speed, controlled by keys; it knows no clock, no terminal and no window."""

from typing import Any

from retick.replay.player import ReplayPlayer

__all__ = ["Playback"]

SLOWEST, FASTEST = 0.125, 16.0
"""As a multiple of normal speed."""
STEPS = {"right": 1, "left": -1, ".": 1, ",": -1, "l": 1, "h": -1}
JUMPS = {"up": 60, "down": -60, "page up": -600, "page down": 600}


class Playback:
    """A replay player with pause and speed, controlled by keys; it knows no terminal."""

    def __init__(self, player: ReplayPlayer[Any], *, paused: bool = False) -> None:
        self.player = player
        self.paused = paused
        self.quit = False
        self.speed = 1.0
        self._owed = 0.0

    def press(self, key: str) -> None:
        """One key; keys without a meaning do nothing."""
        if key == " ":
            self.paused = not self.paused
        elif key in ("q", "\x1b"):
            self.quit = True
        elif key in STEPS:
            self.paused = True
            self._move(STEPS[key])
        elif key in JUMPS:
            self._move(JUMPS[key])
        elif key in ("home", "end"):
            self._move(-self.length if key == "home" else self.length)
        elif key.isascii() and key.isdigit():
            self.player.seek(self.first + self.length * int(key) // 10)
        elif key in "+=":
            self.speed = min(self.speed * 2, FASTEST)
        elif key in "-_":
            self.speed = max(self.speed / 2, SLOWEST)

    @property
    def first(self) -> int:
        return self.player.replay.start_frame

    @property
    def length(self) -> int:
        return len(self.player.replay)

    def _move(self, frames: int) -> None:
        end = self.player.replay.end_frame
        self.player.seek(min(max(self.player.frame + frames, self.first), end))

    def tick(self, frames: float = 1.0) -> None:
        """Time for so many frames at normal speed has passed: advance by as many as the speed makes of them."""
        self._owed = 0.0 if self.paused else self._owed + self.speed * frames
        whole = int(self._owed)
        self._owed -= whole
        self.advance(whole)

    def advance(self, frames: int) -> None:
        """Advance by so many frames unless paused; at the end it pauses by itself."""
        if not self.paused:
            self._move(frames)
            self.paused = self.player.finished
