"""Arrivals: when the recording machine was given which remote inputs, so that its rollbacks can be run again."""

from typing import NamedTuple, Protocol

from retick.replay.inputs import MAX_FRAME

__all__ = ["MAX_BATCH", "Arrival", "Seating", "arrival_problem"]

MAX_BATCH = 0xFFFF


class Arrival(NamedTuple):
    """A batch of one remote player's inputs, given to the recording machine at one moment."""

    local_frame: int
    """The frame that the recording machine was about to advance."""
    player: int
    first_frame: int
    """First frame of the batch."""
    frames: int
    """How many frames are in the batch."""


class Seating(Protocol):
    """What the rules about arrivals need to know of a recording."""

    @property
    def num_players(self) -> int: ...

    @property
    def local_players(self) -> tuple[int, ...]: ...

    @property
    def start_frame(self) -> int: ...


def arrival_problem(arrival: Arrival, seating: Seating, before: int) -> str | None:
    """What is wrong with an arrival that follows one at local frame ``before``; None if nothing is."""
    local_frame, player, first_frame, frames = arrival
    known = isinstance(local_frame, int) and isinstance(player, int)
    if not (known and isinstance(first_frame, int) and isinstance(frames, int)):
        return "an arrival is four integers"
    if not before <= local_frame <= MAX_FRAME:
        return f"arrivals are in order of their local frame, and frame {before} was reached"
    if not 0 <= player < seating.num_players or player in seating.local_players:
        return "the player must be a seat that is not local"
    if first_frame < seating.start_frame:
        return f"the recording starts at frame {seating.start_frame}"
    if not 1 <= frames <= MAX_BATCH or first_frame + frames - 1 > MAX_FRAME:
        return f"a batch holds 1 to {MAX_BATCH} frames, none beyond {MAX_FRAME}"
    return None
