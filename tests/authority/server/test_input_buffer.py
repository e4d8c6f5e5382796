"""Inputs that wait for their tick."""

from hypothesis import given
from hypothesis import strategies as st

from retick.authority.frames import InputFrame
from retick.authority.server.player import InputBuffer


def frame(tick: int, *inputs: int) -> InputFrame:
    return InputFrame(tick, 0, 0, inputs)


def test_an_input_runs_in_its_tick() -> None:
    buffer = InputBuffer(hold=2, ahead=8)
    buffer.offer(frame(3, 30, 20, 10), 0)
    assert [buffer.take(tick) for tick in (1, 2, 3)] == [10, 20, 30]
    assert buffer.used == 3


def test_a_missing_input_repeats_the_last_for_a_while_and_then_nothing_is_pressed() -> None:
    buffer = InputBuffer(hold=2, ahead=8)
    buffer.offer(frame(1, 7), 0)
    assert [buffer.take(tick) for tick in range(1, 6)] == [7, 7, 7, 0, 0]
    assert (buffer.used, buffer.held, buffer.neutral, buffer.streak, buffer.streak_max) == (1, 2, 2, 4, 4)
    buffer.offer(frame(6, 9), 5)
    assert [buffer.take(tick) for tick in (6, 7)] == [9, 9]
    assert (buffer.streak, buffer.streak_max) == (1, 4)


def test_an_input_that_was_received_does_not_change() -> None:
    buffer = InputBuffer(hold=0, ahead=8)
    buffer.offer(frame(2, 5), 0)
    buffer.offer(frame(3, 1, 99), 0)
    buffer.take(1)
    assert buffer.take(2) == 5


def test_late_and_early_inputs_are_dropped_and_counted() -> None:
    buffer = InputBuffer(hold=0, ahead=4)
    assert not buffer.offer(frame(15, 1), 10)
    assert (buffer.dropped_early, buffer.newest) == (1, 0)
    assert buffer.offer(frame(9, 1, 1), 10)
    assert (buffer.dropped_late, buffer.newest, buffer.margin) == (2, 9, -2)
    assert buffer.offer(frame(14, 1), 10)
    assert (buffer.newest, buffer.margin, len(buffer)) == (14, 3, 1)
    assert not buffer.offer(frame(12, 1), 11)
    assert (buffer.newest, buffer.margin) == (14, 3)
    buffer.offer(frame(12, 1, 1, 1), 11)
    assert buffer.dropped_late == 2  # copies of what came in time are no loss


def test_each_input_has_its_own_limit_of_how_far_behind_the_others_were_seen() -> None:
    buffer = InputBuffer(hold=2, ahead=20, rewind=12)
    buffer.offer(InputFrame(20, 0, 5000, (1,)), 0, 5)
    buffer.offer(InputFrame(2, 0, 5000, (1, 1)), 0, 5)
    assert buffer.take(1) == 1
    assert buffer.behind == 5
    buffer.take(2)
    assert buffer.behind == 6
    for tick in range(3, 20):
        buffer.take(tick)
        assert buffer.behind == 6
    buffer.take(20)
    assert buffer.behind == 12


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 8), st.booleans()), max_size=60))
def test_no_more_inputs_wait_than_may_come_early(packets: list[tuple[int, int, bool]]) -> None:
    buffer = InputBuffer(hold=1, ahead=6)
    tick = 0
    for newest, count, passes in packets:
        buffer.offer(InputFrame(newest, 0, 0, tuple(range(count))), tick)
        if passes:
            tick += 1
            buffer.take(tick)
        assert len(buffer) <= 6
        assert buffer.used + buffer.held + buffer.neutral == tick
