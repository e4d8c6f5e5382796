"""What the search leaves out leads nowhere else: without its reductions the same is reached, in more states."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.checkers.membership import search as search_module
from tests.checkers.membership import world as world_module
from tests.checkers.membership.draft import Draft
from tests.checkers.membership.order import steps_enough
from tests.checkers.membership.search import search
from tests.checkers.membership.setups import Setup
from tests.checkers.membership.state import Budget, State, Step, chained
from tests.checkers.membership.world import World

pytestmark = pytest.mark.long


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


class OpenDoor(Draft):
    """Nobody forgets what only newcomers ask for."""

    def _close_door(self) -> None:
        pass


def visited(world: World, start: State, monkeypatch: pytest.MonkeyPatch, *, every_order: bool) -> set[State]:
    """The states from which a complete search has gone on."""
    states: set[State] = set()
    with monkeypatch.context() as patched:
        enough = World.steps if every_order else steps_enough

        def steps(world: World, state: State) -> list[Step]:
            states.add(state)
            return list(enough(world, state))

        patched.setattr(search_module, "steps_enough", steps)
        found = search(world, start)
    assert found.counterexample is None, found.counterexample.describe(world)
    assert found.is_complete
    return states


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
        Setup("three", 3, Budget(exits=1, faults=1), may_exit="B", fault_kinds=("lose", "lose inputs", "delay")),
    ],
    ids=lambda setup: setup.name,
)
def test_the_reductions_lose_no_membership_that_is_reached(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    world, start = setup.begin()
    asked = visited(world, start, monkeypatch, every_order=True)
    reduced = {each for state in asked for each in memberships(world, state)}
    unreduced = Unreduced(world.machines, world.names, may_exit=world.may_exit, fault_kinds=world.fault_kinds)
    states = all_states(unreduced, start)
    assert {each for state in states for each in memberships(world, state)} == reduced
    assert len(states) > len(asked)


def quiet(world: World, states: set[State]) -> set[Any]:
    """What is reached where nothing is under way, and what each machine alone reaches anywhere."""
    together = {each for state in states if not state.channels for each in memberships(world, state)}
    alone = {(at, _membership(world, state, at)) for state in states for at, m in world.live(state) if m[0] > 0}
    return together | alone


JOIN = Setup("join", 3, Budget(joins=1, exits=1), free=1, may_exit="A", exit_kinds=("crash",), fault_kinds=())


def test_one_order_of_deliveries_at_different_machines_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    world, start = JOIN.begin()
    enough = visited(world, start, monkeypatch, every_order=False)
    every = visited(world, start, monkeypatch, every_order=True)
    assert quiet(world, enough) == quiet(world, every)
    assert len(enough) < len(every)


def test_what_only_newcomers_ask_for_is_not_missed_when_nobody_can_join(monkeypatch: pytest.MonkeyPatch) -> None:
    world, start = JOIN.begin()
    closed = visited(world, start, monkeypatch, every_order=False)
    reached = quiet(world, closed)
    monkeypatch.setattr(world_module, "Draft", OpenDoor)
    world, start = JOIN.begin()
    opened = visited(world, start, monkeypatch, every_order=False)
    assert reached == quiet(world, opened)
    assert len(closed) <= len(opened)
