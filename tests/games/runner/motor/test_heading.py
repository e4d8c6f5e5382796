from math import cos, pi, sin

import pytest

from retick.games.runner import RunnerCommand, RunnerMotor, Tuning
from retick.wire.values import round32
from tests.games.runner.motor.runs import START


def test_the_wish_follows_the_yaw_all_around() -> None:
    sharp = RunnerMotor(Tuning(ground_acceleration=1e6, move_speed=1.0))
    for step in range(-500, 500):
        yaw = round32(step * pi / 500)
        found = sharp.step(START, RunnerCommand(1, 1, 1, move_x=0.6, move_y=round32(0.8), yaw=yaw))
        x, z = 0.6 * cos(yaw) - 0.8 * sin(yaw), -0.6 * sin(yaw) - 0.8 * cos(yaw)
        assert (found.vx, found.vz) == (pytest.approx(x, abs=1e-7), pytest.approx(z, abs=1e-7))
