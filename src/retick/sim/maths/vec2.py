"""A vector in the plane, as a value (a compiled kernel)."""

from collections.abc import Iterator
from typing import Any, NoReturn

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from retick.sim.maths.arguments import as_float, overflow, refuse

if cython.compiled:
    from cython.cimports.retick.sim.maths.circular import cos_of, sin_of
    from cython.cimports.retick.sim.maths.inverse import atan2_of
    from cython.cimports.retick.sim.maths.roots import hypot_of
else:
    from retick.sim.maths.circular import cos_of, sin_of
    from retick.sim.maths.inverse import atan2_of
    from retick.sim.maths.roots import hypot_of

__all__ = ["Vec2"]


@cython.cclass
class Vec2:
    """Two floats, neither a NaN. It never changes: each operation makes a new one."""

    if not cython.compiled:
        __slots__ = ("x", "y")
        x: float
        y: float

    def __init__(self, x: Any, y: Any) -> None:
        along: cython.double = x if type(x) is float else as_float(x, "Vec2")
        above: cython.double = y if type(y) is float else as_float(y, "Vec2")
        _fill(self, along, above)

    @staticmethod
    def polar(length: Any, angle: Any) -> "Vec2":
        """The vector of a length in a direction, in radians."""
        size: cython.double = length if type(length) is float else as_float(length, "Vec2.polar")
        turn: cython.double = angle if type(angle) is float else as_float(angle, "Vec2.polar")
        if turn - turn != 0.0:
            refuse("Vec2.polar", size, turn)
        return _made(size * cos_of(turn), size * sin_of(turn))

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"a Vec2 does not change, so {name} cannot be set: make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Vec2 does not change, so {name} cannot be deleted")

    def __add__(self, other: object) -> "Vec2":
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return _made(mine.x + theirs.x, mine.y + theirs.y)

    def __sub__(self, other: object) -> "Vec2":
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return _made(mine.x - theirs.x, mine.y - theirs.y)

    def __mul__(self, factor: object) -> "Vec2":
        if not isinstance(factor, (int, float)):
            return NotImplemented
        mine: Vec2 = self
        times: cython.double = factor if type(factor) is float else as_float(factor, "Vec2")
        return _made(mine.x * times, mine.y * times)

    def __rmul__(self, factor: object) -> "Vec2":
        return self.__mul__(factor)

    def __truediv__(self, divisor: object) -> "Vec2":
        if not isinstance(divisor, (int, float)):
            return NotImplemented
        mine: Vec2 = self
        by: cython.double = divisor if type(divisor) is float else as_float(divisor, "Vec2")
        if by == 0.0:
            raise ZeroDivisionError(f"{self!r} divided by zero")
        return _made(mine.x / by, mine.y / by)

    def __neg__(self) -> "Vec2":
        return _made(-self.x, -self.y)

    def dot(self, other: Any) -> float:
        """The dot product: 0 for a right angle, positive below it."""
        theirs: Vec2 = _vector(other, "dot")
        return _sum(self.x * theirs.x, self.y * theirs.y)

    def cross(self, other: Any) -> float:
        """The cross product: positive if the other vector is to the left of this one, where y points up."""
        theirs: Vec2 = _vector(other, "cross")
        return _sum(self.x * theirs.y, -(self.y * theirs.x))

    def length(self) -> float:
        """The distance from the origin."""
        size: cython.double = hypot_of(self.x, self.y)
        if size - size != 0.0 and self.x - self.x == 0.0 and self.y - self.y == 0.0:
            overflow("hypot", self.x, self.y)
        return size

    def angle(self) -> float:
        """The direction in radians, from -pi to pi; 0 for the zero vector."""
        return atan2_of(self.y, self.x)

    def normalised(self) -> "Vec2":
        """The vector of length 1 in the same direction; a ZeroDivisionError for the zero vector, which has none."""
        size: cython.double = hypot_of(self.x, self.y)
        if size == 0.0:
            raise ZeroDivisionError(f"{self!r} has no direction")
        if size - size != 0.0:
            overflow("hypot", self.x, self.y)
        return _made(self.x / size, self.y / size)

    def rotated(self, angle: Any) -> "Vec2":
        """The vector turned by an angle in radians, from the x axis towards the y axis."""
        turn: cython.double = angle if type(angle) is float else as_float(angle, "rotated")
        if turn - turn != 0.0:
            refuse("rotated", turn)
        sine: cython.double = sin_of(turn)
        cosine: cython.double = cos_of(turn)
        return _made(self.x * cosine - self.y * sine, self.x * sine + self.y * cosine)

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return mine.x == theirs.x and mine.y == theirs.y

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"Vec2({self.x!r}, {self.y!r})"

    def __reduce__(self) -> Any:
        return Vec2, (self.x, self.y)


@cython.cfunc
def _fill(vector: Vec2, x: cython.double, y: cython.double) -> Vec2:
    if x != x or y != y:
        refuse("Vec2", x, y)
    if cython.compiled:
        vector.x = x
        vector.y = y
    else:
        object.__setattr__(vector, "x", x)
        object.__setattr__(vector, "y", y)
    return vector


@cython.cfunc
def _made(x: cython.double, y: cython.double) -> Vec2:
    return _fill(Vec2.__new__(Vec2), x, y)


@cython.cfunc
def _vector(other: Any, method: str) -> Vec2:
    if not isinstance(other, Vec2):
        raise TypeError(f"Vec2.{method}() takes a Vec2, not {other!r}")
    return other


@cython.cfunc
def _sum(a: cython.double, b: cython.double) -> float:
    """a + b; an OverflowError for two infinities that have no sum."""
    if a + b != a + b:
        overflow("the sum", a, b)
    return a + b
