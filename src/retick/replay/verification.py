"""Runs a recording and compares checksums: those recorded with those of the run, or adds them for others to compare."""

from dataclasses import dataclass
from typing import Any

from retick.errors import UsageError
from retick.replay.game_run import Run
from retick.replay.replay import Replay
from retick.sim.contract import NamesItself, Simulation

__all__ = ["Verdict", "sealed", "verify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of verifying a recording."""

    ok: bool
    """All checksums agreed. Also True if there was none to compare: then the recording ran to its end."""
    frames: int
    """Frames that were run."""
    checksum: int
    """Checksum of the final state, as run here."""
    compared: int
    """Number of checksums that were compared, the expected one included."""
    expected_checksum: int | None
    """The final state's checksum as the caller expected it; None: nothing was expected."""
    first_bad_frame: int | None
    """First frame whose recorded or expected checksum differs from the run's; the states diverged at or before it."""
    last_good_frame: int | None
    """Last frame before that whose checksum agreed; the states diverged after it. None: none was compared."""
    bad_checksum: int | None
    """The recorded or expected checksum at ``first_bad_frame``."""
    found_checksum: int | None
    """The checksum that the run has at that frame."""
    truncated: bool
    """The recording was cut off; the verdict is on its good part."""

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


def verify(replay: Replay, sim: Simulation[Any], expected_checksum: int | None = None) -> Verdict:
    """Run the recording and compare every checksum in it, and ``expected_checksum`` with the final state's.

    The run continues to the end after a difference, because callers want the final checksum in any case.
    """
    if expected_checksum is not None and (
        not isinstance(expected_checksum, int) or not 0 <= expected_checksum <= 0xFFFFFFFF
    ):
        raise UsageError(f"expected_checksum must be an integer of 32 bits, not {expected_checksum!r}")
    run = Run(replay, sim)
    state, frame = run.start(), replay.start_frame
    good: int | None = None
    good_before_that: int | None = None
    bad: tuple[int, int, int] | None = None
    for target, expected in replay.checkpoints.items():
        state, frame = run.between(state, frame, target), target
        found = sim.checksum(state)
        if found != expected:
            bad = bad or (target, expected, found)
        elif bad is None:
            good_before_that, good = good, target
    state = run.between(state, frame, replay.end_frame)
    final = sim.checksum(state)
    if bad is None and expected_checksum is not None and expected_checksum != final:
        bad = (replay.end_frame, expected_checksum, final)
        good = good_before_that if good == replay.end_frame else good
    first_bad, bad_checksum, found_checksum = bad or (None, None, None)
    return Verdict(
        ok=bad is None,
        frames=replay.frame_count,
        checksum=final,
        compared=len(replay.checkpoints) + (expected_checksum is not None),
        expected_checksum=expected_checksum,
        first_bad_frame=first_bad,
        last_good_frame=good,
        bad_checksum=bad_checksum,
        found_checksum=found_checksum,
        truncated=replay.truncated,
    )


def sealed(replay: Replay, sim: Simulation[Any], *, every: int = 600) -> Replay:
    """The recording with the game's name, its checksum every ``every`` frames (0: none of these) and the final one."""
    if every < 0:
        raise UsageError(f"checksums come every 1 frame or more, or 0 for none, not {every}")
    run = Run(replay, sim)
    state, frame = run.start(), replay.start_frame
    stops = [*range(frame + every, replay.end_frame, every), replay.end_frame] if every else [replay.end_frame]
    checkpoints = {}
    for stop in stops:
        state, frame = run.between(state, frame, stop), stop
        checkpoints[stop] = sim.checksum(state)
    named = {"game_id": sim.game_id, "game_version": sim.game_version} if isinstance(sim, NamesItself) else {}
    return replay.replace(checkpoints=checkpoints, **named)
