"""A vector in the plane that changes in place, called as pygame's Vector2 is (a compiled kernel).

Angles are in degrees, except where a name ends in ``rad``. Everything is computed with exactly rounded operations and
the functions of ``retick.sim.maths``, so that the bits are the same on every machine. ``==`` is exact.
"""
# retick: floats -- only exactly rounded operations in a fixed order; see docs/floats.md

from math import pi
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from retick.sim.maths.arguments import overflow, refuse

if cython.compiled:
    from cython.cimports.libc.math import fmod
    from cython.cimports.retick.sim.maths.circular import cos_of, sin_of
    from cython.cimports.retick.sim.maths.inverse import atan2_of
    from cython.cimports.retick.sim.maths.roots import hypot_of
    from cython.cimports.retick.sim.shapes.pair import Pair, dot_of, made_like, needed_pair, put, sum_of
    from cython.cimports.retick.sim.shapes.shape import number_of
else:
    from math import fmod

    from retick.sim.maths.circular import cos_of, sin_of
    from retick.sim.maths.inverse import atan2_of
    from retick.sim.maths.roots import hypot_of
    from retick.sim.shapes.pair import Pair, dot_of, made_like, needed_pair, put, sum_of
    from retick.sim.shapes.shape import number_of

__all__ = ["Vector2"]

DEGREES = 180.0 / pi
RADIANS = pi / 180.0


