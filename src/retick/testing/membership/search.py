"""The search: every state that can be reached, breadth first, so that a counterexample is as short as possible."""

from array import array
from collections import deque
from typing import NamedTuple

from retick.testing.membership.invariants import Invariants
from retick.testing.membership.state import State, Step
from retick.testing.membership.world import World

__all__ = ["Counterexample", "Found", "search"]


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


def search(world: World, start: State, *, most_states: int | None = None) -> Found:
    """Visit every state that can be reached from ``start``, until an invariant does not hold."""
    invariants = Invariants(world)
    known = {hash(start)}
    parents, kinds = array("q", [-1]), array("q", [-1])
    steps: list[Step] = []
    numbers: dict[Step, int] = {}
    edge = deque([(0, start)])
    transitions = 0

    def way_to(index: int) -> list[Step]:
        way = []
        while index > 0:
            way.append(steps[kinds[index]])
            index = parents[index]
        return way[::-1]

    while edge:
        index, state = edge.popleft()
        for step in world.steps(state):
            transitions += 1
            after, wrongs = world.apply(state, step)
            number = hash(after)
            if number in known and not wrongs:
                continue
            more: list[Step] = []
            if not wrongs:
                wrongs, more = invariants.broken(after)
            if wrongs:
                example = Counterexample(start, [*way_to(index), step, *more], wrongs)
                return Found(len(parents), transitions, world.machines.runs, example, False)
            known.add(number)
            kinds.append(numbers.setdefault(step, len(steps)))
            if numbers[step] == len(steps):
                steps.append(step)
            parents.append(index)
            edge.append((len(parents) - 1, after))
        if most_states is not None and len(parents) >= most_states:
            return Found(len(parents), transitions, world.machines.runs, None, False)
    return Found(len(parents), transitions, world.machines.runs, None, True)
