"""Thousands of matches of the fighter in NumPy arrays, for learning loops: one call runs one frame of all matches.

The matches equal those of :class:`retick.games.fighter.Fighter`, bit for bit. docs/guides/agents.md describes
observations and rewards. This module has the threads; the compiled kernel has none.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeAlias

from retick.errors import MissingExtra, UsageError
from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.kernel import FighterBatch
from retick.sim.flat import make_record

__all__ = [
    "HIGHEST_SEED",
    "MATCH_FRAMES",
    "OBSERVED",
    "StepResult",
    "VectorFighter",
    "game_seed",
]


# Agents' libraries have seeds from 0 on; seeds of our games are 1 to 4294967295.

HIGHEST_SEED = 0xFFFFFFFF


def game_seed(number: int) -> int:
    """Map any seed to a game's seed: valid ones stay, larger ones wrap around, and 0 becomes the highest."""
    if not isinstance(number, int) or number < 0:
        raise UsageError(f"seed must be an integer of 0 or more, not {number!r}")
    return number % (HIGHEST_SEED + 1) or HIGHEST_SEED


try:
    import numpy as np
    from numpy.typing import NDArray
except ModuleNotFoundError:
    raise MissingExtra("matches in arrays need numpy: pip install numpy") from None


OBSERVED = 20
"""Numbers in one player's observation."""
MATCH_FRAMES = 3600
"""Default number of frames after which a match is cut off: one minute."""

SHARES = 4
"""Shares of the matches per thread."""

StepResult: TypeAlias = "tuple[NDArray[np.float32] | None, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]"
"""Observations, rewards, terminated, truncated."""


class VectorFighter:
    """Many matches at once. Every call writes into the same arrays: copy what must outlive the next call."""

    observations: "NDArray[np.float32] | None"
    """[match, player, 20]: what each player sees."""
    rewards: "NDArray[np.float32]"
    """[match, player]: what the last frame was worth."""
    terminated: "NDArray[np.bool_]"
    """[match]: a player had no hp left after the last frame."""
    truncated: "NDArray[np.bool_]"
    """[match]: the match was cut off after ``max_frames``."""

    def __init__(
        self,
        matches: int,
        seed: int = 1,
        *,
        threads: int = 2,
        auto_reset: bool = True,
        observe: bool = True,
        max_frames: int = MATCH_FRAMES,
    ) -> None:
        """With ``auto_reset``, a match that ends restarts in the same call. ``observe=False`` makes no observations."""
        for name, value, most in (
            ("matches", matches, 1 << 26),
            ("threads", threads, 256),
            ("max_frames", max_frames, HIGHEST_SEED),
        ):
            if not isinstance(value, int) or not 1 <= value <= most:
                raise UsageError(f"{name} must be an integer from 1 to {most}, not {value!r}")
        self.matches = matches
        self.max_frames = max_frames
        self.auto_reset = auto_reset
        self.observations = np.zeros((matches, 2, OBSERVED), np.float32) if observe else None
        self.rewards = np.zeros((matches, 2), np.float32)
        self.terminated = np.zeros(matches, np.bool_)
        self.truncated = np.zeros(matches, np.bool_)
        self._batch = FighterBatch(
            matches,
            Fighter().initial_state(1)._slots(),
            self.rewards.reshape(-1),
            self.terminated.view(np.uint8),
            self.truncated.view(np.uint8),
            None if self.observations is None else self.observations.reshape(-1),
        )
        self._threads = min(threads, self._batch.blocks)
        self._shares = min(SHARES * self._threads, self._batch.blocks) if self._threads > 1 else 1
        self._pool = ThreadPoolExecutor(self._threads - 1, "retick-vector") if self._threads > 1 else None
        first = game_seed(seed) - 1
        self._seeds = ((first + np.arange(matches, dtype=np.uint64)) % HIGHEST_SEED + 1).astype(np.uint32)
        self.reset()

    def reset(self, seeds: Any = None, *, chosen: Any = None) -> "NDArray[np.float32] | None":
        """Restart all matches, or the ``chosen`` ones, with ``seeds`` or else with the seeds of the last reset."""
        if seeds is not None:
            numbers = np.asarray(seeds)
            if numbers.shape != (self.matches,) or numbers.dtype.kind not in "iu" or (numbers < 0).any():
                raise UsageError(f"seeds must be {self.matches} integers of 0 or more, not {_described(seeds)}")
            rounded = numbers.astype(np.uint64) % (HIGHEST_SEED + 1)
            self._seeds = np.where(rounded == 0, HIGHEST_SEED, rounded).astype(np.uint32)
        marks = np.ones(self.matches, np.bool_) if chosen is None else np.asarray(chosen)
        if marks.shape != (self.matches,) or marks.dtype != np.bool_:
            raise UsageError(f"chosen must be {self.matches} booleans, not {_described(chosen)}")
        self._batch.restart(self._seeds, np.ascontiguousarray(marks).view(np.uint8))
        self.rewards[marks] = 0
        self.terminated[marks] = False
        self.truncated[marks] = False
        return None if self.observations is None else self.observed()

    def step(self, actions: "NDArray[np.uint16]") -> StepResult:
        """Run one frame of every match. ``actions`` is [match, player]: the 16 button bits of each player."""
        if not isinstance(actions, np.ndarray) or actions.dtype != np.uint16 or actions.shape != (self.matches, 2):
            raise UsageError(f"actions must be uint16 of shape ({self.matches}, 2), not {_described(actions)}")
        buttons = np.ascontiguousarray(actions).reshape(-1)
        shares = iter(range(self._shares))
        others = []
        if self._pool is not None:
            others = [self._pool.submit(self._advance, buttons, shares) for _ in range(self._threads - 1)]
        self._advance(buttons, shares)
        for other in others:
            if not other.cancel():  # a task that has not begun has nothing left to do
                other.result()
        return self.observations, self.rewards, self.terminated, self.truncated

    def _advance(self, buttons: "NDArray[np.uint16]", shares: Iterator[int]) -> None:
        """Play shares until none is left; all threads take from the same iterator, so that none waits for another."""
        for share in shares:
            self._batch.advance(buttons, share, self._shares, self.max_frames, self.auto_reset)

    def state(self, match: int) -> FighterState:
        """The state of one match, to draw, record or compare it."""
        state: FighterState = make_record(FighterState, self._batch.slots(match))
        return state

    def set_state(self, match: int, state: FighterState) -> None:
        """Set the state of one match, for lessons that begin in the middle; :meth:`observed` shows it."""
        if type(state) is not FighterState:
            raise UsageError(f"state must be a FighterState, not a {type(state).__name__}")
        self._batch.set_slots(match, state._slots())

    def observed(self) -> "NDArray[np.float32]":
        """The present observations, without running a frame; for use after ``set_state``."""
        if self.observations is None:
            raise UsageError("these matches were made with observe=False")
        self._batch.observe()
        return self.observations

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__
