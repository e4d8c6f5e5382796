"""Compares two recordings: the first frame at which their inputs diverge, and the fields that differ after it."""

from dataclasses import dataclass
from typing import Any

from retick.errors import UsageError
from retick.replay.replay import Replay
from retick.replay.running import GameRun
from retick.sim.contract import Simulation
from retick.sim.fields import FieldDifference, field_differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How two recordings differ. Only frames that both have are compared."""

    same: bool
    """Whether inputs, states and checksums agree wherever both have them, and they share some frames. One may end
    earlier, because its player left first."""
    setup: tuple[FieldDifference, ...]
    """Differences in how the match starts: seed, game, version of the game."""
    frames: tuple[int, int]
    """The end frame of each recording."""
    first_frame: int | None
    """The first frame whose inputs differ; None if none do."""
    inputs: tuple[tuple[int, ...], tuple[int, ...]] | None
    """The inputs of both at that frame."""
    state: tuple[FieldDifference, ...]
    """Fields that differ in the state after that frame; if all inputs agree, in the first state that both have."""
    checksum_frame: int | None
    """The first frame for which both recorded a checksum and the two differ."""
    checksums: tuple[int, int] | None
    """The two checksums of that frame."""


SETUP = ("seed", "game_id", "game_version")


def compare(ours: Replay, theirs: Replay, sim: Simulation[Any], *, states: tuple[Any, Any] | None = None) -> Comparison:
    """Compare two recordings of one game.

    ``states``: the states of both at :func:`frame_to_compare`, if the caller has them; by default the game is run.
    """
    if (ours.num_players, ours.input_size) != (theirs.num_players, theirs.input_size):
        raise UsageError(
            f"a recording of {ours.num_players} players with inputs of {ours.input_size} bytes cannot be compared with "
            f"one of {theirs.num_players} players with inputs of {theirs.input_size} bytes"
        )
    # A name or version that one of them lacks is no difference: RPLK has neither.
    setup = tuple(
        FieldDifference(name, getattr(ours, name), getattr(theirs, name))
        for name in SETUP
        if getattr(ours, name) != getattr(theirs, name) and getattr(ours, name) and getattr(theirs, name)
    )
    first = first_difference(ours, theirs)
    inputs = None if first is None else (ours.inputs_at(first), theirs.inputs_at(first))
    suspect = next(
        (f for f, checksum in ours.checkpoints.items() if theirs.checkpoints.get(f, checksum) != checksum), None
    )
    frame = frame_to_compare(ours, theirs)
    state: tuple[FieldDifference, ...] = ()
    if frame is not None:
        here, there = states or [_state_at(frame, replay, sim) for replay in (ours, theirs)]
        state = field_differences(sim.fields(here), sim.fields(there))
    agree = not setup and first is None and not state and suspect is None
    return Comparison(
        same=agree and (ours.end_frame == theirs.end_frame or _overlap(ours, theirs)),
        setup=setup,
        frames=(ours.end_frame, theirs.end_frame),
        first_frame=first,
        inputs=inputs,
        state=state,
        checksum_frame=suspect,
        checksums=None if suspect is None else (ours.checkpoints[suspect], theirs.checkpoints[suspect]),
    )


def _overlap(ours: Replay, theirs: Replay) -> bool:
    return max(ours.start_frame, theirs.start_frame) < min(ours.end_frame, theirs.end_frame)


def first_difference(ours: Replay, theirs: Replay) -> int | None:
    """The first frame whose inputs differ, by bisection: slices of bytes are compared much faster than frames."""
    low = max(ours.start_frame, theirs.start_frame)
    high = min(ours.end_frame, theirs.end_frame)
    if low >= high or ours.packed(low, high) == theirs.packed(low, high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if ours.packed(low, middle) == theirs.packed(low, middle):
            low = middle
        else:
            high = middle
    return low


def frame_to_compare(ours: Replay, theirs: Replay) -> int | None:
    """The frame after the first inputs that differ, else the first that both have; None if they share none."""
    first = first_difference(ours, theirs)
    frame = max(ours.start_frame, theirs.start_frame) if first is None else first + 1
    return frame if frame <= min(ours.end_frame, theirs.end_frame) else None


def _state_at(frame: int, replay: Replay, sim: Simulation[Any]) -> Any:
    run = GameRun(replay, sim)
    return run.between(run.start(), replay.start_frame, frame)
