"""A path's dice: each condition is seen to act, alone, and the same seed gives the same fate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.transport.conditions import HEADERS, Conditions, DelayedPath

chance = st.floats(0, 1)
conditions = st.builds(
    Conditions,
    latency=st.floats(0, 0.3),
    jitter=st.floats(0, 0.1),
    in_order=st.booleans(),
    loss=chance,
    burst_enter=chance,
    burst_leave=chance,
    burst_loss=chance,
    duplicate=chance,
    reorder=chance,
    bandwidth=st.sampled_from([0.0, 1000.0, 1e6]),
    queue=st.integers(0, 4000),
)


def fates(path: DelayedPath, count: int, gap: float = 0.01, size: int = 100) -> list[tuple[float, ...]]:
    return [tuple(path.arrivals(size, i * gap)) for i in range(count)]


@given(conditions, st.integers(0, 2**40))
def test_the_same_seed_gives_the_same_fate_and_nothing_arrives_before_it_is_sent(bad: Conditions, seed: int) -> None:
    first, second = DelayedPath(bad, seed), DelayedPath(bad, seed)
    arrivals = fates(first, 60)
    assert arrivals == fates(second, 60)
    assert all(time >= i * 0.01 for i, times in enumerate(arrivals) for time in times)
    assert first.sent == 60 == sum(1 for times in arrivals if times) + first.lost + first.queue_dropped
    assert first.duplicated == sum(len(times) == 2 for times in arrivals)


def test_another_seed_gives_another_fate() -> None:
    bad = Conditions(loss=0.5)
    assert fates(DelayedPath(bad, 1), 60) != fates(DelayedPath(bad, 2), 60)


def test_a_perfect_path_delivers_once_at_once() -> None:
    assert fates(DelayedPath(Conditions(), 1), 3) == [(0.0,), (0.01,), (0.02,)]


def test_loss_comes_at_its_rate() -> None:
    path = DelayedPath(Conditions(loss=0.3), 5)
    fates(path, 10_000)
    assert 0.28 < path.lost / path.sent < 0.32


def test_bursts_lose_in_runs_of_their_mean_length() -> None:
    path = DelayedPath(Conditions(burst_enter=0.02, burst_leave=0.2), 5)
    lost = "".join("x" if not times else "." for times in fates(path, 50_000))
    runs = [len(run) for run in lost.replace(".", " ").split()]
    assert 4.5 < sum(runs) / len(runs) < 5.5
    # In the long run the path is in a burst for enter / (enter + leave) of all datagrams.
    assert 0.08 < path.lost / path.sent < 0.10


def test_jitter_overtakes_unless_order_is_kept() -> None:
    loose = [times[0] for times in fates(DelayedPath(Conditions(latency=0.05, jitter=0.05), 1), 500)]
    strict = [times[0] for times in fates(DelayedPath(Conditions(latency=0.05, jitter=0.05, in_order=True), 1), 500)]
    assert loose != sorted(loose)
    assert strict == sorted(strict)
    delays = [time - i * 0.01 for i, time in enumerate(loose)]
    assert min(delays) < 0.01
    assert max(delays) > 0.09


def test_reordered_datagrams_are_overtaken() -> None:
    path = DelayedPath(Conditions(latency=0.05, reorder=0.2, reorder_delay=0.03), 1)
    times = [times[0] for times in fates(path, 500)]
    assert times != sorted(times)
    assert path.reordered > 50


def test_bandwidth_spaces_datagrams_and_drops_what_the_queue_cannot_hold() -> None:
    size = 100 - HEADERS
    path = DelayedPath(Conditions(bandwidth=1000.0, queue=300), 1)
    times = [path.arrivals(size, 0.0) for _ in range(5)]
    assert [t for arrival in times for t in arrival] == pytest.approx([0.1, 0.2, 0.3])
    assert path.queue_dropped == 2
    assert list(path.arrivals(size, 10.0)) == pytest.approx([10.1])


def test_cuts_lose_everything_for_their_time() -> None:
    path = DelayedPath(Conditions(cuts=((0.1, 0.2),)), 1)
    assert [bool(times) for times in fates(path, 30)] == [not 10 <= i < 20 for i in range(30)]
    path.cut_until = 5.0
    assert not path.arrivals(1, 4.99)
    assert path.arrivals(1, 5.0)


@pytest.mark.parametrize("wrong", [{"loss": 1.5}, {"duplicate": -0.1}, {"latency": -1.0}, {"queue": -1}])
def test_conditions_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Conditions(**wrong)  # type: ignore[arg-type]  # the point of the test


def test_a_link_is_read_as_people_write_it() -> None:
    assert Conditions.from_text("120ms, 10ms, 5%") == Conditions.round_trip(0.120, jitter=0.010, loss=0.05)
    assert Conditions.from_text("80.5ms") == Conditions.round_trip(0.0805)
    assert Conditions.from_text("80ms,2ms") == Conditions.round_trip(0.080, jitter=0.002)


@pytest.mark.parametrize(
    "text", ["", "120", "120ms,", "120ms,5%", "-1ms", "1e3ms", "120ms,10ms,500%", "99999ms", "٣ms"]
)
def test_what_is_no_link_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        Conditions.from_text(text)


def test_round_trip_splits_the_latency() -> None:
    assert Conditions.round_trip(0.1, loss=0.05) == Conditions(latency=0.05, loss=0.05)


@pytest.mark.parametrize("name", ["latency", "jitter", "reorder_delay"])
def test_delays_in_milliseconds_are_refused_with_a_hint(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is in seconds, at most 10: 80 of them .* write 0.08"):
        Conditions(**{name: 80})
