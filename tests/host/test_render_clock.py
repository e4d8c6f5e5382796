"""The moment that is drawn runs evenly, and gets to its target without a jump that anybody sees."""

import itertools

from retick.host.timing import JUMP_TICKS, RenderClock


def test_it_runs_evenly_and_gets_slowly_to_its_target() -> None:
    clock = RenderClock(60)
    assert clock.at is None
    assert clock.advance(100.0, 1.0) == 100.0
    steps = [clock.advance(104.0 + 60 * number / 60, 1.0 + number / 60) for number in range(1, 240)]
    moved = [b - a for a, b in itertools.pairwise(steps)]
    assert all(1.0 <= each < 1.2 for each in moved)
    assert abs(steps[-1] - (104.0 + 239)) < 0.1


def test_from_far_away_it_jumps() -> None:
    clock = RenderClock(60)
    clock.advance(100.0, 1.0)
    assert clock.advance(100.0 + JUMP_TICKS + 1, 1.0) == 100.0 + JUMP_TICKS + 1
