"""Arrivals: when the recording peer received which remote inputs, so that its rollbacks can be repeated."""

from typing import NamedTuple, Protocol

from retick.replay.inputs import MAX_FRAME

__all__ = ["MAX_BATCH", "Arrival", "Seating", "arrival_problem"]

MAX_BATCH = 0xFFFF
"""Frames in one batch, at most."""


class Arrival(NamedTuple):
    """A batch of one remote player's inputs that the recording peer received at one moment."""

    local_frame: int
    """The frame that the recording peer was about to advance."""
    player: int
    """The seat whose inputs they are."""
    first_frame: int
    """First frame of the batch."""
    frames: int
    """Number of frames in the batch."""


class Seating(Protocol):
    """What the rules about arrivals need of a recording: a Replay, a Recorder and a reader of RTK all have it."""

    @property
    def num_players(self) -> int: ...

    @property
    def local_players(self) -> tuple[int, ...]: ...

    @property
    def start_frame(self) -> int: ...


def arrival_problem(arrival: Arrival, seating: Seating, before: int) -> str | None:
    """What is wrong with an arrival that follows one at local frame ``before``; None if it is right."""
    local_frame, player, first_frame, frames = arrival
    known = isinstance(local_frame, int) and isinstance(player, int)
    if not (known and isinstance(first_frame, int) and isinstance(frames, int)):
        return "an arrival is four integers"
    if not before <= local_frame <= MAX_FRAME:
        return f"arrivals must be in order of their local frame, and the one before has frame {before}"
    if not 0 <= player < seating.num_players or player in seating.local_players:
        return "the player must be a remote seat"
    if first_frame < seating.start_frame:
        return f"its first frame is before the recording's start at frame {seating.start_frame}"
    if not 1 <= frames <= MAX_BATCH or first_frame + frames - 1 > MAX_FRAME:
        return f"a batch holds 1 to {MAX_BATCH} frames, none beyond {MAX_FRAME}"
    return None
