"""Corrections fade out when drawn, instead of jumping. Only for drawing: no simulation ever sees an offset."""

# retick: floats -- offsets of what is drawn, in metres

from math import sqrt
from typing import Final

from retick.authority.client.reconcile import Correction
from retick.authority.profile import Vector

__all__ = ["FadingOffset", "ViewSmoothing"]

LONGEST_OFFSET: Final = 2.0
"""Metres."""
FASTEST: Final = 100.0
"""Metres per second."""
SHORTEST_TIME: Final = 0.01
"""Seconds."""
VERTICAL_SNAP: Final = 0.5
"""Metres up or down from which a correction is shown at once."""
VIEW_MS: Final = 40
"""Milliseconds over which a vertical correction fades, at most."""
NOTHING: Final = 1e-6
"""A squared length below this is zero."""
ZERO: Final[Vector] = (0.0, 0.0, 0.0)


def _limited(vector: Vector, longest: float) -> Vector:
    x, y, z = vector
    square = x * x + y * y + z * z
    if square <= longest * longest:
        return vector
    scale = longest / sqrt(square)
    return x * scale, y * scale, z * scale


def _dot(first: Vector, second: Vector) -> float:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


class FadingOffset:
    """A vector that goes to zero like a critically damped spring."""

    __slots__ = ("offset", "time", "velocity")

    def __init__(self) -> None:
        self.offset: Vector = ZERO
        self.velocity: Vector = ZERO
        self.time = SHORTEST_TIME

    def clear(self) -> None:
        self.offset = self.velocity = ZERO

    def push(self, x: float, y: float, z: float, seconds: float) -> None:
        """Add a correction that fades in about ``seconds``."""
        mine = self.offset
        self.offset = _limited((mine[0] + x, mine[1] + y, mine[2] + z), LONGEST_OFFSET)
        self.time = max(SHORTEST_TIME, seconds)

    def advance(self, dt: float) -> Vector:
        """The offset one drawn frame later."""
        start = self.offset
        if _dot(start, start) < NOTHING and _dot(self.velocity, self.velocity) < NOTHING:
            self.clear()
            return ZERO
        dt = max(0.0001, dt)
        omega = 2.0 / self.time
        k = omega * dt
        decay = 1.0 / (1.0 + k + 0.48 * k * k + 0.235 * k * k * k)
        limited = _limited(start, FASTEST * self.time)
        moved = [(v + omega * c) * dt for v, c in zip(self.velocity, limited, strict=True)]
        vx, vy, vz = ((v - omega * m) * decay for v, m in zip(self.velocity, moved, strict=True))
        x, y, z = (s - c + (c + m) * decay for s, c, m in zip(start, limited, moved, strict=True))
        self.offset, self.velocity = (x, y, z), (vx, vy, vz)
        if _dot(start, self.offset) < 0.0:
            self.clear()
        return self.offset


class ViewSmoothing:
    """The two offsets of a client's own player: horizontal for the body, vertical for the eye."""

    __slots__ = ("_body_seconds", "_eye_seconds", "_snap", "body", "eye")

    def __init__(self, smooth_ms: int, snap_threshold: float) -> None:
        self.body = FadingOffset()
        self.eye = FadingOffset()
        self._body_seconds = smooth_ms / 1000
        self._eye_seconds = min(VIEW_MS, smooth_ms) / 1000
        self._snap = snap_threshold

    def clear(self) -> None:
        self.body.clear()
        self.eye.clear()

    def correct(self, by: Correction, *, at_once: bool = False) -> bool:
        """Step 12 of reconciling, with the correction before the dead zone. True when it is shown at once.

        ``at_once``: it is a teleport, however short.
        """
        snapped = at_once or by.raw_xz > self._snap
        if snapped:
            self.clear()
        elif by.dx or by.dz:
            self.body.push(by.dx, 0.0, by.dz, self._body_seconds)
        if snapped or abs(by.dy) > VERTICAL_SNAP:
            self.eye.clear()
        elif by.dy:
            self.eye.push(0.0, by.dy, 0.0, self._eye_seconds)
        return snapped

    def advance(self, dt: float) -> Vector:
        """What to add to the player's position in this drawn frame, ``dt`` seconds after the last."""
        (x, _, z), (_, y, _) = self.body.advance(dt), self.eye.advance(dt)
        return x, y, z
