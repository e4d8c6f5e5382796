"""Whether a game's snapshots fit a datagram."""

import pytest

from retick.authority.delta import DeltaCodec
from retick.authority.server.snapshot_size import LARGEST_SNAPSHOT, check_snapshots, fits_fixed
from retick.errors import UsageError
from retick.games.runner import NetRunner
from tests.authority.declared_games import wide_profile


def test_sixteen_runners_fit_and_players_of_a_hundred_numbers_do_not() -> None:
    assert fits_fixed(NetRunner())
    assert not fits_fixed(wide_profile(100))
    assert fits_fixed(wide_profile(100, players=2))


def test_a_game_whose_snapshots_are_too_long_is_refused_with_the_bound() -> None:
    check_snapshots(NetRunner(), None, True)
    with pytest.raises(UsageError, match=f"longer than the {LARGEST_SNAPSHOT} bytes"):
        check_snapshots(wide_profile(100), None, False)
    wide = wide_profile(200, steps=100)
    with pytest.raises(UsageError, match="fewer and coarser public numbers"):
        check_snapshots(wide, DeltaCodec(wide.layout), False)
