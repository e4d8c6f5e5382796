"""The search: every state that can be reached, breadth first, so that a counterexample is as short as possible."""

from array import array
from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from tests.checkers.membership.invariants import Invariants
from tests.checkers.membership.order import steps_enough
from tests.checkers.membership.state import Budget, State, Step
from tests.checkers.membership.world import World

__all__ = ["Counterexample", "Found", "search"]


REPORT_EVERY = 20_000
"""States from one report of the progress to the next."""


class Counterexample(NamedTuple):
    """How to get to a state in which an invariant does not hold."""

    start: State
    steps: list[Step]
    wrongs: list[str]

    def describe(self, world: World) -> str:
        """Each step in a line, with what was delivered in it, and then what is wrong."""
        lines: list[str] = []
        state = self.start
        for number, step in enumerate(self.steps, 1):
            line = world.describe(state, step)
            state, _ = world.apply(state, step)
            if not (lines and lines[-1].endswith(f" {line}")):
                lines.append(f"{number:3} {line}")
        return "\n".join([*lines, *self.wrongs])


class Found(NamedTuple):
    """What a search has found."""

    states: int
    transitions: int
    runs: int
    """How often the real code was run: once for each state of a machine and what happens to it."""
    counterexample: Counterexample | None
    is_complete: bool
    """Whether every state was visited."""


def _used(budget: Budget) -> tuple[int, int]:
    """What is searched later: with fewer faults left, and then with fewer frames."""
    return -budget.faults, -budget.frames


class _Known:
    """The states that were visited, by their hashes, with the budgets that each had."""

    def __init__(self) -> None:
        self._budgets: dict[int, int] = {}
        self._numbers: dict[Budget, int] = {}
        self._covered_by: list[int] = []
        """For each budget, the set of those with which as much may happen, and is checked: as bits."""

    def add(self, state: State) -> bool:
        """False if it was visited already, with no smaller budget."""
        number = self._number(state.budget)
        key = hash((state.members, state.channels, state.cuts, state.facts, state.overdue))
        budgets = self._budgets.get(key, 0)
        if budgets & self._covered_by[number]:
            return False
        self._budgets[key] = budgets | 1 << number
        return True

    def _number(self, budget: Budget) -> int:
        number = self._numbers.get(budget)
        if number is None:
            number = self._numbers[budget] = len(self._numbers)
            self._covered_by.append(0)
            for other, at in self._numbers.items():
                self._covered_by[at] |= _covers(budget, other) << number
                self._covered_by[number] |= _covers(other, budget) << at
        return number


def _covers(one: Budget, other: Budget) -> bool:
    """Whether all that can be found with the other budget is found with this one."""
    return one.delays <= other.delays and all(ours >= theirs for ours, theirs in zip(one[:4], other[:4], strict=True))


def search(
    world: World,
    start: State,
    *,
    most_states: int | None = None,
    progress: Callable[[int, int, Budget], None] = lambda states, waiting, budget: None,
) -> Found:
    """Visit every state that can be reached from ``start``, until an invariant does not hold.

    Now and then ``progress`` is told how many states there are, from how many of them it goes on, and what may still
    happen in these.
    """
    invariants = Invariants(world)
    known = _Known()
    known.add(start)
    parents, kinds = array("q", [-1]), array("q", [-1])
    steps: list[Step] = []
    numbers: dict[Step, int] = {}
    edges = defaultdict(deque, {_used(start.budget): deque([(0, start)])})
    transitions, next_report = 0, REPORT_EVERY

    def way_to(index: int) -> list[Step]:
        way = []
        while index > 0:
            way.append(steps[kinds[index]])
            index = parents[index]
        return way[::-1]

    while edges:
        nearest = min(edges)
        if not edges[nearest]:
            del edges[nearest]
            continue
        index, state = edges[nearest].popleft()
        if len(parents) >= next_report:
            next_report = len(parents) + REPORT_EVERY
            progress(len(parents), sum(map(len, edges.values())) + 1, state.budget)
        for step in steps_enough(world, state):
            transitions += 1
            after, wrongs = world.apply(state, step)
            if not wrongs and not known.add(after):
                continue
            more: list[Step] = []
            if not wrongs:
                wrongs, more = invariants.broken(after)
            if wrongs:
                example = Counterexample(start, [*way_to(index), step, *more], wrongs)
                return Found(len(parents), transitions, world.machines.runs, example, False)
            kinds.append(numbers.setdefault(step, len(steps)))
            if numbers[step] == len(steps):
                steps.append(step)
            parents.append(index)
            edges[_used(after.budget)].append((len(parents) - 1, after))
        if most_states is not None and len(parents) >= most_states:
            return Found(len(parents), transitions, world.machines.runs, None, False)
    return Found(len(parents), transitions, world.machines.runs, None, True)
