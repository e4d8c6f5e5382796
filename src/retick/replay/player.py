"""Plays a recording frame by frame, or jumps to any frame.

Theory of operation. A jump runs from the nearest kept state before the target. The player keeps a state every
``spacing`` frames as it passes them, so the first jump to a frame runs all frames up to it, and later jumps run fewer
than ``spacing``. When more than ``max_checkpoints`` states are kept, every second one is discarded and the spacing
doubles: memory stays bounded however long the recording is.
"""

from typing import Any, Generic, TypeVar

from retick.errors import UsageError
from retick.replay.replay import Replay
from retick.replay.running import GameRun
from retick.sim.contract import Simulation

S = TypeVar("S")


class ReplayPlayer(Generic[S]):
    """A position in a recording: ``state`` is the state at ``frame``."""

    def __init__(self, replay: Replay, sim: Simulation[S], *, spacing: int = 600, max_checkpoints: int = 256) -> None:
        if spacing < 1 or max_checkpoints < 2:
            raise UsageError(
                f"max_checkpoints must be 2 or more and spacing 1 or more, not {max_checkpoints} and {spacing}"
            )
        self._run = GameRun(replay, sim)
        self.replay = replay
        self.sim = sim
        self.frame = replay.start_frame
        self.state: S = self._run.start()
        self._spacing = spacing
        self._max = max_checkpoints
        self._kept: list[S] = [self.state]
        """The states at the start frame and every ``spacing`` frames after it, without gaps."""

    @property
    def finished(self) -> bool:
        """Whether the final state is reached."""
        return self.frame == self.replay.end_frame

    @property
    def spacing(self) -> int:
        """How many frames lie between kept states."""
        return self._spacing

    @property
    def kept(self) -> int:
        """How many states are kept."""
        return len(self._kept)

    def fields(self) -> dict[str, Any]:
        """Every value of the state by name."""
        return dict(self.sim.fields(self.state))

    def step(self) -> S:
        """Play one frame; raises UsageError at the end."""
        if self.finished:
            raise UsageError(f"the recording ends at frame {self.frame}")
        return self.seek(self.frame + 1)

    def seek(self, frame: int) -> S:
        """Jump to a frame and return its state; raises UsageError for a frame outside the recording."""
        first, last = self.replay.start_frame, self.replay.end_frame
        if not isinstance(frame, int) or not first <= frame <= last:
            raise UsageError(f"there is no frame {frame}: the recording goes from frame {first} to {last}")
        near, state = self._nearest(frame)
        self.state = self._run_to(state, near, frame)
        self.frame = frame
        return self.state

    def prepare(self, frames: int) -> bool:
        """Run about ``frames`` frames ahead and keep their states, without moving; True once every jump is short.

        For slow games: calling this between two pictures makes the first jump fast too.
        """
        at, spacing = self._frontier, self._spacing
        # Only whole spacings: frames after the last state to keep would be run for nothing.
        ahead = min(max(frames // spacing, 1), (self.replay.end_frame - at) // spacing)
        self._run_to(self._kept[-1], at, at + ahead * spacing)
        return self._frontier + self._spacing > self.replay.end_frame

    @property
    def _frontier(self) -> int:
        """The frame of the newest kept state."""
        return self.replay.start_frame + (len(self._kept) - 1) * self._spacing

    def _nearest(self, frame: int) -> tuple[int, S]:
        start = self.replay.start_frame
        index = min((frame - start) // self._spacing, len(self._kept) - 1)
        kept_at = start + index * self._spacing
        if kept_at < self.frame <= frame:
            return self.frame, self.state
        return kept_at, self._kept[index]

    def _run_to(self, state: S, frame: int, target: int) -> S:
        """Run to the state at ``target``; keep those states on the way that are due and not kept yet."""
        while frame < target:
            following = self._frontier + self._spacing
            goal = min(target, following) if frame < following else target
            state = self._run.between(state, frame, goal)
            frame = goal
            if frame == following:
                self._keep(state)
        return state

    def _keep(self, state: S) -> None:
        self._kept.append(state)
        if len(self._kept) > self._max:
            del self._kept[1::2]
            self._spacing *= 2


# A replay player with pause and speed, controlled by keys; it knows no clock, no terminal and no window.

SLOWEST, FASTEST = 0.125, 16.0
"""The limits of playback speed, as multiples of normal speed."""
STEPS = {"right": 1, "left": -1, ".": 1, ",": -1, "l": 1, "h": -1}
JUMPS = {"up": 60, "down": -60, "page up": -600, "page down": 600}


class Playback:
    """A replay player with pause and speed, controlled by keys. It knows no clock, terminal or window."""

    def __init__(self, player: ReplayPlayer[Any], *, paused: bool = False) -> None:
        self.player = player
        self.paused = paused
        self.quit = False
        self.speed = 1.0
        self._owed = 0.0

    def press(self, key: str) -> None:
        """Handle one key; unknown keys do nothing."""
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
        """Advance for a time of ``frames`` at normal speed, by as many frames as the current speed makes of it."""
        self._owed = 0.0 if self.paused else self._owed + self.speed * frames
        whole = int(self._owed)
        self._owed -= whole
        self.advance(whole)

    def advance(self, frames: int) -> None:
        """Advance by ``frames`` unless paused; at the end, pause."""
        if not self.paused:
            self._move(frames)
            self.paused = self.player.finished
