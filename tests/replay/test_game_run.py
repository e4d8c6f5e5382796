"""A game runs the frames of a recording that fits it, and no other."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay
from retick.replay.running import GameRun
from tests.replay.recordings import Tally

LATE = Replay(seed=3, frames=[(f * 7, f) for f in range(300)], start_frame=50, start_state=bytes(12))


@given(st.integers(50, 350))
@settings(deadline=None)
def test_a_run_in_two_pieces_ends_where_a_run_in_one_piece_does(middle: int) -> None:
    run = GameRun(LATE, Tally())
    whole = run.between(run.start(), 50, 350)
    assert run.between(run.between(run.start(), 50, middle), middle, 350) == whole


def test_a_game_that_changed_its_step_is_not_run_by_the_bulk_loop_it_inherited() -> None:
    class Moonwalk(Fighter):
        def step(self, state: Any, inputs: Any) -> Any:
            return super().step(state, inputs[::-1])

    match = Replay(seed=7, frames=bout(7, 60))
    state = Moonwalk().initial_state(7)
    for frame in range(60):
        state = Moonwalk().step(state, match.inputs_at(frame))
    run = GameRun(match, Moonwalk())
    assert run.between(run.start(), 0, 60) == state
    plain = GameRun(match, Fighter())
    assert plain.between(plain.start(), 0, 60) != state


@pytest.mark.parametrize(
    ("match", "game"),
    [
        (Replay(seed=1, frames=b"", num_players=3), Tally(2)),
        (Replay(seed=1, frames=b"", input_size=1), Tally(2)),
        (Replay(seed=1, frames=b"", game_id="chess"), Tally(2)),
        (Replay(seed=1, frames=b"", game_id="test.tally", game_version=2), Tally(2)),
        (Replay(seed=1, frames=b"", start_frame=4), Tally(2)),
    ],
)
def test_a_recording_of_another_game_is_refused(match: Replay, game: Tally) -> None:
    with pytest.raises(UsageError):
        GameRun(match, game)


def test_a_start_state_needs_a_game_that_reads_it() -> None:
    class Mute(Tally):
        unpack_state = None  # type: ignore[assignment]  # a game without
        pack_state = None  # type: ignore[assignment]  # a game without

    with pytest.raises(UsageError):
        GameRun(LATE, Mute()).start()
