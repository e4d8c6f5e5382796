import pytest

from retick.games.runner import RunnerState
from retick.netrunner.client.interpolation import InterpolationDelay, RemoteBuffer


def at(x: float, **more: float) -> RunnerState:
    return RunnerState(x, 0.0, 0.0, **more)  # type: ignore[arg-type]  # fields by name


def filled() -> RemoteBuffer:
    buffer = RemoteBuffer(60)
    buffer.add(10, at(1.0, vx=6.0))
    buffer.add(13, at(1.3, vx=6.0))
    return buffer


def test_between_two_snapshots_a_player_is_between_two_places() -> None:
    view = filled().sample(11.5, max_extrapolation=6)
    assert view is not None
    assert view.position[0] == pytest.approx(1.15)
    assert not view.underflow


def test_before_the_first_a_player_stands_and_after_the_last_goes_on_for_a_while() -> None:
    buffer = filled()
    first = buffer.sample(3, max_extrapolation=6)
    assert first is not None
    assert first.position[0] == 1.0
    beyond = buffer.sample(16, max_extrapolation=6)
    assert beyond is not None
    assert beyond.position[0] == pytest.approx(1.3 + 6.0 * 3 / 60)
    assert beyond.underflow
    far = buffer.sample(400, max_extrapolation=6)
    assert far is not None
    assert far.position[0] == pytest.approx(1.3 + 6.0 * 6 / 60)


def test_angles_turn_the_shorter_way() -> None:
    buffer = RemoteBuffer(60)
    buffer.add(10, at(0.0, yaw=3.1))
    buffer.add(20, at(0.0, yaw=-3.1))
    view = buffer.sample(15, max_extrapolation=6)
    assert view is not None
    assert abs(view.yaw) == pytest.approx(3.14159, abs=1e-3)


def test_a_curve_keeps_both_velocities_in_seconds() -> None:
    buffer = RemoteBuffer(60)
    buffer.add(0, at(0.0, vx=6.0))
    buffer.add(6, at(0.6, vx=6.0))
    for tick in range(7):
        view = buffer.sample(tick, max_extrapolation=6, hermite=True)
        assert view is not None
        assert view.position[0] == pytest.approx(tick / 10)


def test_late_samples_find_their_place_and_old_ones_leave() -> None:
    buffer = RemoteBuffer(60)
    for tick in range(0, 300, 3):
        buffer.add(tick, at(tick / 10))
    buffer.add(298, at(29.8))
    assert buffer.newest_tick == 298
    buffer.add(296, at(29.6))
    view = buffer.sample(296, max_extrapolation=6)
    assert view is not None
    assert view.position[0] == pytest.approx(29.6)
    oldest = buffer.sample(0, max_extrapolation=6)
    assert oldest is not None
    assert oldest.position[0] > 9


def test_who_jumped_far_is_shown_there_at_once() -> None:
    buffer = RemoteBuffer(60)
    buffer.add(10, at(0.0))
    buffer.sample(10, max_extrapolation=6)
    buffer.add(13, at(50.0))
    view = buffer.sample(13, max_extrapolation=6)
    assert view is not None
    assert view.position[0] == 50.0
    assert buffer.teleports == 1


def test_the_delay_grows_with_jitter_one_step_at_a_time() -> None:
    delay = InterpolationDelay(base_ms=100, rate=60, snapshot_rate=20)
    assert delay.update(0.0) == 6
    now = 0.0
    for number in range(200):
        now += 0.02 if number % 2 else 0.08
        delay.arrived(now)
    assert delay.jitter_ms == pytest.approx(30, abs=3)
    assert delay.update(now) == 7
    assert delay.update(now) == 7
    assert delay.update(now + 0.3) == 8
    assert delay.update(now + 0.6) == 8


def test_underflow_adds_a_tick_a_second_and_calm_takes_it_back() -> None:
    delay = InterpolationDelay(base_ms=100, rate=60, snapshot_rate=20)
    for step in range(30):
        delay.note_underflow(True, step / 10)
    assert delay.underflow_ticks == 3
    for step in range(100):
        delay.note_underflow(False, 3 + step / 10)
    assert delay.underflow_ticks == 0
