"""Cooldowns: how often something may be done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import Cooldown


@given(st.lists(st.booleans(), max_size=200), st.integers(1, 12), st.integers(1, 5))
def test_in_any_stretch_of_ticks_there_are_at_most_a_burst_and_one_use_in_every_so_many(
    wishes: list[bool], every: int, burst: int
) -> None:
    gun = Cooldown()
    uses = []
    for tick, wish in enumerate(wishes):
        gun.rest()
        if wish and gun.use(every=every, burst=burst):
            uses.append(tick)
    for first in range(len(uses)):
        for last in range(first, len(uses)):
            assert last - first + 1 <= burst + (uses[last] - uses[first]) // every


def test_a_held_trigger_fires_a_burst_and_then_at_its_pace() -> None:
    gun = Cooldown()
    fired = []
    for tick in range(30):
        gun.rest()
        if gun.use(every=6, burst=3):
            fired.append(tick)
    assert fired == [0, 1, 2, 6, 12, 18, 24]


def test_without_a_burst_it_is_once_in_so_many_ticks() -> None:
    gun = Cooldown()
    assert gun.use(every=2)
    assert not gun.use(every=2)
    gun.rest()
    assert not gun.use(every=2)
    gun.rest()
    assert gun.use(every=2)
    gun.heat = 0
    gun.rest()
    assert gun.heat == 0


@pytest.mark.parametrize(("every", "burst"), [(0, 1), (1, 0), (-1, -1), (65536, 1), (256, 256)])
def test_it_counts_within_its_width(every: int, burst: int) -> None:
    with pytest.raises(UsageError, match="every and burst are 1 or more, and at most 65535 multiplied"):
        Cooldown().use(every=every, burst=burst)
