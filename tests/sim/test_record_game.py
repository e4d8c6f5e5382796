"""A game whose state is one record."""

from collections.abc import Sequence
from typing import Annotated

import pytest

from retick.errors import Truncated, UsageError
from retick.rollback.engine.engine import SyncTest
from retick.sim import F64, U32, Most, PacksState, Record, RecordGame


class Race(Record):
    frame: U32 = 0
    spots: Annotated[tuple[F64, ...], Most(4)] = ()


class Racing(RecordGame):
    num_players = 2

    def initial_state(self, seed: int) -> Race:
        return Race(spots=(seed / 2,))

    def step(self, state: Race, inputs: Sequence[int]) -> Race:
        return state.replace(frame=state.frame + 1, spots=(*state.spots, float(inputs[0]))[-4:])


def test_everything_else_follows_from_the_state() -> None:
    game = Racing()
    assert isinstance(game, PacksState)
    test = SyncTest(game, game.initial_state(1), distance=3)
    for frame in range(20):
        test.advance((frame, 1))
    state = game.step(game.initial_state(1), (7, 0))
    assert dict(game.fields(state)) == {"frame": 1, "spots.length": 2, "spots[0]": 0.5, "spots[1]": 7.0}
    assert game.unpack_state(game.pack_state(state)) == state
    assert game.checksum(state) == state.checksum()
    with pytest.raises(Truncated):
        game.unpack_state(b"")


def test_what_is_missing_is_named() -> None:
    game = RecordGame()
    with pytest.raises(UsageError, match=r"RecordGame has no initial_state\(self, seed\)"):
        game.initial_state(1)
    with pytest.raises(UsageError, match=r"RecordGame has no step\(self, state, inputs\)"):
        game.step(None, ())
