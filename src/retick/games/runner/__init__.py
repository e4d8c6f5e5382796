"""The parkour runner: a motor without a screen, a course, bots, and the NetRunner packets.

Knows nothing of sessions, clocks or sockets: ``authority`` uses it through Protocols.
"""

from retick.games.runner.bots import CourseBot, Wanderer
from retick.games.runner.locomotion import LocomotionState, Mode
from retick.games.runner.motor.commands import Button, Command, CommandBuilder, Intent
from retick.games.runner.motor.course import ARENA, COURSE
from retick.games.runner.motor.motor import RunnerMotor
from retick.games.runner.motor.state import RunnerState
from retick.games.runner.motor.tuning import Tuning
from retick.games.runner.motor.world import Box, World
from retick.games.runner.netrunner.config import LAN, WAN, RunnerConfig, parse_config
from retick.games.runner.netrunner.profile import NetRunner
from retick.games.runner.netrunner.snapshots import InputStats, PlayerSnapshot, RunnerSnapshot

__all__ = [
    "ARENA",
    "COURSE",
    "LAN",
    "WAN",
    "Box",
    "Button",
    "Command",
    "CommandBuilder",
    "CourseBot",
    "InputStats",
    "Intent",
    "LocomotionState",
    "Mode",
    "NetRunner",
    "PlayerSnapshot",
    "RunnerConfig",
    "RunnerMotor",
    "RunnerSnapshot",
    "RunnerState",
    "Tuning",
    "Wanderer",
    "World",
    "parse_config",
]
