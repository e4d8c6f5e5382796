"""Which of the orders of deliveries lead to the same: a partial-order reduction.

Theory of operation. Steps at different machines commute: each changes only its own machine, takes from the channels to
it, and adds to the ends of others. So where nothing is left to happen but deliveries and silences, it is enough to look
at the steps of *one* machine first, if the others can do nothing meanwhile that gives this machine another step to
choose. That is tried out: all that the others can do without it is followed to its end. A machine that decides
something in one of these steps is not chosen, because decisions are compared at the moment in which they are made.

No step is put off for ever: steps of one machine alone come to an end, since nobody sends it anything meanwhile.
"""

from tests.checkers.membership.state import Budget, State, Step
from tests.checkers.membership.world import World

__all__ = ["steps_enough"]

MOST_AHEAD = 40
"""States of the others that are followed to see whether they bring something new; with more, every order is tried."""
AT_ONE_MACHINE = {"deliver": 2, "overtake": 2, "silence": 1}
"""Steps that change one machine, and where the number of this machine is."""


def steps_enough(world: World, state: State) -> list[Step]:
    """The steps from a state that must be tried, so that everything is found."""
    steps = list(world.steps(state))
    if _is_spent(state.budget) and all(step[0] in AT_ONE_MACHINE for step in steps):
        machines = sorted({_machine(step) for step in steps})
        for at in machines if len(machines) > 1 else ():
            own = [step for step in steps if _machine(step) == at]
            if not _decides(world, state, own) and not _bring_news(world, state, at, own):
                return own
    return steps


def _is_spent(budget: Budget) -> bool:
    return not (budget.exits or budget.joins or budget.faults or budget.frames)


def _machine(step: Step) -> int:
    at: int = step[AT_ONE_MACHINE[step[0]]]
    return at


def _decides(world: World, state: State, steps: list[Step]) -> bool:
    """Whether one of these steps decides something, ends a session, or goes wrong."""
    for step in steps:
        after, wrongs = world.apply(state, step)
        if wrongs or after.facts != state.facts or after.members[_machine(step)][0] == 0:
            return True
    return False


def _bring_news(world: World, state: State, at: int, own: list[Step]) -> bool:
    """Whether the others can do something that gives this machine another step to choose."""
    known, edge = {state}, [state]
    while edge:
        now = edge.pop()
        steps = list(world.steps(now))
        if [step for step in steps if step[0] not in AT_ONE_MACHINE or _machine(step) == at] != own:
            return True
        for step in steps:
            if _machine(step) != at:
                after, wrongs = world.apply(now, step)
                if wrongs or len(known) > MOST_AHEAD:
                    return True
                if after not in known:
                    known.add(after)
                    edge.append(after)
    return False
