"""Runs a recording and compares the recorded checksums with the run's, or adds checksums for others to compare."""

from dataclasses import dataclass
from typing import Any

from retick.errors import UsageError
from retick.replay.replay import Replay
from retick.replay.running import GameRun
from retick.sim.contract import NamesItself, Simulation


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of verifying a recording."""

    ok: bool
    """Whether all checksums agreed. Also True if there were none: then the recording ran to its end."""
    frames: int
    """How many frames were run."""
    checksum: int
    """The checksum of the final state, as computed here."""
    compared: int
    """How many checksums were compared, the expected one included."""
    expected_checksum: int | None
    """The checksum that the caller expected of the final state; None if none."""
    first_bad_frame: int | None
    """The first frame whose recorded or expected checksum differs from the run's; the states diverged by then."""
    last_good_frame: int | None
    """The last frame before that whose checksum agreed; the states diverged after it. None if none was compared."""
    bad_checksum: int | None
    """The recorded or expected checksum at ``first_bad_frame``."""
    found_checksum: int | None
    """The run's checksum at ``first_bad_frame``."""
    truncated: bool
    """Whether the recording was cut off; then the verdict is on its good part."""

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        text = f"{self.frames} frame{'s' * (self.frames != 1)}, checksum 0x{self.checksum:08X}"
        if self.truncated:
            text += ", cut off"
        if self.ok:
            return f"{text}, {self.compared or 'none'} compared"
        good = self.last_good_frame
        before = "no earlier checksum was compared" if good is None else f"the last that agreed is of frame {good}"
        return (
            f"{text}: frame {self.first_bad_frame} should be 0x{self.bad_checksum:08X} and is "
            f"0x{self.found_checksum:08X}; {before}"
        )


class Verification:
    """A recording that is run and compared in pieces, for programs that do other work in between."""

    def __init__(self, replay: Replay, sim: Simulation[Any], expected_checksum: int | None = None) -> None:
        if expected_checksum is not None and (
            not isinstance(expected_checksum, int) or not 0 <= expected_checksum <= 0xFFFFFFFF
        ):
            raise UsageError(f"expected_checksum must be an integer of 32 bits, not {expected_checksum!r}")
        self.replay = replay
        self.sim = sim
        self._expected = expected_checksum
        self._run = GameRun(replay, sim)
        self.frame = replay.start_frame
        """The frame that the run has reached."""
        self.state: Any = self._run.start()
        """The state at ``frame``."""
        self._left = iter(replay.checkpoints.items())
        self._next = next(self._left, None)
        self._good: int | None = None
        self._good_before_that: int | None = None
        self._bad: tuple[int, int, int] | None = None
        self._compare()

    def run_to(self, frame: int) -> None:
        """Run up to a frame, comparing every checksum on the way."""
        if not self.frame <= frame <= self.replay.end_frame:
            raise UsageError(f"frame {frame} is not from {self.frame} to {self.replay.end_frame}")
        while self._next is not None and self._next[0] <= frame:
            self._move(self._next[0])
            self._compare()
        self._move(frame)

    def _move(self, frame: int) -> None:
        self.state = self._run.between(self.state, self.frame, frame)
        self.frame = frame

    def _compare(self) -> None:
        """Compare this frame's checksum, if one was recorded."""
        if self._next is None or self._next[0] != self.frame:
            return
        expected, found = self._next[1], self.sim.checksum(self.state)
        if found != expected:
            self._bad = self._bad or (self.frame, expected, found)
        elif self._bad is None:
            self._good_before_that, self._good = self._good, self.frame
        self._next = next(self._left, None)

    def verdict(self) -> Verdict:
        """Run the rest; returns the result."""
        replay = self.replay
        self.run_to(replay.end_frame)
        final, bad, good = self.sim.checksum(self.state), self._bad, self._good
        if bad is None and self._expected is not None and self._expected != final:
            bad = (replay.end_frame, self._expected, final)
            good = self._good_before_that if good == replay.end_frame else good
        first_bad, bad_checksum, found_checksum = bad or (None, None, None)
        return Verdict(
            ok=bad is None,
            frames=replay.frame_count,
            checksum=final,
            compared=len(replay.checkpoints) + (self._expected is not None),
            expected_checksum=self._expected,
            first_bad_frame=first_bad,
            last_good_frame=good,
            bad_checksum=bad_checksum,
            found_checksum=found_checksum,
            truncated=replay.truncated,
        )


def verify(replay: Replay, sim: Simulation[Any], expected_checksum: int | None = None) -> Verdict:
    """Run the recording and compare every checksum in it, and ``expected_checksum`` with the final state's.

    The run continues to the end after a difference, because callers want the final checksum in any case.
    """
    return Verification(replay, sim, expected_checksum).verdict()


def sealed(replay: Replay, sim: Simulation[Any], *, every: int = 600) -> Replay:
    """The recording with the game's name, its final checksum, and one every ``every`` frames (0: none)."""
    if every < 0:
        raise UsageError(f"checksums come every 1 frame or more, or 0 for none, not {every}")
    run = GameRun(replay, sim)
    state, frame = run.start(), replay.start_frame
    stops = [*range(frame + every, replay.end_frame, every), replay.end_frame] if every else [replay.end_frame]
    checkpoints = {}
    for stop in stops:
        state, frame = run.between(state, frame, stop), stop
        checkpoints[stop] = sim.checksum(state)
    named = {"game_id": sim.game_id, "game_version": sim.game_version} if isinstance(sim, NamesItself) else {}
    return replay.replace(checkpoints=checkpoints, **named)
