import pytest

from retick.netrunner.server.player import InputDelay, wanted_delay


@pytest.mark.parametrize(
    ("rtt", "jitter", "ticks"),
    [(100, 0, 5), (120, 0, 5), (120, 10, 6), (155, 8, 7), (50, 5, 3), (16, 0, 2), (400, 30, 10), (0, 0, 5)],
)
def test_the_wanted_delay_covers_half_the_trip_safety_and_jitter(rtt: float, jitter: float, ticks: int) -> None:
    assert wanted_delay(rtt, jitter, 60) == ticks


def test_the_delay_moves_one_step_four_times_a_second_and_does_not_fall_at_first() -> None:
    delay = InputDelay(3, now=0.0, grace=2.0)
    changes = [delay.update(7, now / 100) for now in range(101)]
    assert delay.ticks == 7
    assert sum(changes) == 4
    assert not delay.update(2, 1.5)
    assert delay.update(2, 2.5)
    assert delay.ticks == 6
