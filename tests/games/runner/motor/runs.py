"""Short runs of the motor, for the tests of its kernels."""

import pytest

from retick.games.runner import CourseBox, CourseWorld, RunnerCommand, RunnerMotor, RunnerState, locomotion
from retick.wire.values import round32

FLAT = RunnerMotor()

WALL = RunnerMotor(world=CourseWorld((CourseBox(1, 0, -100, 2, 10, 100),)))

START = RunnerState(0.0, round32(-0.35), 0.0, grounded=True)

FORWARD = RunnerCommand(1, 1, 1, move_y=1.0)


def run(
    motor: RunnerMotor, steps: int, *, yaw: float = 0.0, move_y: float = 1.0, jumps: tuple[int, ...] = ()
) -> list[RunnerState]:
    state, found = START, []
    for step in range(steps):
        state = motor.step(state, RunnerCommand(1, 1, 1, move_y=move_y, buttons=int(step in jumps), yaw=round32(yaw)))
        found.append(state)
    return found


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-5)


def loco(state: RunnerState) -> str:
    return locomotion.pack(state.locomotion).hex()
