"""The motor: the specification's checks, misuse, and what must hold wherever a runner goes."""

from collections.abc import Callable
from math import inf, nan, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.runner import CourseBox, CourseWorld, LocomotionState, Mode, RunnerMotor, RunnerState
from retick.games.runner.course import COURSE, MAX_BOXES
from tests.games.runner.motor.runs import FLAT, FORWARD, START, WALL, loco, near, run


def test_running_forward_reaches_full_speed_in_twelve_steps() -> None:
    found = run(FLAT, 13)
    assert (found[0].vz, found[0].z, found[0].mode_ticks) == (near(-0.75), near(-0.0125), 1)
    assert (found[11].vz, found[11].z) == (near(-9), near(-0.975))
    assert found[12].z == near(-1.125)
    assert all(state.mode == Mode.GROUNDED and state.grounded and state.vy == 0.0 for state in found)


def test_a_jump_takes_45_steps() -> None:
    found = run(FLAT, 45, move_y=0.0, jumps=(0, 1))
    assert (found[0].y, found[0].vy, found[0].mode, found[0].mode_ticks) == (near(-0.204167), 8.75, Mode.AIR, 0)
    assert (found[1].y, found[1].vy) == (near(-0.065), near(8.35))
    assert (found[21].y, found[21].vy) == (near(1.318333), near(0.35))
    assert max(state.y for state in found) == found[21].y
    assert (found[43].y, found[43].vy) == (near(-0.24), near(-8.45))
    assert (found[44].y, found[44].mode, found[44].mode_ticks) == (near(-0.35), Mode.GROUNDED, 0)


def in_wall_run() -> RunnerState:
    return run(WALL, 30, yaw=-pi / 4, jumps=(20, 21))[29]


def test_a_new_runner_hangs_in_the_air_and_its_first_step_says_so() -> None:
    places = [FLAT.spawn(peer).position for peer in range(9)]
    assert places[1] == (-1.5, 2.0, 0.0)
    assert places[7] == (3.5, 2.0, 2.5)
    assert places[8] == places[0] == (-4.0, 2.0, 0.0)
    assert FLAT.spawn(-3) == FLAT.spawn(3)
    found = FLAT.step(FLAT.spawn(2), FORWARD)
    assert (found.mode, found.mode_ticks, found.vy) == (Mode.AIR, 0, near(-0.4))


def test_a_step_changes_nothing_it_was_given() -> None:
    state = in_wall_run()
    kept = tuple(state)
    assert WALL.step(state, FORWARD) == WALL.step(state, FORWARD)
    assert tuple(state) == kept


@pytest.mark.parametrize(
    "step",
    [
        lambda: FLAT.step(tuple(START), FORWARD),
        lambda: FLAT.step(None, FORWARD),
        lambda: FLAT.step(START._replace(mode=5), FORWARD),
        lambda: FLAT.step(START._replace(mode=-1), FORWARD),
        lambda: FLAT.step(START, FORWARD._replace(move_x=1.5)),
        lambda: FLAT.step(START, FORWARD._replace(move_y=nan)),
        lambda: FLAT.step(START, FORWARD._replace(yaw=4.0)),
        lambda: FLAT.step(START, FORWARD._replace(pitch=inf)),
        lambda: FLAT.step(START, FORWARD._replace(buttons=-1)),
        lambda: FLAT.step(START, FORWARD._replace(buttons=8)),
        lambda: FLAT.step(START, tuple(FORWARD)),
        lambda: RunnerMotor(tick_rate=0),
        lambda: CourseWorld((CourseBox(0, 0, 0, 1, 1, 1),) * (MAX_BOXES + 1)),
        lambda: CourseWorld((CourseBox(0, 0, 0, 1, 0, 1),)),
        lambda: CourseWorld((CourseBox(0, 0, 0, 1, nan, 1),)),
        lambda: CourseWorld(floor=inf),
    ],
)
def test_misuse_is_a_usage_error(step: Callable[[], object]) -> None:
    with pytest.raises(UsageError):
        step()


def test_a_field_that_is_no_number_is_a_type_error() -> None:
    for step in (
        lambda: FLAT.step(START, FORWARD._replace(yaw="1")),
        lambda: FLAT.step(START._replace(x="1"), FORWARD),
    ):  # type: ignore[arg-type]  # on purpose
        with pytest.raises(TypeError):
            step()


def test_the_largest_world_is_a_world() -> None:
    boxes = tuple(CourseBox(x, 0, -50, x + 0.5, 1, -40) for x in range(MAX_BOXES - 1))
    motor = RunnerMotor(world=CourseWorld((*boxes, CourseBox(1, 0, -100, 2, 10, 100))))
    assert loco(run(motor, 22, yaw=-pi / 4, jumps=(20, 21))[21]) == "0a001800007f"


huge = st.floats(-3.4028234663852886e38, 3.4028234663852886e38, width=32)


@given(huge, huge, huge, huge, huge, huge, st.booleans(), st.integers(0, 4), st.integers(0, 255))
def test_a_restored_state_however_wild_steps_to_a_finite_one(
    x: float, y: float, z: float, vx: float, vy: float, vz: float, grounded: bool, mode: int, ticks: int
) -> None:
    state = RunnerState(x, y, z, vx, vy, vz, grounded=grounded)
    state = state.with_locomotion(LocomotionState(mode, ticks, (0.6, 0.3, -0.7), ticks, ticks))
    motor = RunnerMotor(world=COURSE)
    for _ in range(3):
        state = motor.step(state, FORWARD)
        assert all(-inf < number < inf for number in state)
