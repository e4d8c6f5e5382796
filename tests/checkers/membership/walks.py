"""Random walks through a model that is too large to be searched."""

from random import Random

from tests.checkers.membership.invariants import Invariants
from tests.checkers.membership.search import Counterexample, Found
from tests.checkers.membership.state import State, Step
from tests.checkers.membership.world import World

__all__ = ["walk"]

SELDOM = {"frame", "frames", "crash", "leave", "cut", "delay", "lose", "lose inputs", "double", "round", "wait"}
"""Steps that are taken less often, so that a walk gets somewhere before everything has happened to it."""


def walk(world: World, start: State, *, walks: int, length: int, seed: int) -> Found:
    """So many walks of so many steps each, until an invariant does not hold."""
    dice = Random(seed)
    invariants = Invariants(world)
    visited: set[int] = set()
    transitions = 0
    for _ in range(walks):
        state, way = start, list[Step]()
        for _ in range(length):
            step = _chosen(world, state, dice)
            state, wrongs = world.apply(state, step)
            way.append(step)
            transitions += 1
            visited.add(hash(state))
            more: list[Step] = []
            if not wrongs:
                wrongs, more = invariants.broken(state)
            if wrongs:
                example = Counterexample(start, [*way, *more], wrongs)
                return Found(len(visited), transitions, world.machines.runs, example, False)
    return Found(len(visited), transitions, world.machines.runs, None, False)


def _chosen(world: World, state: State, dice: Random) -> Step:
    steps = list(world.steps(state))
    return dice.choices(steps, [0.1 if step[0] in SELDOM else 1.0 for step in steps])[0]
