"""Plays a recording back: one frame on, or a jump to any frame.

Theory of operation. A jump is a run from the nearest state before the target. The player keeps a state every
``spacing`` frames as it passes, so the first visit of a place costs the way there and later ones at most
``spacing`` steps. When there are more than ``max_checkpoints``, every other one is dropped and the spacing
doubles: memory stays bounded however long the recording is.
"""

from typing import Any, Generic, TypeVar

from retick.errors import UsageError
from retick.replay.running import Run
from retick.replay.value import Replay
from retick.sim.contract import Simulation

__all__ = ["ReplayPlayer"]

S = TypeVar("S")


class ReplayPlayer(Generic[S]):
    """A place in a recording: ``state`` is the state at ``frame``."""

    def __init__(self, replay: Replay, sim: Simulation[S], *, spacing: int = 600, max_checkpoints: int = 256) -> None:
        if spacing < 1 or max_checkpoints < 2:
            raise UsageError(
                f"a player keeps 2 states or more, 1 frame apart or more, not {max_checkpoints}, {spacing}"
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
        """How many states are kept."""
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
            raise UsageError(f"the recording goes from frame {first} to {last}, not to {frame}")
        near, state = self._nearest(frame)
        self.state = self._walk(state, near, frame)
        self.frame = frame
        return self.state

    def prepare(self, frames: int) -> bool:
        """Keep states up to ``frames`` further ahead without moving; True once every jump is a short one.

        For a game that is slow: called between pictures, it takes the waiting out of the first jump.
        """
        at, spacing = self._frontier, self._spacing
        # Whole spacings only: a walk that ends before the next state to keep would be for nothing.
        ahead = min(max(frames // spacing, 1), (self.replay.end_frame - at) // spacing)
        self._walk(self._kept[-1], at, at + ahead * spacing)
        return self._frontier + self._spacing > self.replay.end_frame

    @property
    def _frontier(self) -> int:
        return self.replay.start_frame + (len(self._kept) - 1) * self._spacing

    def _nearest(self, frame: int) -> tuple[int, S]:
        start = self.replay.start_frame
        index = min((frame - start) // self._spacing, len(self._kept) - 1)
        kept_at = start + index * self._spacing
        if kept_at < self.frame <= frame:
            return self.frame, self.state
        return kept_at, self._kept[index]

    def _walk(self, state: S, frame: int, target: int) -> S:
        """Run on to ``target``, keeping the states that are passed for the first time."""
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
