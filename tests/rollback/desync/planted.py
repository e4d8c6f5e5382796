"""Games with a planted desync: each peer gets its own instance, and one of them errs at a known frame."""

from collections.abc import Sequence

from retick.games.fighter import Fighter
from retick.games.fighter.game import FighterState
from tests.toys import Tally, TallyState, TallyWorld


class FieldChanged(Fighter):
    """From the step of one frame on, a field is off: the state after it differs, and all that follow."""

    def __init__(self, at: int | None = None) -> None:
        super().__init__()
        self.at = at

    def step(self, state: FighterState, inputs: Sequence[int]) -> FighterState:
        after: FighterState = super().step(state, inputs)
        if state.frame == self.at:
            after = after.replace(p1=after.p1.replace(x=after.p1.x + 300))
        return after


class WrongBranch(Tally):
    """Any number of players. From a frame on, a condition is judged the other way: it shows when it matters."""

    def __init__(self, num_players: int = 2, at: int | None = None) -> None:
        super().__init__(num_players)
        self.at = at

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        after = super().step(state, inputs)
        strict = self.at is not None and state.frame >= self.at
        worth = 10 if (inputs[0] > 3 if strict else inputs[0] >= 3) else 0
        return after._replace(totals=(after.totals[0] + worth, *after.totals[1:]))


class UnsavedAttribute(TallyWorld):
    """A mutable world that forgets to save its combo: peers that roll back differently have different ones."""

    def __init__(self, num_players: int = 2) -> None:
        super().__init__(num_players)
        self.combo = 0

    def advance(self, inputs: Sequence[int]) -> None:
        self.combo += 1
        super().advance(inputs)
        if sum(inputs) % 16 == 15:
            totals = self.state.totals
            self.state = self.state._replace(totals=(totals[0] + self.combo, *totals[1:]))


class HiddenField(WrongBranch):
    """Its checksum leaves out a field, which is off for some frames before it spreads to one that is covered."""

    SPREADS_AT = 100

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        after = super().step(state, inputs)
        return after._replace(mixed=after.totals[0]) if state.frame == self.SPREADS_AT else after

    def checksum(self, state: TallyState) -> int:
        return super().checksum(state._replace(totals=(0, *state.totals[1:])))
