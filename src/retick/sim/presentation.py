"""What a game shows and plays, whoever runs it: events of cues, and pictures between two states.

Sessions between peers and clients of a server give the same ones, so that a game draws and sounds alike in both.
"""
# retick: floats -- how far a picture is between two states; nothing is simulated from it

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Between", "CueCancelled", "CueConfirmed", "CueEvent", "CueStarted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CueEvent:
    """Something to tell the sound or effects player."""

    frame: int
    """The frame whose transition gave the cue."""
    cue: Hashable
    """What the game's ``cues`` yielded."""


class CueStarted(CueEvent):
    """Play it. It may still be cancelled."""

    __slots__ = ()


class CueCancelled(CueEvent):
    """Stop it: the frame was resimulated, and the cue did not happen."""

    __slots__ = ()


class CueConfirmed(CueEvent):
    """It happened: its frame is final. This is the last event of the cue."""

    __slots__ = ()


class Between(NamedTuple):
    """Two states that follow each other, and how far the picture is from the first to the second."""

    before: Any
    """The state one frame ago; of a world, an instance to draw. At the start of a match the same as ``after``."""
    after: Any
    """The present state; of a world, an instance to draw."""
    fraction: float
    """From 0 (draw ``before``) to 1 (draw ``after``)."""
