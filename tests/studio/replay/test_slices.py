"""Seeking in short steps ends where seeking in one go does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer
from retick.studio.replay.viewer import STRIDE, seek_in_steps

MATCH = Replay(seed=3, frames=bout(3, 1000), start_frame=0)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8))
@settings(deadline=None, max_examples=30)
def test_any_jumps_in_steps_give_the_state_of_a_seek(frames: list[int]) -> None:
    player = ReplayPlayer(MATCH, Fighter(), spacing=50, max_checkpoints=4)
    whole = ReplayPlayer(MATCH, Fighter())
    for frame in frames:
        for _ in seek_in_steps(player, frame):
            assert player.frame <= frame
        assert player.frame == frame
        assert player.state == whole.seek(frame)


def test_a_long_way_is_many_steps() -> None:
    player = ReplayPlayer(MATCH, Fighter())
    assert sum(1 for _ in seek_in_steps(player, 1000)) == -(-1000 // STRIDE)
