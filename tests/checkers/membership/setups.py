"""What is searched: how many machines, and how much may happen to them in one run."""

from typing import NamedTuple

from retick.errors import UsageError
from tests.checkers.membership.invariants import Invariants
from tests.checkers.membership.machine import Machines
from tests.checkers.membership.state import Budget, State
from tests.checkers.membership.world import EXITS, FAULTS, World

__all__ = ["SETUPS", "WALKS", "Setup"]

NAMES = "ABCDEFGH"


class Setup(NamedTuple):
    """One search. A match of ``seats`` machines runs; ``free`` of them are gone already when the search begins."""

    name: str
    seats: int
    budget: Budget
    free: int = 0
    exit_kinds: tuple[str, ...] = EXITS
    fault_kinds: tuple[str, ...] = FAULTS
    may_exit: str = NAMES
    """Who may crash or leave."""

    def with_faults(self, most: int) -> "Setup":
        """The same with at most so many faults in a run."""
        return self._replace(budget=self.budget._replace(faults=min(self.budget.faults, most)))

    def begin(self) -> tuple[World, State]:
        """The world, and the state in which the search begins: everybody plays, and nothing is under way."""
        world = World(
            Machines(self.seats),
            tuple(NAMES[: self.seats]),
            may_exit=tuple(self.may_exit),
            exit_kinds=self.exit_kinds,
            fault_kinds=self.fault_kinds,
        )
        # While it begins, somebody may join: else everybody would forget what is for newcomers only.
        draft = world.draft(world.empty()._replace(budget=Budget(joins=1)))
        for at in range(self.seats):
            draft.open(at, None if at == 0 else 0)
        state = _at_rest(world, draft.frozen())
        for at in range(self.seats - self.free, self.seats):
            state, _ = world.apply(state._replace(budget=Budget(joins=1, exits=1)), ("crash", at, None))
            state = _at_rest(world, state)
            members = (*state.members[:at], (), *state.members[at + 1 :])
            state = state._replace(members=members)
        return world, world.draft(state._replace(budget=self.budget)).frozen()


def _at_rest(world: World, state: State) -> State:
    wrongs, _, state = Invariants(world).rest_of(state)
    if wrongs:
        raise UsageError(f"the match does not begin as it should: {wrongs}")
    return state


SETUPS = {
    setup.name: setup
    for setup in (
        Setup("two", 2, Budget(exits=1, faults=2, frames=3)),
        Setup("crash", 3, Budget(exits=1, frames=3)),
        Setup("crash-faults", 3, Budget(exits=1, faults=2)),
        Setup("join", 3, Budget(joins=1, exits=1), free=1),
        Setup(
            "join-faults",
            3,
            Budget(joins=1, exits=1, faults=2),
            free=1,
            exit_kinds=("crash", "fault"),
            fault_kinds=("lose", "delay", "double"),
        ),
        Setup("join-cut", 3, Budget(joins=1, faults=1), free=1, fault_kinds=("cut",)),
    )
}
WALKS = Setup("walks", 4, Budget(joins=2, exits=2, faults=2, frames=8))
"""Four machines are too many to visit every state: random walks visit some."""
