"""A timed process is kept on one core, and only while it is timed."""

import os

import pytest
from benchmarks.commands.cpu_pinning import PinnedToCore

needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not pin processes")


@needs_affinity
@pytest.mark.parametrize("number", [0, 1, 1000])
def test_it_is_on_one_core_inside_and_on_all_after(number: int) -> None:
    before = os.sched_getaffinity(0)
    with PinnedToCore(number):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


@needs_affinity
def test_another_number_is_another_core_where_there_is_one() -> None:
    cores = set()
    for number in (0, 1):
        with PinnedToCore(number):
            cores |= os.sched_getaffinity(0)
    assert len(cores) == min(2, len(os.sched_getaffinity(0)))


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="this system has no schedulers to choose")
def test_the_priority_is_given_back() -> None:
    before = os.sched_getscheduler(0)
    with PinnedToCore(0) as pinned:
        assert pinned.is_ahead == (os.sched_getscheduler(0) == os.SCHED_RR)
    assert os.sched_getscheduler(0) == before
