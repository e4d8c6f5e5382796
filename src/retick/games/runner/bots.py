"""Bots that look at their own predicted state, as a player does, and hold controls.

A :class:`CourseBot` runs laps, along walls where there are some. A :class:`Wanderer` is the aimless script of the
protocol's acceptance runs. Each has a random generator of its own, so a seed decides what it does. Headings come from
``atan2``, whose last bit may differ between C libraries: a bot repeats itself on one machine only, but commands that
were recorded give the same run everywhere.
"""

# retick: floats -- a bot is a player, not part of the simulation; its commands are recorded

from math import atan2, pi
from typing import Final, Protocol

from retick.games.runner.commands import Intent
from retick.games.runner.course import LAP, Leg
from retick.games.runner.locomotion import Mode
from retick.games.runner.state import RunnerState
from retick.sim.prng import XorShift32

_DRAW: Final = 1 << 16


class RunnerBot(Protocol):
    """Something that holds the controls of a runner."""

    def decide(self, state: RunnerState) -> Intent:
        """The controls for the next command, given the runner's predicted state."""


class _Dice:
    """A random generator that changes in place: allowed here, since a bot is not part of a state."""

    __slots__ = ("_generator",)

    def __init__(self, seed: int) -> None:
        self._generator = XorShift32.seeded((seed * 2654435761 + 97) % 4294967295 + 1)

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high)."""
        value, self._generator = self._generator.between(low, high)
        return value

    def spread(self, width: float) -> float:
        """A number in [-width, width)."""
        return (self.between(0, 2 * _DRAW) / _DRAW - 1.0) * width

    def chance(self, percent: float) -> bool:
        """True in ``percent`` of a hundred calls."""
        return self.between(0, 100 * _DRAW) < percent * _DRAW


class Wanderer:
    """Chooses new axes and a heading every 20 to 80 ticks, turns slowly, and jumps with a chance of 6 % per tick."""

    __slots__ = ("_dice", "_drift", "_move_x", "_move_y", "_ticks_left", "_yaw")

    def __init__(self, seed: int) -> None:
        self._dice = _Dice(seed)
        self._ticks_left = 0
        self._move_x = self._move_y = self._yaw = self._drift = 0.0

    def decide(self, state: RunnerState) -> Intent:
        if self._ticks_left == 0:
            self._ticks_left = self._dice.between(20, 81)
            self._move_x, self._move_y = self._dice.spread(1.0), self._dice.spread(1.0)
            self._yaw, self._drift = self._dice.spread(pi), self._dice.spread(0.01)
        self._ticks_left -= 1
        self._yaw += self._drift
        return Intent(self._move_x, self._move_y, self._yaw, 0.0, jump=self._dice.chance(6))


REACHED: Final = 1.0
"""Metres before the end of a leg at which the bot starts the next one."""
NEAR_A_WALL: Final = 0.7
"""The distance from a wall, in metres, within which a jump reaches it."""
FAST: Final = 5.0
"""The speed along the leg, in metres per second, above which the bot jumps at a wall."""
BLOCKED: Final = 1.5
"""The speed, in metres per second, below which a runner on the floor counts as blocked."""
CALM: Final = 7.0
"""The upward speed, in metres per second, below which the bot jumps off a wall; faster would be too high."""
PATIENCE: Final = 360
"""How many ticks a bot spends on one leg before it tries another direction."""


class CourseBot:
    """Runs laps of the course: over the hurdles, along the walls, from wall to wall in the alley."""

    __slots__ = ("_dice", "_jump_rest", "_leg", "_legs", "_lost_ticks", "_side", "_ticks", "_wobble", "laps")

    def __init__(self, seed: int, legs: tuple[Leg, ...] = LAP) -> None:
        self._dice = _Dice(seed)
        self._legs = legs
        self._leg = 0
        self._ticks = self._lost_ticks = self._jump_rest = 0
        self._wobble = 0.0
        self._side = self._choice_of(legs[0])
        self.laps = 0

    def decide(self, state: RunnerState) -> Intent:
        leg = self._legs[self._leg]
        self._ticks += 1
        if self._is_done(leg, state):
            leg = self._next_leg()
        if self._ticks % 16 == 1:
            self._wobble = self._dice.spread(0.08)
        if self._ticks > PATIENCE:
            self._ticks, self._lost_ticks, self._wobble = 0, 40, self._dice.spread(pi)
        x, z = self._heading(leg, state)
        if self._lost_ticks:
            self._lost_ticks -= 1
        # retick: allow inexact-math -- a heading is an input, and inputs are recorded
        yaw = atan2(-x, -z) + self._wobble
        return Intent(self._wobble, 1.0, yaw, 0.0, jump=self._jumps(leg, state))

    def _next_leg(self) -> Leg:
        self._leg = (self._leg + 1) % len(self._legs)
        self.laps += self._leg == 0
        self._ticks = self._lost_ticks = 0
        leg = self._legs[self._leg]
        self._side = self._choice_of(leg)
        return leg

    def _choice_of(self, leg: Leg) -> float | None:
        return leg.walls[self._dice.between(0, len(leg.walls))] if leg.walls else None

    def _is_done(self, leg: Leg, state: RunnerState) -> bool:
        left_x, left_z = leg.x - state.x, leg.z - state.z
        return left_x * leg.along[0] + left_z * leg.along[1] < REACHED and (
            bool(leg.walls) or left_x * left_x + left_z * left_z < 16 * REACHED
        )

    def _heading(self, leg: Leg, state: RunnerState) -> tuple[float, float]:
        """The direction to run: towards the end of the leg, or along a wall and a little into it."""
        if self._side is None or self._lost_ticks:
            return leg.x - state.x, leg.z - state.z
        x, z = leg.along
        away = self._side - (state.z if x else state.x)
        into = max(-0.9, min(0.9, away))
        if abs(into) < 0.6:
            into = 0.6 if away > 0 else -0.6
        return (x, into) if x else (into, z)

    def _jumps(self, leg: Leg, state: RunnerState) -> bool:
        """Whether the jump key is down: for one tick, then up for some, so that each press is a new key-down."""
        self._jump_rest -= 1
        if self._jump_rest > 0 or not self._wants_to_jump(leg, state):
            return False
        self._jump_rest = 6
        return True

    def _wants_to_jump(self, leg: Leg, state: RunnerState) -> bool:
        speed = state.vx * leg.along[0] + state.vz * leg.along[1]
        if state.mode == Mode.WALL_RUN:
            return state.vy < CALM and state.mode_ticks > 3 and self._leaves_the_wall(leg)
        if not state.grounded:
            return False
        if self._side is not None:
            gap = abs(self._side - (state.z if leg.along[0] else state.x)) - 0.35
            return speed < BLOCKED or (gap < NEAR_A_WALL and speed > FAST and self._dice.chance(25))
        return speed < BLOCKED and self._dice.chance(30)

    def _leaves_the_wall(self, leg: Leg) -> bool:
        """Whether to jump off the wall: rarely from a single one, more often to a second one."""
        if not self._dice.chance(6 if len(leg.walls) > 1 else 1.5):
            return False
        others = [wall for wall in leg.walls if wall != self._side]
        self._side = others[0] if others else self._side
        return True
