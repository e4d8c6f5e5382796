"""A runner's locomotion state, and its six bytes in every snapshot.

::

    0  u8  meta             bits 0-2 mode, bit 3 a wall normal follows, bits 4-7 zero
    1  u8  mode ticks       each counter saturated to 0..255
    2  u8  wall-run ticks
    3  u8  slide ticks
    4  u8  octahedral x     0..254; both 127 when there is no normal
    5  u8  octahedral y

A unit normal is projected onto the octahedron ``|x|+|y|+|z| = 1``. Its lower half (z < 0) is folded over the corners
of the square, and each of the two coordinates that are left is rounded to 255 steps. All arithmetic is binary64. The
sign of zero counts as +1, and ties round to even: another choice would give other bytes.
"""

# retick: floats -- octahedral coding of a direction; the simulation keeps the decoded value, the same on every machine

from enum import IntEnum
from math import isfinite, sqrt
from typing import NamedTuple

from retick.errors import EncodeError, InvalidValue, TrailingData, Truncated

__all__ = ["PACKED_SIZE", "LocomotionState", "Mode", "as_sent", "decode_normal", "encode_normal", "pack", "unpack"]

PACKED_SIZE = 6

Vector = tuple[float, float, float]

_NORMAL_FOLLOWS = 0x08
_RESERVED_BITS = 0xF0
_MODE_BITS = 0x07
_NO_NORMAL = (127, 127)
_SMALLEST_SQUARE = 1e-6
"""The squared length up to which a vector is too short to be a normal."""


class Mode(IntEnum):
    """How a runner moves. States hold the plain integer; 5 to 7 are reserved in packets."""

    GROUNDED = 0
    AIR = 1
    WALL_RUN = 2
    WALL_CLING = 3
    SLIDE = 4


class LocomotionState(NamedTuple):
    """What the motor's branches depend on, besides position and velocity."""

    mode: int
    mode_ticks: int = 0
    """How many ticks this mode has lasted."""
    wall_normal: Vector = (0.0, 0.0, 0.0)
    """Points out of the wall, with unit length; zero if there is no wall."""
    wall_run_ticks: int = 0
    """In a wall run, the ticks left; in the air, the ticks before the next one may begin."""
    slide_ticks: int = 0
    """The ticks left of a slide; this motor does not slide."""


def _sign(value: float) -> float:
    return 1.0 if value >= 0 else -1.0


def _fold(x: float, y: float) -> tuple[float, float]:
    """Map the lower half of the octahedron to the corners of the square, or back."""
    return (1.0 - abs(y)) * _sign(x), (1.0 - abs(x)) * _sign(y)


def _quantised(value: float) -> int:
    return round(min(max(value, -1.0), 1.0) * 127) + 127


def encode_normal(normal: Vector) -> tuple[int, int] | None:
    """The two octahedral bytes of a direction of any length; None for one that is too short or not finite."""
    x, y, z = normal
    if not (isfinite(x) and isfinite(y) and isfinite(z)) or x * x + y * y + z * z <= _SMALLEST_SQUARE:
        return None
    scale = abs(x) + abs(y) + abs(z)
    if not isfinite(scale):  # only near the largest float, where a quarter has the same direction
        x, y, z = x / 4, y / 4, z / 4
        scale = abs(x) + abs(y) + abs(z)
    x, y, z = x / scale, y / scale, z / scale
    if z < 0:
        x, y = _fold(x, y)
    return _quantised(x), _quantised(y)


def decode_normal(oct_x: int, oct_y: int) -> Vector:
    """The unit vector of two octahedral bytes from 0 to 254; a zero component is +0.0."""
    x, y = (oct_x - 127) / 127, (oct_y - 127) / 127
    z = 1.0 - abs(x) - abs(y)
    if z < 0:
        x, y = _fold(x, y)
    length = sqrt(x * x + y * y + z * z)
    return x / length + 0.0, y / length + 0.0, z / length + 0.0


def _saturated(ticks: int) -> int:
    return 0 if ticks < 0 else 255 if ticks > 255 else ticks


def pack(state: LocomotionState) -> bytes:
    """Pack a state into six bytes; raises EncodeError for a mode that packets do not have."""
    if not 0 <= state.mode <= Mode.SLIDE:
        raise EncodeError(f"mode must be from 0 to {int(Mode.SLIDE)}, not {state.mode}")
    octahedral = encode_normal(state.wall_normal)
    meta = state.mode if octahedral is None else state.mode | _NORMAL_FOLLOWS
    return bytes(
        (
            meta,
            _saturated(state.mode_ticks),
            _saturated(state.wall_run_ticks),
            _saturated(state.slide_ticks),
            *(octahedral or _NO_NORMAL),
        )
    )


def unpack(data: bytes) -> LocomotionState:
    """Unpack a state from exactly six bytes, or raise DecodeError."""
    if len(data) < PACKED_SIZE:
        raise Truncated(f"locomotion needs 6 bytes, not {len(data)}", needed=PACKED_SIZE, available=len(data))
    if len(data) > PACKED_SIZE:
        raise TrailingData(f"locomotion is 6 bytes, not {len(data)}", extra=len(data) - PACKED_SIZE)
    meta, mode_ticks, wall_run_ticks, slide_ticks, oct_x, oct_y = data
    mode = meta & _MODE_BITS
    if meta & _RESERVED_BITS:
        raise InvalidValue(f"reserved bits of locomotion meta are set: {meta:#04x}")
    if mode > Mode.SLIDE:
        raise InvalidValue(f"locomotion mode {mode} is reserved")
    normal = (0.0, 0.0, 0.0)
    if meta & _NORMAL_FOLLOWS:
        if oct_x == 255 or oct_y == 255:
            raise InvalidValue(f"octahedral bytes must be from 0 to 254, not {oct_x}, {oct_y}")
        normal = decode_normal(oct_x, oct_y)
    elif (oct_x, oct_y) != _NO_NORMAL:
        raise InvalidValue(f"without a wall normal the octahedral bytes must be 127, 127, not {oct_x}, {oct_y}")
    return LocomotionState(mode, mode_ticks, normal, wall_run_ticks, slide_ticks)


def as_sent(state: LocomotionState) -> LocomotionState:
    """``state`` as a receiver decodes it. A server keeps this one, since clients predict from it."""
    return unpack(pack(state))