@cython.cclass
class Vector2(Pair):
    """Two floats, neither a NaN: ``Vector2(x, y)``, ``Vector2((x, y))`` or ``Vector2()``.

    Wherever a vector is taken, any sequence of two numbers is.
    """

    __slots__ = ()

    def dot(self, other: Any) -> float:
        """The dot product: 0 for a right angle, positive below it."""
        return dot_of(self, needed_pair(other))

    def cross(self, other: Any) -> float:
        """The cross product: positive if the other is reached by a turn from the x axis towards the y axis."""
        theirs: Pair = needed_pair(other)
        return sum_of(self._x * theirs._y, -(self._y * theirs._x))

    def length(self) -> float:
        """The distance from the origin."""
        return _length(self._x, self._y)

    magnitude = length

    def length_squared(self) -> float:
        """The square of the length, without a root."""
        return self._x * self._x + self._y * self._y

    magnitude_squared = length_squared

    def is_normalized(self) -> bool:
        """Whether the length is 1, to a millionth."""
        return abs(self.length_squared() - 1.0) < 1e-6

    def distance_to(self, other: Any) -> float:
        """How far the other point is."""
        theirs: Pair = needed_pair(other)
        return _length(self._x - theirs._x, self._y - theirs._y)

    def distance_squared_to(self, other: Any) -> float:
        """The square of the distance, without a root."""
        theirs: Pair = needed_pair(other)
        x: cython.double = self._x - theirs._x
        y: cython.double = self._y - theirs._y
        return x * x + y * y

    def normalize_ip(self) -> None:
        """Get the length 1; a ValueError for the zero vector, which has no direction."""
        size: cython.double = _size(self, "normalized")
        put(self, self._x / size, self._y / size)

    def scale_to_length(self, length: Any) -> None:
        """Get this length; a ValueError for the zero vector."""
        size: cython.double = _size(self, "scaled")
        times: cython.double = number_of(length) / size
        put(self, self._x * times, self._y * times)

    def rotate_ip(self, angle: Any) -> None:
        """Turn by degrees, from the x axis towards the y axis; quarter turns are exact."""
        turn: cython.double = number_of(angle)
        if turn - turn != 0.0:
            refuse("rotate", turn)
        rest: cython.double = fmod(turn, 360.0)
        if rest < 0.0:
            rest += 360.0
        if rest == 0.0 or rest == 360.0:
            return
        if rest == 90.0:
            put(self, -self._y, self._x)
        elif rest == 180.0:
            put(self, -self._x, -self._y)
        elif rest == 270.0:
            put(self, self._y, -self._x)
        else:
            self.rotate_rad_ip(rest * RADIANS)

    def rotate_rad_ip(self, angle: Any) -> None:
        """Turn by radians, from the x axis towards the y axis."""
        turn: cython.double = number_of(angle)
        if turn - turn != 0.0:
            refuse("rotate_rad", turn)
        sine: cython.double = sin_of(turn)
        cosine: cython.double = cos_of(turn)
        put(self, self._x * cosine - self._y * sine, self._x * sine + self._y * cosine)

    def move_towards_ip(self, target: Any, distance: Any) -> None:
        """Go towards a point, at most this far; a negative distance goes away from it."""
        theirs: Pair = needed_pair(target)
        most: cython.double = number_of(distance)
        x: cython.double = theirs._x - self._x
        y: cython.double = theirs._y - self._y
        size: cython.double = _length(x, y)
        if size == 0.0:
            return
        if size <= most:
            put(self, theirs._x, theirs._y)
        else:
            put(self, self._x + x / size * most, self._y + y / size * most)

    def reflect_ip(self, normal: Any) -> None:
        """Bounce off a surface with this normal."""
        other: Pair = needed_pair(normal)
        size: cython.double = _size(other, "a normal")
        x: cython.double = other._x / size
        y: cython.double = other._y / size
        twice: cython.double = 2.0 * (self._x * x + self._y * y)
        put(self, self._x - twice * x, self._y - twice * y)

    def clamp_magnitude_ip(self, least: Any, most: Any = None) -> None:
        """Get a length from ``least`` to ``most``; with one number, a length of at most that."""
        low: cython.double = 0.0 if most is None else number_of(least)
        high: cython.double = number_of(least if most is None else most)
        if not 0.0 <= low <= high:
            raise ValueError(f"a length is clamped from 0 or more to as much or more, not from {low!r} to {high!r}")
        size: cython.double = _size(self, "clamped")
        if size > high:
            self.scale_to_length(high)
        elif size < low:
            self.scale_to_length(low)

    def normalize(self) -> "Vector2":
        """The vector of length 1 in the same direction."""
        made = self.copy()
        made.normalize_ip()
        return made

    def rotate(self, angle: Any) -> "Vector2":
        """The vector turned by degrees."""
        made = self.copy()
        made.rotate_ip(angle)
        return made

    def rotate_rad(self, angle: Any) -> "Vector2":
        """The vector turned by radians."""
        made = self.copy()
        made.rotate_rad_ip(angle)
        return made

    def move_towards(self, target: Any, distance: Any) -> "Vector2":
        """The point that is at most this far towards the target."""
        made = self.copy()
        made.move_towards_ip(target, distance)
        return made

    def reflect(self, normal: Any) -> "Vector2":
        """The vector bounced off a surface with this normal."""
        made = self.copy()
        made.reflect_ip(normal)
        return made

    def clamp_magnitude(self, least: Any, most: Any = None) -> "Vector2":
        """The vector with a length from ``least`` to ``most``; with one number, of at most that."""
        made = self.copy()
        made.clamp_magnitude_ip(least, most)
        return made

    def project(self, other: Any) -> Any:
        """The part of this vector along another one."""
        theirs: Pair = needed_pair(other)
        square: cython.double = theirs._x * theirs._x + theirs._y * theirs._y
        if square == 0.0:
            raise ValueError(f"{theirs!r} has no direction, so nothing is projected on it")
        times: cython.double = dot_of(self, theirs) / square
        return made_like(self, theirs._x * times, theirs._y * times)

    def lerp(self, other: Any, weight: Any) -> Any:
        """Between this (0) and the other (1)."""
        theirs: Pair = needed_pair(other)
        part: cython.double = number_of(weight)
        if not 0.0 <= part <= 1.0:
            raise ValueError(f"lerp takes a weight from 0 to 1, not {part!r}")
        return made_like(self, self._x * (1.0 - part) + theirs._x * part, self._y * (1.0 - part) + theirs._y * part)

    def angle_to(self, other: Any) -> float:
        """From this direction to the other in degrees, from -360 to 360, as pygame has it."""
        theirs: Pair = needed_pair(other)
        return (atan2_of(theirs._y, theirs._x) - atan2_of(self._y, self._x)) * DEGREES

    def as_polar(self) -> tuple[float, float]:
        """Length, and direction in degrees."""
        return self.length(), atan2_of(self._y, self._x) * DEGREES

    def from_polar(self, polar: Any) -> None:
        """Become the vector of a length and a direction in degrees."""
        given: Pair = needed_pair(polar)
        put(self, given._x, 0.0)
        self.rotate_ip(given._y)


@cython.cfunc
def _length(x: cython.double, y: cython.double) -> cython.double:
    size: cython.double = hypot_of(x, y)
    if size - size != 0.0 and x - x == 0.0 and y - y == 0.0:
        overflow("hypot", x, y)
    return size


@cython.cfunc
def _size(vector: Pair, what: str) -> cython.double:
    """The length of a vector that has a direction."""
    size: cython.double = _length(vector._x, vector._y)
    if size == 0.0:
        raise ValueError(f"a vector of length 0 cannot be {what}: it has no direction")
    return size
