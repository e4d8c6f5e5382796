"""Whether a game's snapshots fit a datagram."""

import pytest

from retick.errors import UsageError
from retick.netrunner import NetRunner
from retick.netrunner.delta import DeltaCodec
from retick.netrunner.server.server import LARGEST_DATAGRAM, check_snapshots, fits_fixed, largest_snapshot
from tests.netrunner.declared_games import wide_profile

LARGEST = largest_snapshot(sealed=True)


def test_sealing_takes_sixteen_bytes() -> None:
    assert largest_snapshot(sealed=False) == LARGEST_DATAGRAM - 8
    assert LARGEST == LARGEST_DATAGRAM - 24


def test_sixteen_runners_fit_and_players_of_a_hundred_numbers_do_not() -> None:
    assert fits_fixed(NetRunner(), LARGEST)
    assert not fits_fixed(wide_profile(100), LARGEST)
    assert fits_fixed(wide_profile(100, players=2), LARGEST)


def test_a_game_whose_snapshots_are_too_long_is_refused_with_the_bound() -> None:
    check_snapshots(NetRunner(), None, True, LARGEST)
    with pytest.raises(UsageError, match=f"longer than the {LARGEST} bytes"):
        check_snapshots(wide_profile(100), None, False, LARGEST)
    wide = wide_profile(200, steps=100)
    with pytest.raises(UsageError, match="fewer and coarser public numbers"):
        check_snapshots(wide, DeltaCodec(wide.layout), False, LARGEST)
