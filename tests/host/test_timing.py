import pytest

from retick.host.timing import PingRoundTrip, Pings


def test_round_trips_are_blended_with_jitter_taken_before_the_mean_moves() -> None:
    trip = PingRoundTrip(100.0)
    assert trip.add(200.0)
    assert trip.jitter_ms == pytest.approx(20.0)
    assert trip.rtt_ms == pytest.approx(120.0)


def test_a_clients_first_sample_is_taken_whole() -> None:
    trip = PingRoundTrip()
    trip.add(80.0)
    assert (trip.rtt_ms, trip.jitter_ms) == (80.0, 0.0)


def test_a_pong_that_was_sent_twice_says_nothing_of_the_path() -> None:
    trip = PingRoundTrip(100.0)
    assert not trip.add(400.0, link_ms=100.0)
    assert trip.rtt_ms == 100.0


def test_pings_are_answered_once_and_old_ones_are_forgotten() -> None:
    pings = Pings(0.5)
    assert pings.due(0.4) is None
    assert pings.due(0.5) == (1, 500)
    assert pings.due(0.9) is None
    assert pings.answered(1, 0.62) == 120.0
    assert pings.answered(1, 0.63) is None
    for number in range(200):
        pings.due(1.0 + number)
    assert pings.answered(2, 900.0) is None
    assert pings.answered(201, 200.1) is not None
