"""Two sessions with the same digest behave equally from there on."""

import pickle
from random import Random
from typing import Any

import pytest

from retick.rollback.session.inside import inside_of
from tests.checkers.membership.canonical import session_digest
from tests.checkers.membership.machine import ENDED, Happening, Machines, Result
from tests.checkers.membership.search import search
from tests.checkers.membership.setups import Setup
from tests.checkers.membership.state import Budget, State, Step
from tests.checkers.membership.world import World

EVERYTHING = Setup("everything", 3, Budget(joins=1, exits=1, faults=1, frames=2), free=1)


class Unmerged(Machines):
    """From here on every session is its own: none stands for another one, and what it does is never remembered."""

    def __init__(self, machines: Machines) -> None:
        super().__init__(machines.seats)
        self.views, self.items = list(machines.views), list(machines.items)
        self._kept, self._item_numbers = list(machines._kept), dict(machines._item_numbers)

    def after(self, local: int, happening: Happening) -> Result:
        return self._run(local, happening)

    def _number(self, session: Any, frame: int, now: float) -> int:
        self._numbers = {ENDED: 0}
        return super()._number(session, frame, now)


def contents(world: World, state: State) -> Any:
    """A state without the numbers of its sessions."""
    members = [(world.machines.views[member[0]], *member[1:]) for _, member in world.live(state)]
    channels = [(*channel[:4], [world.machines.items[item] for item in channel[4]]) for channel in state.channels]
    return members, channels, state[2:]


def rounds_of_frames(world: World, state: State) -> int:
    """How many rounds a step of playing on consists of."""
    end, rounds = world.settle(state)[0], 0
    while state != end:
        state, rounds = world.round_of_frames(state)[0], rounds + 1
    return rounds


@pytest.fixture(scope="module")
def searched() -> tuple[World, State]:
    """A world in which many sessions stand for others already."""
    world, start = EVERYTHING.begin()
    search(world, start, most_states=300)
    return world, start


@pytest.mark.parametrize("seed", range(4))
def test_a_run_with_sessions_of_its_own_goes_as_the_search_says(searched: tuple[World, State], seed: int) -> None:
    world, state = searched
    other, same = World(Unmerged(world.machines), world.names), state
    dice = Random(seed)
    for _ in range(40):
        assert contents(world, state) == contents(other, same)
        step: Step = dice.choice(list(world.steps(state)))
        if step[0] == "play":
            for _ in range(rounds_of_frames(world, state)):
                state, same = world.round_of_frames(state)[0], other.round_of_frames(same)[0]
        else:
            state, same = world.apply(state, step)[0], other.apply(same, step)[0]


def test_a_session_that_has_run_on_is_the_same_and_one_that_is_told_something_is_not() -> None:
    world, start = Setup("two", 2, Budget()).begin()
    machines = world.machines
    later, moved, _ = world.round_of_frames(start)
    assert later == start
    assert moved == {0: 1, 1: 1}
    kept = machines._kept[start.members[0][0]]
    inside = inside_of(pickle.loads(kept.data))
    assert session_digest(inside, kept.frame, kept.now) in machines._numbers
    inside.match.barrier = kept.frame + 1
    assert session_digest(inside, kept.frame, kept.now) not in machines._numbers
