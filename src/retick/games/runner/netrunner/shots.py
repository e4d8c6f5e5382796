"""Judging a shot: a ray from the eye, a sphere around each other runner; the nearest is hit. Walls do not stop it."""

# retick: floats -- geometry of one shot; clients are told its result and do not compute it

from math import cos, sin, sqrt
from typing import Final

from retick.games.runner.motor.state import RunnerState
from retick.games.runner.netrunner.fire import NOBODY, FireResult, FireVisual
from retick.wire.binary32 import round32

__all__ = ["judge_shot"]

Vector = tuple[float, float, float]

EYE_HEIGHT: Final = 1.55
TARGET_HEIGHT: Final = 0.9
TARGET_RADIUS: Final = 0.5
RANGE: Final = 200.0


def _distance_to(origin: Vector, aim: Vector, target: Vector) -> float | None:
    """Metres along the ray to the sphere around a runner; None when the ray misses it."""
    x, y, z = target[0] - origin[0], target[1] + TARGET_HEIGHT - origin[1], target[2] - origin[2]
    along = x * aim[0] + y * aim[1] + z * aim[2]
    inside = TARGET_RADIUS * TARGET_RADIUS - (x * x + y * y + z * z - along * along)
    if inside < 0:
        return None
    depth = sqrt(inside)
    if along + depth < 0:
        return None
    distance = max(0.0, along - depth)
    return distance if distance <= RANGE else None


def judge_shot(
    shooter: int, state: RunnerState, tick: int, targets: dict[int, Vector]
) -> tuple[FireResult, FireVisual]:
    """What a shot from the shooter's position and look hits; ``targets``: where the shooter saw the others."""
    origin = (round32(state.x), round32(state.y + EYE_HEIGHT), round32(state.z))
    # retick: allow inexact-math -- only the server judges a shot; the others are told
    flat, rise = cos(state.pitch), sin(state.pitch)
    # retick: allow inexact-math -- as above
    aim = (-sin(state.yaw) * flat, rise, -cos(state.yaw) * flat)
    hit, nearest = NOBODY, RANGE
    for peer_id, position in targets.items():
        distance = _distance_to(origin, aim, position)
        if distance is not None and (hit == NOBODY or distance < nearest):
            hit, nearest = peer_id, distance
    x, y, z = (round32(o + a * nearest) for o, a in zip(origin, aim, strict=True))
    result = FireResult(shooter, hit, tick)
    return result, FireVisual(shooter, tick, origin, state.yaw, state.pitch, hit != NOBODY, (x, y, z))
