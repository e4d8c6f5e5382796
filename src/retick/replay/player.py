"""Plays a recording: the next frame, or a jump to any frame.

Theory of operation. A jump runs from the nearest kept state before the target. The player keeps a state every
``spacing`` frames as it passes them, so the first jump to a frame runs all frames up to it, and later jumps run fewer
than ``spacing``. When more than ``max_checkpoints`` states are kept, every second one is discarded and the spacing
doubles: memory stays bounded however long the recording is.
"""

from typing import Any, Generic, TypeVar

from retick.errors import UsageError
from retick.replay.game_run import Run
from retick.replay.replay import Replay
from retick.sim.contract import Simulation

__all__ = ["ReplayPlayer"]

S = TypeVar("S")


class ReplayPlayer(Generic[S]):
    """A position in a recording: ``state`` is the state at ``frame``."""

    def __init__(self, replay: Replay, sim: Simulation[S], *, spacing: int = 600, max_checkpoints: int = 256) -> None:
        if spacing < 1 or max_checkpoints < 2:
            raise UsageError(
                f"max_checkpoints must be 2 or more and spacing 1 or more, not {max_checkpoints} and {spacing}"
            )
        self._run = Run(replay, sim)
        self.replay = replay
        self.sim = sim
        self.frame = replay.start_frame
        self.state: S = self._run.start()
        self._spacing = spacing
        self._max = max_checkpoints
        self._kept: list[S] = [self.state]
        """States at the start frame and every ``spacing`` frames after it, without gaps."""

    @property
    def finished(self) -> bool:
        """True at the final state."""
        return self.frame == self.replay.end_frame

    @property
    def spacing(self) -> int:
        """Frames between the states that are kept."""
        return self._spacing

    @property
    def kept(self) -> int:
        """Number of states that are kept."""
        return len(self._kept)

    def fields(self) -> dict[str, Any]:
        """Every value of the state by name."""
        return dict(self.sim.fields(self.state))

    def step(self) -> S:
        """Play one frame; at the end, a UsageError."""
        if self.finished:
            raise UsageError(f"the recording ends at frame {self.frame}")
        return self.seek(self.frame + 1)

    def seek(self, frame: int) -> S:
        """Jump to a frame and return its state; a frame outside of the recording is a UsageError."""
        first, last = self.replay.start_frame, self.replay.end_frame
        if not isinstance(frame, int) or not first <= frame <= last:
            raise UsageError(f"there is no frame {frame}: the recording goes from frame {first} to {last}")
        near, state = self._nearest(frame)
        self.state = self._run_to(state, near, frame)
        self.frame = frame
        return self.state

    def prepare(self, frames: int) -> bool:
        """Run about ``frames`` frames ahead and keep their states, without moving; True once every jump is short.

        For slow games: called between two pictures, it makes the first jump fast too.
        """
        at, spacing = self._frontier, self._spacing
        # Whole spacings only: frames after the last state to keep would be run for nothing.
        ahead = min(max(frames // spacing, 1), (self.replay.end_frame - at) // spacing)
        self._run_to(self._kept[-1], at, at + ahead * spacing)
        return self._frontier + self._spacing > self.replay.end_frame

    @property
    def _frontier(self) -> int:
        """The frame of the newest state that is kept."""
        return self.replay.start_frame + (len(self._kept) - 1) * self._spacing

    def _nearest(self, frame: int) -> tuple[int, S]:
        start = self.replay.start_frame
        index = min((frame - start) // self._spacing, len(self._kept) - 1)
        kept_at = start + index * self._spacing
        if kept_at < self.frame <= frame:
            return self.frame, self.state
        return kept_at, self._kept[index]

    def _run_to(self, state: S, frame: int, target: int) -> S:
        """The state at ``target``; keeps the states on the way that are due and not kept yet."""
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
