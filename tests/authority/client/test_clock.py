"""Inputs are stamped for the tick that the server runs when they arrive; slowly steered, and found again from far."""

from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client import play
from retick.authority.client.play import FAR, InputClock, Offset

RATE = 60


def playing(clock_: InputClock, *, away: float, delay: float, seconds: float, start: int = 0, now: float = 0.0) -> int:
    """Run ticks against a server whose tick is ``away`` + 60 a second, over a link of ``delay`` each way."""
    tick = start
    answers: list[tuple[float, int, int]] = []
    end = now + seconds
    while now < end:
        server = int(away + RATE * (now - delay))
        clock_.snapshot_came(server, now)
        while answers and answers[0][0] <= now:
            _, sent, margin = answers.pop(0)
            clock_.input_came(sent, margin, now)
        while clock_.is_due(now):
            tick = clock_.placed(tick + 1, now, 2 * delay)
            clock_.input_sent(tick, now)
            next_run = int(away + RATE * (now + delay)) + 1
            answers.append((now + 2 * delay, tick, tick - next_run))
            clock_.ran(tick, now, 2 * delay)
        now += 1 / 240
    return tick


@given(st.floats(0, 1000), st.floats(0.0, 0.2), st.sampled_from([0.0, 0.005, 0.03, 0.1]))
def test_inputs_arrive_just_in_time_on_any_link(away: float, delay: float, loss: float) -> None:
    made = InputClock(RATE, 2)
    made.loss_measured(loss)
    tick = playing(made, away=away, delay=delay, seconds=6.0)
    next_run = int(away + RATE * (6.0 + delay)) + 1
    assert 0 <= tick - next_run <= made.lead + 2
    assert tick - next_run >= made.lead - 2


def test_more_loss_means_more_lead_as_far_as_packets_repeat_inputs() -> None:
    made = InputClock(RATE, 2)
    leads = []
    for loss in (0.0, 0.005, 0.03, 0.2):
        made.loss_measured(loss)
        leads.append(made.lead)
    assert leads == [2, 4, 6, 8]
    seldom = InputClock(RATE, 4)
    seldom.loss_measured(0.2)
    assert seldom.lead == 3 + 4 + 1


def test_a_place_that_is_near_is_reached_by_ticks_that_are_a_little_shorter_or_longer() -> None:
    made = InputClock(RATE, 2)
    tick = playing(made, away=100.0, delay=0.05, seconds=3.0)
    times = []
    now = 3.0
    for _ in range(50):
        at = made.next_at
        assert at is not None
        now = max(now, at)
        times.append(now)
        tick += 1
        # The server is five ticks farther than it was.
        made.input_sent(tick, now)
        made.input_came(tick, tick - int(105 + RATE * (now + 0.05)) - 1, now)
        assert made.placed(tick, now, 0.1) == tick
        made.ran(tick, now, 0.1)
    steps = [b - a for a, b in zip(times[1:], times[2:], strict=False)]  # noqa: RUF007 - the first is left out
    assert all(0.9 / RATE - 1e-9 <= each <= 1.1 / RATE + 1e-9 for each in steps)
    assert sum(steps) < len(steps) / RATE


def test_from_far_behind_the_clock_jumps_and_from_far_ahead_it_waits() -> None:
    made = InputClock(RATE, 2)
    tick = playing(made, away=100.0, delay=0.05, seconds=3.0)
    late = 3.0 + 2 * FAR
    assert made.placed(tick + 1, late, 0.1) > tick + FAR * RATE
    ahead = tick + int(3 * FAR * RATE)
    made.ran(ahead, 3.0, 0.1)
    assert made.next_at is not None
    assert made.next_at > 3.0 + 2 * FAR


def test_of_old_samples_nothing_is_left_and_there_are_never_too_many() -> None:
    offset = Offset()
    for number in range(1000):
        offset.add(5.0, number / 1000, 15.0)
    assert len(offset._samples) == play.MOST_SAMPLES
    offset.add(1.0, 100.0, 15.0)
    assert offset.greatest() == 1.0
    assert offset.spread() == 0.0


def test_a_server_that_stood_still_is_noticed_after_a_few_samples() -> None:
    offset = Offset()
    for number in range(10):
        offset.add(50.0, number / 20, 15.0)
    offset.add(0.0, 0.55, 15.0)
    offset.add(0.0, 0.6, 15.0)
    assert offset.greatest() == 50.0
    offset.add(0.0, 0.65, 15.0)
    assert offset.greatest() == 0.0


def test_sent_times_are_forgotten_and_unknown_answers_change_nothing() -> None:
    made = InputClock(RATE, 2)
    for tick in range(play.MOST_SENT + 5):
        made.input_sent(tick, tick / RATE)
    made.input_came(0, 3, 10.0)
    made.input_came(99999, 3, 10.0)
    assert not made.has_place
    made.input_came(play.MOST_SENT, 3, 10.0)
    assert made.has_place
