"""Angles in radians: brought into one turn, compared the short way round, and turned step by step.

A step from one angle to another is exact arithmetic on doubles, so peers agree on it. ``tau`` is the double nearest
to a turn: an angle that is wrapped a million times is off by a millionth of a millionth of a turn, on all peers alike.
"""

from collections.abc import Iterable
from math import fmod, pi, tau

from retick.sim.maths.kernel import as_float, hypot, refuse

_DEGREES = 180.0 / pi
_RADIANS = pi / 180.0


def wrapped(angle: float) -> float:
    """The same direction, from -pi (included) to pi."""
    value = as_float(angle, "wrapped")
    if value - value != 0.0:
        refuse("wrapped", value)
    if -pi <= value < pi:
        return value
    rest = fmod(value, tau)
    if rest >= pi:
        return rest - tau
    return rest + tau if rest < -pi else rest


def nearest_turn(start: float, end: float) -> float:
    """The turn that leads from one angle to another the short way round, from -pi to pi; positive is anticlockwise."""
    return wrapped(as_float(end, "nearest_turn") - as_float(start, "nearest_turn"))


def turned_towards(angle: float, target: float, most: float) -> float:
    """The angle after a turn of at most ``most`` towards the target, the short way round; wrapped."""
    turn = nearest_turn(angle, target)
    if -most <= turn <= most:
        return wrapped(target)
    return wrapped(angle + (most if turn > 0.0 else -most))


def degrees(angle: float) -> float:
    """Radians in degrees: one multiplication."""
    return as_float(angle, "degrees") * _DEGREES


def radians(angle: float) -> float:
    """Degrees in radians: one multiplication."""
    return as_float(angle, "radians") * _RADIANS


def dist(p: Iterable[float], q: Iterable[float], /) -> float:
    """The distance of two points, each of two numbers."""
    here = [as_float(number, "dist") for number in p]
    there = [as_float(number, "dist") for number in q]
    if len(here) != 2 or len(there) != 2:
        raise ValueError(f"dist() takes points of two numbers, not {here} and {there}")
    x, y = here[0] - there[0], here[1] - there[1]
    if x != x or y != y:
        refuse("dist", *here, *there)
    return hypot(x, y)
