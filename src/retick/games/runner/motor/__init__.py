"""The runner's movement: its state, its commands, the course and the compiled step.

Knows no packet.
"""

from retick.games.runner.motor.motor import RunnerMotor

__all__ = ["RunnerMotor"]
