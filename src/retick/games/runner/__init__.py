"""The parkour runner without a screen: movement rules, a course and bots.

It knows nothing of servers, packets or clocks: :mod:`retick.netrunner` puts it on the wire.
"""

from retick.games.runner.bots import CourseBot, Wanderer
from retick.games.runner.commands import CommandBuilder, Intent, RunnerButton, RunnerCommand
from retick.games.runner.course import ARENA, COURSE, CourseBox, CourseWorld
from retick.games.runner.locomotion import LocomotionState, Mode
from retick.games.runner.motor import RunnerMotor
from retick.games.runner.state import RunnerState, Tuning

__all__ = [
    "ARENA",
    "COURSE",
    "CommandBuilder",
    "CourseBot",
    "CourseBox",
    "CourseWorld",
    "Intent",
    "LocomotionState",
    "Mode",
    "RunnerButton",
    "RunnerCommand",
    "RunnerMotor",
    "RunnerState",
    "Tuning",
    "Wanderer",
]
