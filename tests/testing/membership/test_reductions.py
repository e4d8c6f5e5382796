"""What the search leaves out leads nowhere else: without its reductions the same is reached, in more states."""

from collections.abc import Iterator
from typing import Any

import pytest

from retick.testing.membership.search import search
from retick.testing.membership.setups import Setup
from retick.testing.membership.state import Budget, State, Step, chained
from retick.testing.membership.world import World


class Unreduced(World):
    """Every message may be delayed, and inputs lost, at any time; machines that are cut off go on side by side."""

    def _components(self, state: State) -> list[tuple[int, ...]]:
        return []

    def _delays(self, state: State) -> Iterator[Step]:
        for channel in state.channels:
            if not channel[3]:
                yield ("delay", (channel[:3],))

    def _last_words(self, state: State) -> Iterator[int]:
        return (at for at, _ in self.running(state))


class Recording(World):
    """Notes every state that the search asks about."""

    asked: set[State]

    def steps(self, state: State) -> Iterator[Step]:
        self.asked.add(state)
        return super().steps(state)


def memberships(world: World, state: State) -> Iterator[Any]:
    """For each group of machines that can hear of each other: who each of them counts, names, and has dropped."""
    live = [at for at, member in world.live(state) if member[0] > 0]
    for at in live:
        group = sorted(chained(at, live, state.cuts))
        if at == group[0]:
            yield tuple((each, _membership(world, state, each)) for each in group)


def _membership(world: World, state: State, at: int) -> Any:
    view = world.machines.views[state.members[at][0]]
    return view.phase, view.is_playing, view.players, view.gone, view.unheard, view.is_undecided


def all_states(world: World, start: State) -> set[State]:
    """Every state, told apart by all that it has."""
    known, edge = {start}, [start]
    while edge:
        state = edge.pop()
        for step in world.steps(state):
            after, wrongs = world.apply(state, step)
            assert not wrongs
            if after not in known:
                known.add(after)
                edge.append(after)
    return known


@pytest.mark.parametrize(
    "setup",
    [
        Setup("two", 2, Budget(exits=1, faults=2, frames=1)),
        Setup("three", 3, Budget(exits=1, faults=1), may_exit="B", fault_kinds=("lose", "delay")),
    ],
    ids=lambda setup: setup.name,
)
def test_the_reductions_lose_no_membership_that_is_reached(setup: Setup) -> None:
    world, start = setup.begin()
    recording = Recording(world.machines, world.names, may_exit=world.may_exit, fault_kinds=world.fault_kinds)
    recording.asked = set()
    found = search(recording, start)
    assert found.is_complete
    reduced = {each for state in recording.asked for each in memberships(world, state)}
    unreduced = Unreduced(world.machines, world.names, may_exit=world.may_exit, fault_kinds=world.fault_kinds)
    states = all_states(unreduced, start)
    assert {each for state in states for each in memberships(world, state)} == reduced
    assert len(states) > len(recording.asked)
