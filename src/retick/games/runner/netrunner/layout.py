"""The runner as rows of integers, for delta snapshots: exact for its own player, coarse for the others.

``authority`` makes a schema from the names and ranges that are declared here. An exact row gives back the very same
state. A public row has what others need to draw a runner: position to 2 mm, velocity to 0.03 m/s, look to 0.001 rad,
the mode and the wall. It has no timers.
"""

# retick: floats -- binary32 values as their bits, and coarse copies for drawing

import struct
from math import pi
from typing import Final, NamedTuple

from retick.errors import InvalidValue
from retick.games.runner import locomotion
from retick.games.runner.locomotion import LocomotionState, as_sent
from retick.games.runner.motor.state import RunnerState
from retick.games.runner.motor.world import World

__all__ = ["RunnerLayout", "Span"]

PLACE_STEPS: Final = 256
"""In one metre."""
SPEED_STEPS: Final = 16
"""In one metre per second."""
FASTEST: Final = 64.0
"""Metres per second; a faster runner is shown as this fast."""
YAW_STEPS: Final = 4096
"""In a full turn."""
PITCH_STEPS: Final = 1024
"""From straight down to straight up."""
MARGIN: Final = 2.0
"""Metres around the boxes; a runner further out is shown at this border."""
HEADROOM: Final = 20.0
"""Metres above the highest box, besides the margin."""

_FLOATS: Final = struct.Struct("<8f")
_BITS: Final = struct.Struct("<8I")


class Span(NamedTuple):
    """One field of a row: whole numbers from ``lowest`` to ``highest``."""

    name: str
    lowest: int
    highest: int


def _bits(name: str, width: int) -> Span:
    return Span(name, 0, (1 << width) - 1)


def _steps(value: float, steps: int, span: Span) -> int:
    _, lowest, highest = span
    found = round(value * steps)
    return lowest if found < lowest else highest if found > highest else found


class RunnerLayout:
    """Rows of runners in one world, whose size bounds the positions."""

    exact: Final = (
        *(_bits(name, 32) for name in ("x", "y", "z", "vx", "vy", "vz", "yaw", "pitch")),
        *(_bits(name, width) for name, width in (("grounded", 1), ("meta", 4), ("mode_ticks", 8))),
        *(_bits(name, 8) for name in ("wall_run_ticks", "slide_ticks", "oct_x", "oct_y")),
    )

    def __init__(self, world: World) -> None:
        boxes = world.boxes or ((-64.0, world.floor, -64.0, 64.0, world.floor + 20.0, 64.0),)
        places = []
        for axis, name in enumerate("xyz"):
            low = min(box[axis] for box in boxes) - MARGIN
            high = max(box[axis + 3] for box in boxes) + MARGIN
            if name == "y":
                low, high = min(low, world.floor - MARGIN), high + HEADROOM
            places.append(Span(name, int(low * PLACE_STEPS), int(high * PLACE_STEPS)))
        speed = int(FASTEST * SPEED_STEPS)
        self.public = (
            *places,
            *(Span(name, -speed, speed - 1) for name in ("vx", "vy", "vz")),
            _bits("yaw", 12),
            _bits("pitch", 10),
            _bits("grounded", 1),
            _bits("meta", 4),
            _bits("oct_x", 8),
            _bits("oct_y", 8),
        )

    def exact_row(self, state: RunnerState) -> tuple[int, ...]:
        packed = locomotion.pack(state.locomotion)
        return (*_BITS.unpack(_FLOATS.pack(*state[:8])), int(state.grounded), *packed)

    def exact_state(self, row: tuple[int, ...]) -> RunnerState:
        floats = _FLOATS.unpack(_BITS.pack(*row[:8]))
        if any(value - value != 0.0 for value in floats):
            raise InvalidValue("a runner's own row has a value that is not a finite number")
        loco = locomotion.unpack(bytes(row[9:]))
        return RunnerState._make((*floats, bool(row[8]), 0, 0, 0.0, 0.0, 0.0, 0, 0)).with_locomotion(loco)

    def public_row(self, state: RunnerState) -> tuple[int, ...]:
        spans = self.public
        places = [_steps(state[index], PLACE_STEPS, spans[index]) for index in (0, 1, 2)]
        speeds = [_steps(state[index], SPEED_STEPS, spans[index]) for index in (3, 4, 5)]
        yaw = round((state.yaw + pi) / (2 * pi) * YAW_STEPS) % YAW_STEPS
        pitch = max(0, min(PITCH_STEPS - 1, round((state.pitch / pi + 0.5) * PITCH_STEPS)))
        packed = locomotion.pack(state.locomotion)
        return (*places, *speeds, yaw, pitch, int(state.grounded), packed[0], packed[4], packed[5])

    def public_state(self, row: tuple[int, ...]) -> RunnerState:
        x, y, z = (value / PLACE_STEPS for value in row[:3])
        vx, vy, vz = (value / SPEED_STEPS for value in row[3:6])
        yaw = row[6] / YAW_STEPS * 2 * pi - pi
        pitch = (row[7] / PITCH_STEPS - 0.5) * pi
        mode, _, normal, _, _ = locomotion.unpack(bytes((row[9], 0, 0, 0, row[10], row[11])))
        state = RunnerState(x, y, z, vx, vy, vz, yaw, pitch, bool(row[8]))
        return state.with_locomotion(as_sent(LocomotionState(mode, 0, normal, 0, 0)))
