"""Sealing: a recording gets the game's own checksums and name."""

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, sealed, verify
from tests.replay.recordings import Tally

MATCH = Replay(seed=3, frames=bout(3, 250))


def test_checksums_come_at_the_distance_asked_for_and_at_the_end() -> None:
    match = sealed(MATCH, Fighter(), every=100)
    assert list(match.checkpoints) == [100, 200, 250]
    assert (match.game_id, match.game_version) == ("retick.fighter", 1)
    assert verify(match, Fighter()).compared == 3
    assert list(sealed(MATCH, Fighter(), every=0).checkpoints) == [250]
    assert list(sealed(MATCH, Fighter(), every=125).checkpoints) == [125, 250]
    with pytest.raises(UsageError):
        sealed(MATCH, Fighter(), every=-1)


def test_a_start_in_mid_match_counts_from_there() -> None:
    late = Replay(seed=1, frames=[(1, 2)] * 25, start_frame=40, start_state=bytes(12))
    assert list(sealed(late, Tally(), every=10).checkpoints) == [50, 60, 65]


def test_a_changed_input_breaks_the_seal() -> None:
    match = sealed(MATCH, Tally(), every=50)
    frames = bytearray(match.frames)
    frames[4 * 120] ^= 2
    verdict = verify(match.replace(frames=bytes(frames)), Tally())
    assert (verdict.ok, verdict.first_bad_frame, verdict.last_good_frame) == (False, 150, 100)
