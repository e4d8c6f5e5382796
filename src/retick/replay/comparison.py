"""Compares two recordings: where their inputs part, and what that does to the state."""

from dataclasses import dataclass
from typing import Any

from retick.errors import UsageError
from retick.replay.running import Run
from retick.replay.value import Replay
from retick.sim.contract import Simulation
from retick.sim.fields import FieldDifference, field_differences

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How two recordings differ; frames are those that both have."""

    same: bool
    """They are of one match, as far as both have it, and end together: no input, state or checksum contradicts."""
    setup: tuple[FieldDifference, ...]
    """What differs before the first frame: seed, game."""
    frames: tuple[int, int]
    """End frame of each."""
    first_frame: int | None
    """First frame whose inputs differ."""
    inputs: tuple[tuple[int, ...], tuple[int, ...]] | None
    """The inputs of that frame."""
    state: tuple[FieldDifference, ...]
    """Fields that differ in the state after that frame; without one, in the first state that both have."""
    checksum_frame: int | None
    """First frame for which both recorded a checksum, and not the same one."""
    checksums: tuple[int, int] | None
    """The two checksums there."""


SETUP = ("seed", "game_id", "game_version")


def compare(ours: Replay, theirs: Replay, sim: Simulation[Any]) -> Comparison:
    """Compare two recordings of one game."""
    if (ours.num_players, ours.input_size) != (theirs.num_players, theirs.input_size):
        raise UsageError(
            f"{ours.num_players} players of {ours.input_size} bytes cannot be compared with "
            f"{theirs.num_players} of {theirs.input_size}"
        )
    # A name or version that one of them does not know contradicts nothing: RPLK knows neither.
    setup = tuple(
        FieldDifference(name, getattr(ours, name), getattr(theirs, name))
        for name in SETUP
        if getattr(ours, name) != getattr(theirs, name) and getattr(ours, name) and getattr(theirs, name)
    )
    first = _first_difference(ours, theirs)
    inputs = None if first is None else (ours.inputs_at(first), theirs.inputs_at(first))
    suspect = next(
        (f for f, checksum in ours.checkpoints.items() if theirs.checkpoints.get(f, checksum) != checksum), None
    )
    state = _field_differences(ours, theirs, sim, first)
    agree = not setup and first is None and not state and suspect is None
    return Comparison(
        same=agree and ours.end_frame == theirs.end_frame,
        setup=setup,
        frames=(ours.end_frame, theirs.end_frame),
        first_frame=first,
        inputs=inputs,
        state=state,
        checksum_frame=suspect,
        checksums=None if suspect is None else (ours.checkpoints[suspect], theirs.checkpoints[suspect]),
    )


def _first_difference(ours: Replay, theirs: Replay) -> int | None:
    """By halves over whole slices: the comparison of bytes is fast, a walk over frames is not."""
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


def _field_differences(
    ours: Replay, theirs: Replay, sim: Simulation[Any], first: int | None
) -> tuple[FieldDifference, ...]:
    """After the first differing frame; without one, in the first state that both have."""
    frame = max(ours.start_frame, theirs.start_frame) if first is None else first + 1
    if frame > min(ours.end_frame, theirs.end_frame):
        return ()
    states = []
    for replay in (ours, theirs):
        run = Run(replay, sim)
        states.append(tuple(sim.fields(run.between(run.start(), replay.start_frame, frame))))
    return field_differences(*states)
