"""What must hold in every state of the model; docs/formats/membership.md has the list, and ``draft`` checks decisions.

A *hub* is a state in which nothing is under way, frames run as far as they may, and all clocks are equal. A hub to
which rounds of time lead back is *at rest*: one round, or some where inputs are asked of several machines in turn. From
every state a fair network, which delivers everything and loses nothing, must lead to rest, and there every machine
plays or has ended.
"""

from collections import Counter

from retick.rollback.session.session import Phase
from tests.checkers.membership.state import State, Step, chained
from tests.checkers.membership.view import View
from tests.checkers.membership.world import World

__all__ = ["Invariants"]

SOME_ROUNDS = 4
LONGEST_WAY = 1500
"""Fair steps after which a state must have come to rest."""


class Invariants:
    """Checks states of one world; states that were found good are remembered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._views = world.machines.views
        self._good: set[int] = set()
        """Hashes of states from which a fair network leads to a good rest."""
        self._same_rows: dict[tuple[int, int, int], str] = {}

    def broken(self, state: State) -> tuple[list[str], list[Step]]:
        """What does not hold in a state, and if that shows only later, the steps that lead there."""
        wrongs = self._different_rows(state)
        if wrongs:
            return wrongs, []
        wrongs, steps, _ = self.rest_of(state)
        return wrongs, steps

    # All connected machines have the same inputs in the same frames.

    def _different_rows(self, state: State) -> list[str]:
        world, wrongs = self._world, []
        running = [(at, member) for at, member in world.running(state) if self._views[member[0]].is_playing]
        for index, (first, one) in enumerate(running):
            for second, other in running[index + 1 :]:
                key = (one[0], other[0], other[1] - one[1])
                if key not in self._same_rows:
                    self._same_rows[key] = _compare_rows(self._views[one[0]], self._views[other[0]], key[2])
                words = self._same_rows[key]
                is_one_match = _counts(self._views[one[0]], self._views[other[0]])
                if words and is_one_match and second in chained(first, [at for at, _ in running], state.cuts):
                    wrongs.append(f"{world.names[first]} and {world.names[second]} have other inputs: {words}")
        return wrongs

    # Every state comes to rest, and there nobody is stuck.

    def rest_of(self, state: State) -> tuple[list[str], list[Step], State]:
        """Where a fair network leads: what is wrong on the way or there, the way, and the state at its end."""
        world = self._world
        way: list[int] = []
        steps: list[Step] = []
        hubs: set[State] = set()
        while (number := hash(state)) not in self._good:
            way.append(number)
            if len(way) > LONGEST_WAY:
                return ["a fair network does not bring this to rest"], steps, state
            step = next(world.ordinary_steps(state), None)
            if step is None:
                return self._wrong_at_rest(state), steps, state
            if step[0] in ("wait", "round") and world.is_between_rounds(state):
                if state in hubs:
                    wrongs = self._wrong_at_rest(state)
                    if wrongs:
                        return wrongs, steps, state
                    break
                hubs.add(state)
            state, wrongs = world.apply(state, step)
            steps.append(step)
            if wrongs:
                return wrongs, steps, state
        self._good.update(way)
        return [], steps, state

    def _wrong_at_rest(self, state: State) -> list[str]:
        world, wrongs = self._world, []
        moved = self._moved(state)
        playing = []
        for at, member in world.live(state):
            view = self._views[member[0]]
            if member[0] == 0:
                continue
            if view.phase != Phase.RUNNING.value or not view.is_playing or not moved[at]:
                wrongs.append(f"{world.names[at]} is stuck: {view.phase}, playing {view.is_playing}")
            playing.append(at)
        for first in playing:
            for second in sorted(chained(first, playing, state.cuts)):
                one, other = self._views[state.members[first][0]], self._views[state.members[second][0]]
                # What is late by two steps of time is later than bounds allow: who waits for it expels its sender.
                is_whole = not state.cuts and state.budget.delays < 2
                is_one_match = is_whole or _counts_one(one, other) or _counts_one(other, one)
                if first < second and is_one_match and (_roster(one), one.gone) != (_roster(other), other.gone):
                    wrongs.append(
                        f"{world.names[first]} has the roster {_roster(one)}, free {one.gone}; "
                        f"{world.names[second]} has {_roster(other)}, free {other.gone}"
                    )
        return wrongs

    def _moved(self, state: State) -> Counter[int]:
        """By how many frames each machine goes on in some rounds: inputs that are passed on come a round later."""
        moved: Counter[int] = Counter()
        for _ in range(SOME_ROUNDS):
            state, more, _ = self._world.round_of_frames(state)
            moved.update(more)
        return moved


def _roster(view: View) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple(sorted((*view.players, (view.peer_id, view.seats))))


def _counts(one: View, other: View) -> bool:
    """Whether two machines count each other among the players; a newcomer may believe so for a moment, alone."""
    return _counts_one(one, other) and _counts_one(other, one)


def _counts_one(one: View, other: View) -> bool:
    """Whether the first of two machines is a player to the other one."""
    return (one.peer_id, one.seats) in other.players


def _compare_rows(one: View, other: View, ahead: int) -> str:
    theirs = {frame + ahead: row for frame, row in other.rows}
    for frame, row in one.rows:
        if theirs.get(frame, row) != row:
            return f"frame {frame}: {row} and {theirs[frame]}"
    return ""
