"""What a state of the model consists of."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.checkers.membership.link import Key

__all__ = ["BROKEN", "DEAD", "Budget", "Channel", "Fact", "Member", "Pair", "State", "Step", "chained", "pair"]

Member = tuple[int, ...]
"""A machine: the number of its state (see ``machine``), its frame, and its clock. Empty before its program starts.
Frames are counted from the one that is furthest back, clocks from the one that is behind."""
DEAD: Member = (-5, 0, 0)
"""A machine that has crashed, or has left."""
BROKEN = (-1, -1)
"""In place of a broken path to a machine that is gone: nothing comes from there anyway."""
Channel = tuple[int, int, Key, int, tuple[int, ...]]
"""What is under way: source, target, connection, how long it is delayed, and the numbers of the items."""
Pair = tuple[int, int]
Fact = tuple[Any, ...]
"""What a machine has decided: a word for its kind, about whom, and a frame."""
Step = tuple[Any, ...]


class Budget(NamedTuple):
    """How much of each kind may still happen in a run."""

    exits: int = 0
    """Crashes and departures."""
    joins: int = 0
    """Programs that ask for a seat."""
    faults: int = 0
    """Messages lost, delayed or doubled, and links cut."""
    frames: int = 0
    """Frames that run while messages are under way, or at one machine alone."""
    delays: int = 0
    """Counts up: how many of the faults were delays."""


class State(NamedTuple):
    """Everything: equal states have equal futures."""

    members: tuple[Member, ...]
    channels: tuple[Channel, ...]
    budget: Budget
    cuts: tuple[Pair, ...]
    """Pairs of machines between which nothing passes any more."""
    facts: tuple[tuple[Fact, ...], ...]
    """The decisions of each machine."""
    overdue: int
    """Rounds of time that have passed since a link was dead and not found silent."""


def pair(first: int, second: int) -> Pair:
    return (first, second) if first < second else (second, first)


def chained(start: int, members: Iterable[int], cuts: tuple[Pair, ...]) -> set[int]:
    """The machines that are connected to one of them by links that are not cut."""
    left, found = set(members) - {start}, {start}
    edge = [start]
    while edge:
        at = edge.pop()
        near = {other for other in left if pair(at, other) not in cuts}
        left -= near
        found |= near
        edge += near
    return found
