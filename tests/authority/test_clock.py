import pytest

from retick.authority.clock import DelayControl, RoundTrip, TickClock, wanted_delay


@pytest.mark.parametrize(
    ("rtt", "jitter", "ticks"),
    [(100, 0, 5), (120, 0, 5), (120, 10, 6), (155, 8, 7), (50, 5, 3), (16, 0, 2), (400, 30, 10), (0, 0, 5)],
)
def test_the_wanted_delay_covers_half_the_trip_safety_and_jitter(rtt: float, jitter: float, ticks: int) -> None:
    assert wanted_delay(rtt, jitter, 60) == ticks


def test_the_clock_rounds_elapsed_ticks_to_nearest() -> None:
    clock = TickClock(60)
    clock.force(100, 2.0)
    assert clock.estimate(2.0) == 100
    assert clock.estimate(2.0 + 0.008) == 100
    assert clock.estimate(2.0 + 0.009) == 101
    assert clock.estimate(3.0) == 160
    assert clock.estimate(1.0) == 100


def test_the_clock_moves_by_one_tick_for_each_observation() -> None:
    clock = TickClock(60)
    clock.observe(50, 1.0)
    assert clock.estimate(1.0) == 50
    clock.observe(70, 1.0)
    assert clock.estimate(1.0) == 51
    clock.observe(10, 1.0)
    assert clock.estimate(1.0) == 50


def test_round_trips_are_blended_with_jitter_taken_before_the_mean_moves() -> None:
    trip = RoundTrip(100.0)
    assert trip.add(200.0)
    assert trip.jitter_ms == pytest.approx(20.0)
    assert trip.rtt_ms == pytest.approx(120.0)


def test_a_clients_first_sample_is_taken_whole() -> None:
    trip = RoundTrip()
    trip.add(80.0)
    assert (trip.rtt_ms, trip.jitter_ms) == (80.0, 0.0)


def test_a_pong_that_was_sent_twice_says_nothing_of_the_path() -> None:
    trip = RoundTrip(100.0)
    assert not trip.add(400.0, link_ms=100.0)
    assert trip.rtt_ms == 100.0


def test_the_delay_moves_one_step_four_times_a_second_and_does_not_fall_at_first() -> None:
    delay = DelayControl(3, now=0.0, grace=2.0)
    changes = [delay.update(7, now / 100) for now in range(101)]
    assert delay.ticks == 7
    assert sum(changes) == 4
    assert not delay.update(2, 1.5)
    assert delay.update(2, 2.5)
    assert delay.ticks == 6
