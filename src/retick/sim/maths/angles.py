"""Angles in radians: brought into one turn, compared the short way round, and turned step by step.

A step from one angle to another is exact arithmetic on doubles, so peers agree on it. ``tau`` is the double nearest
to a turn: an angle that is wrapped a million times is off by a millionth of a millionth of a turn, on all peers alike.
"""

from math import fmod, pi, tau

from retick.sim.maths.arguments import as_float, refuse

__all__ = ["degrees", "nearest_turn", "radians", "turned_towards", "wrapped"]

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
