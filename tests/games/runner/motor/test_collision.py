"""Floors, walls and ceilings: what a runner can and cannot pass."""

from hypothesis import given
from hypothesis import strategies as st

from retick.games.runner import CourseBox, CourseWorld, Mode, RunnerCommand, RunnerMotor, RunnerState
from retick.games.runner.course import COURSE
from retick.wire.values import round32
from tests.games.runner.motor.runs import FORWARD, START, near


def test_a_low_step_down_is_followed_and_a_high_one_is_not() -> None:
    stairs = CourseWorld((CourseBox(-5, 0, -2, 5, 0.45, 5), CourseBox(-5, 0, -4, 5, 0.25, -2)))
    motor = RunnerMotor(world=stairs)
    state, grounded = START._replace(y=0.11), []
    for _ in range(60):
        state = motor.step(state, FORWARD)
        grounded.append(state.grounded)
    assert all(grounded[1:])
    drop = RunnerMotor(world=CourseWorld((CourseBox(-5, 0, -2, 5, 1.25, 5),)))
    state = START._replace(y=round32(0.901))
    modes = [(state := drop.step(state, FORWARD)).mode for _ in range(60)]
    assert Mode.AIR in modes
    assert modes[-1] == Mode.GROUNDED


def test_a_ceiling_stops_a_jump_and_is_no_floor() -> None:
    motor = RunnerMotor(world=CourseWorld((CourseBox(-5, 2, -5, 5, 3, 5),)))
    state = motor.step(START, FORWARD._replace(move_y=0.0, buttons=1))
    found = [(state := motor.step(state, FORWARD._replace(move_y=0.0))) for _ in range(20)]
    assert max(s.y for s in found) == near(2 - 0.001 - 1.45)
    assert not any(s.grounded for s in found if s.y > 0)


def depth_in(box: CourseBox, state: RunnerState) -> float:
    """How deep the body is in a box, over all axes; negative when outside."""
    low = (state.x - 0.35, state.y + 0.35, state.z - 0.35)
    high = (state.x + 0.35, state.y + 1.45, state.z + 0.35)
    return min(min(high[i] - box[i], box[i + 3] - low[i]) for i in range(3))


controls = st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32), st.floats(-3.140625, 3.140625, width=32))


@given(st.lists(controls, min_size=1, max_size=8), st.integers(2, 17), st.integers(0, 1 << 30))
def test_nobody_enters_a_box_or_leaves_the_course(
    wishes: list[tuple[float, float, float]], peer: int, presses: int
) -> None:
    motor = RunnerMotor(world=COURSE)
    state = motor.spawn(peer)
    for step in range(240):
        move_x, move_y, yaw = wishes[step // 30 % len(wishes)]
        state = motor.step(state, RunnerCommand(1, 1, 1, 0.0, move_x, move_y, presses >> step % 30 & 1, yaw, 0.0))
        assert max(depth_in(box, state) for box in COURSE.boxes) <= 0.0021
        assert state.y >= round32(-0.35)
        assert state == RunnerState._make(state[:9] + tuple(state.with_locomotion(state.locomotion)[9:]))
