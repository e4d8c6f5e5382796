"""The ring of baselines, as published, and what it says when one is missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import BaselineMissing, UsageError
from retick.snapshot import BaselineRing, needs_resync
from tests.snapshot.sdec import cases


@pytest.mark.parametrize("case", cases("baseline_store"), ids=lambda case: case["name"])
def test_the_ring_is_as_published(case: Any) -> None:
    ring: BaselineRing[int] = BaselineRing(case["capacity"])
    for op in case["ops"]:
        if op["op"] == "iter":
            assert [tick for tick, _ in ring] == op["result"]
            continue
        tick = op["tick"]
        if op["op"] == "insert":
            if op["result"] == "ok":
                ring.insert(tick, op["value"])
            else:
                with pytest.raises(UsageError) as caught:
                    ring.insert(tick, op["value"])
                assert caught.value.code == op["result"]
            assert len(ring) == op["len_after"]
        elif op["op"] == "get":
            assert ring.get(tick) == op["result"]
        else:
            assert op["op"] == "latest_at_or_before"
            found = ring.latest_at_or_before(tick)
            assert (None if found is None else found[0]) == op["result"]


def test_a_missing_baseline_asks_for_a_resync() -> None:
    ring: BaselineRing[str] = BaselineRing(2)
    for tick in (1, 5, 9):
        ring.insert(tick, str(tick))
    assert ring.require(9) == "9"
    with pytest.raises(BaselineMissing) as caught:
        ring.require(1)
    assert (caught.value.tick, caught.value.code) == (1, "BaselineNotFound")
    assert needs_resync(caught.value)
    assert list(ring) == [(5, "5"), (9, "9")]
    assert (ring.capacity, ring.last_tick) == (2, 9)


def test_a_ring_has_room_for_one_at_least() -> None:
    with pytest.raises(UsageError):
        BaselineRing(0)


@given(st.lists(st.integers(1, 100), unique=True).map(sorted), st.integers(0, 101))
def test_dropping_before_a_tick_keeps_that_tick_and_all_after(ticks: list[int], tick: int) -> None:
    ring: BaselineRing[int] = BaselineRing(100)
    for held in ticks:
        ring.insert(held, held)
    ring.drop_before(tick)
    assert [held for held, _ in ring] == [held for held in ticks if held >= tick]
    assert ring.last_tick == (ticks[-1] if ticks else None)


def test_a_tick_that_is_kept_outlives_newer_ones() -> None:
    ring: BaselineRing[int] = BaselineRing(3)
    for tick in range(1, 8):
        ring.insert(tick, tick, keep=2)
    assert [held for held, _ in ring] == [2, 6, 7]
    single: BaselineRing[int] = BaselineRing(1)
    single.insert(1, 1)
    single.insert(2, 2, keep=1)
    assert [held for held, _ in single] == [2]
