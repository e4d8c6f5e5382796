from retick.netrunner.client.prediction import TickClock


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
