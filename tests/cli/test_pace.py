"""The pace keeps time by the clock it is given."""

from retick.cli.pace import LoopPace


class Time:
    """A clock that only moves when told, and when slept on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_frames_are_due_at_fixed_distances() -> None:
    time = Time()
    pace = LoopPace(4, clock=time.clock, sleep=time.sleep)
    for work in (0.0, 0.125, 0.0, 0.0625):
        time.now += work
        assert pace.wait()
    assert time.now == 1.0
    assert time.slept == [0.25, 0.125, 0.25, 0.1875]


def test_a_late_frame_does_not_sleep_and_is_caught_up_with() -> None:
    time = Time()
    pace = LoopPace(4, clock=time.clock, sleep=time.sleep)
    time.now = 0.375
    assert not pace.wait()
    assert pace.wait()
    assert time.now == 0.5


def test_a_long_stall_is_not_caught_up_with() -> None:
    time = Time()
    pace = LoopPace(4, clock=time.clock, sleep=time.sleep)
    time.now = 100.0
    assert not pace.wait()
    assert pace.wait()
    assert time.now == 100.25
