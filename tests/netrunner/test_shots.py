from math import pi

from retick.games.runner import RunnerState
from retick.netrunner.packets import NOBODY
from retick.netrunner.runner import judge_shot

SHOOTER = RunnerState(0.0, 0.0, 0.0)
"""Eye at 1.55; the middle of a target is at 0.9."""


def aimed(yaw: float = 0.0, pitch: float = 0.0) -> RunnerState:
    return SHOOTER._replace(yaw=yaw, pitch=pitch)


def test_forward_is_towards_smaller_z_and_the_nearest_is_hit() -> None:
    targets = {3: (0.0, 0.65, -10.0), 4: (0.0, 0.65, -5.0), 5: (0.0, 0.65, 5.0)}
    result, visual = judge_shot(2, aimed(), 90, targets)
    assert (result.hit, result.shooter, result.tick) == (4, 2, 90)
    assert visual.did_hit
    assert abs(visual.point[2] + 4.5) < 1e-6


def test_a_turn_to_the_left_looks_along_negative_x() -> None:
    assert judge_shot(2, aimed(yaw=pi / 2), 1, {3: (-8.0, 0.65, 0.0)})[0].hit == 3
    assert judge_shot(2, aimed(yaw=-pi / 2), 1, {3: (-8.0, 0.65, 0.0)})[0].hit == NOBODY


def test_what_is_beside_above_or_out_of_range_is_missed() -> None:
    for target in ((0.6, 0.65, -5.0), (0.0, 3.0, -5.0), (0.0, 0.65, -201.0)):
        result, visual = judge_shot(2, aimed(), 1, {3: target})
        assert result.hit == NOBODY
        assert visual.point == (0.0, visual.origin[1], -200.0)


def test_up_is_positive_pitch() -> None:
    assert judge_shot(2, aimed(pitch=pi / 4), 1, {3: (0.0, 10.65, -10.0)})[0].hit == 3
