"""What a recording has of a match that a server ran: who joined and left, and how far behind players saw the others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from retick.errors import UsageError
from retick.replay.inputs import MAX_FRAME

__all__ = ["MOST_BEHIND", "Hosting", "SeatChange", "View", "entry_problem"]

MOST_BEHIND = 600
"""Frames: a replay keeps as many states as the farthest view of the recording needs."""


class SeatChange(NamedTuple):
    """A player came or left."""

    frame: int
    """Right before the inputs of this frame."""
    player: int
    joins: bool


class View(NamedTuple):
    """From a frame on, a player saw the others so far behind."""

    frame: int
    player: int
    behind: int
    """Frames, 1 or more."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """All of it, in order of frames."""

    seats: tuple[SeatChange, ...] = ()
    views: tuple[View, ...] = ()

    @property
    def farthest(self) -> int:
        """The most frames that anybody saw behind; 1 if nobody looked back."""
        return max((view.behind for view in self.views), default=1)

    def before(self, end: int) -> "Hosting":
        """Without entries of frames from ``end`` on."""
        return Hosting(
            tuple(each for each in self.seats if each.frame < end),
            tuple(each for each in self.views if each.frame < end),
        )

    def check(self, num_players: int, start_frame: int) -> None:
        """A UsageError unless a recording of so many players can have it."""
        for entries in (self.seats, self.views):
            _check_entries(entries, num_players, start_frame)


def _check_entries(entries: Iterable[SeatChange | View], num_players: int, before: int) -> None:
    for entry in entries:
        problem = entry_problem(entry, num_players, before)
        if problem:
            raise UsageError(f"{entry}: {problem}")
        before = entry.frame


def entry_problem(entry: SeatChange | View, num_players: int, before: int) -> str | None:
    """What is wrong with an entry that may not be before frame ``before``; None if it is right."""
    if not all(isinstance(number, int) for number in entry):
        return "an entry is three integers"
    if not before <= entry.frame <= MAX_FRAME:
        return f"entries are in order of their frames, and this one is for frame {before} or later"
    if not 0 <= entry.player < num_players:
        return f"seats are 0 to {num_players - 1}"
    if isinstance(entry, View) and not 1 <= entry.behind <= MOST_BEHIND:
        return f"a player sees 1 to {MOST_BEHIND} frames behind"
    return None
