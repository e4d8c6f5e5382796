"""Vectors and rectangles that change in place, with pygame's method names and the same bits on every machine.

Contents: what vectors and rectangles are made of; two floats that change in place; a vector in the plane; rectangles.

Knows no game and no pygame: where pygame wants a pair or a rectangle, it takes any sequence of two or four numbers.
"""

from collections.abc import Iterator
from math import pi, trunc
from typing import Any, Self

from retick.sim.maths.kernel import Vec2, as_float, overflow, refuse

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.object import PyObject, PyTypeObject
    from cython.cimports.libc.math import fmod
    from cython.cimports.retick.sim.maths.kernel import atan2_of, cos_of, hypot_of, sin_of
else:
    from math import fmod

    from retick.sim.maths.kernel import atan2_of, cos_of, hypot_of, sin_of

# What vectors and rectangles are made of: up to four floats that change in place.

# retick: floats -- they are kept as their bits; only exact operations are done with them


@cython.cclass
class Shape:
    """Four floats, never NaN. A vector uses the first two; a rectangle of integers holds whole numbers."""

    if not cython.compiled:
        __slots__ = ("_h", "_w", "_x", "_y")

    _x: cython.double
    _y: cython.double
    _w: cython.double
    _h: cython.double


@cython.ccall
def blank(cls: Any) -> Any:
    """A new shape of a class, with all numbers zero."""
    if cython.compiled:
        # Does what cls.__new__(cls) does without looking it up: C memory starts as zeros. The arguments are never NULL,
        # since the code that Cython generates may look at them.
        nothing: tuple[()] = ()
        return cython.cast(cython.pointer(PyTypeObject), cls).tp_new(
            cls, cython.cast(cython.pointer(PyObject), nothing), cython.NULL
        )
    made: Shape = cls.__new__(cls)
    made._x = made._y = made._w = made._h = 0.0
    return made


@cython.ccall
def copied(shape: Shape) -> Shape:
    """A new shape of the same class with the same numbers."""
    made: Shape = blank(type(shape))
    made._x = shape._x
    made._y = shape._y
    made._w = shape._w
    made._h = shape._h
    return made


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def number_of(value: Any) -> cython.double:
    """A float or an int as a float; raises TypeError for anything else."""
    if isinstance(value, (int, float)):
        return float(value)
    return as_float(value, "a shape")


# Two floats that change in place, and the arithmetic of pairs.

# retick: floats -- only exactly rounded operations in a fixed order; see docs/concepts/floats.md


@cython.cclass
class Pair(Shape):
    """Two floats, never NaN. Every method that takes a pair accepts any sequence of two numbers."""

    __slots__ = ()

    def __init__(self, x: Any = 0.0, y: Any = None) -> None:
        if not cython.compiled:
            self._w = self._h = 0.0
        self.update(x, y)

    def update(self, x: Any = 0.0, y: Any = None) -> None:
        """Set both numbers; takes the same arguments as the class."""
        if y is not None:
            put(self, number_of(x), number_of(y))
        elif isinstance(x, (int, float)):
            put(self, number_of(x), number_of(x))
        else:
            other: Pair = needed_pair(x)
            put(self, other._x, other._y)

    @property
    def x(self) -> float:
        return self._x

    @x.setter
    def x(self, value: Any) -> None:
        put(self, number_of(value), self._y)

    @property
    def y(self) -> float:
        return self._y

    @y.setter
    def y(self, value: Any) -> None:
        put(self, self._x, number_of(value))

    @property
    def xy(self) -> Self:
        """A copy as a pair; assign any pair to set both numbers."""
        return self.copy()

    @xy.setter
    def xy(self, value: Any) -> None:
        self.update(value)

    def copy(self) -> Self:
        """A new vector with the same numbers."""
        return copied(self)  # type: ignore[return-value]  # of the same class

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> Self:
        return self.copy()

    def __reduce__(self) -> Any:
        return type(self), (self._x, self._y)

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[float]:
        return iter((self._x, self._y))

    def __getitem__(self, index: Any) -> Any:
        return [self._x, self._y][index]

    def __setitem__(self, index: Any, value: Any) -> None:
        numbers = [self._x, self._y]
        numbers[index] = value
        self.update(numbers)

    def __bool__(self) -> bool:
        return self._x != 0.0 or self._y != 0.0

    def __eq__(self, other: object) -> bool:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        mine: Pair = self
        return mine._x == theirs._x and mine._y == theirs._y

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._x!r}, {self._y!r})"

    def __add__(self, other: object) -> Any:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        mine: Pair = self
        return made_like(self, mine._x + theirs._x, mine._y + theirs._y)

    def __radd__(self, other: object) -> Any:
        return self.__add__(other)

    def __iadd__(self, other: object) -> Self:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        put(self, self._x + theirs._x, self._y + theirs._y)
        return self

    def __sub__(self, other: object) -> Any:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        mine: Pair = self
        return made_like(self, mine._x - theirs._x, mine._y - theirs._y)

    def __rsub__(self, other: object) -> Any:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        mine: Pair = self
        return made_like(self, theirs._x - mine._x, theirs._y - mine._y)

    def __isub__(self, other: object) -> Self:
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        put(self, self._x - theirs._x, self._y - theirs._y)
        return self

    def __mul__(self, other: object) -> Any:
        mine: Pair = self
        if isinstance(other, (int, float)):
            times: cython.double = number_of(other)
            return made_like(self, mine._x * times, mine._y * times)
        theirs: Pair = pair_of(other)
        if theirs is None:
            return NotImplemented
        return dot_of(mine, theirs)

    def __rmul__(self, other: object) -> Any:
        return self.__mul__(other)

    def __imul__(self, other: object) -> Self:
        if not isinstance(other, (int, float)):
            return NotImplemented
        times: cython.double = number_of(other)
        put(self, self._x * times, self._y * times)
        return self

    def __truediv__(self, other: object) -> Any:
        if not isinstance(other, (int, float)):
            return NotImplemented
        mine: Pair = self
        by: cython.double = _divisor(mine, other)
        return made_like(self, mine._x / by, mine._y / by)

    def __itruediv__(self, other: object) -> Self:
        if not isinstance(other, (int, float)):
            return NotImplemented
        by: cython.double = _divisor(self, other)
        put(self, self._x / by, self._y / by)
        return self

    def __neg__(self) -> Any:
        return made_like(self, -self._x, -self._y)

    def __pos__(self) -> Self:
        return self.copy()


@cython.cfunc
@cython.exceptval(-1, check=False)
def put(pair: Pair, x: cython.double, y: cython.double) -> cython.int:
    """Set both numbers; raises ValueError for a NaN."""
    if x != x or y != y:
        refuse(type(pair).__name__, x, y)
    pair._x = x
    pair._y = y
    return 0


@cython.cfunc
def made_like(like: Pair, x: cython.double, y: cython.double) -> Any:
    """A new pair of the same class."""
    made: Pair = blank(type(like))
    put(made, x, y)
    return made


@cython.cfunc
def _divisor(pair: Pair, value: Any) -> cython.double:
    by: cython.double = number_of(value)
    if by == 0.0:
        raise ZeroDivisionError(f"{pair!r} divided by zero")
    return by


@cython.cfunc
def pair_of(value: Any) -> Any:
    """A pair from any sequence of two numbers; None for anything else."""
    if isinstance(value, Pair):
        return value
    if not isinstance(value, tuple):
        if not is_sequence(value) and not isinstance(value, Vec2):
            return None
        value = tuple(value)
    if len(value) != 2:
        return None
    x, y = value
    if not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
        return None
    made: Pair = blank(Pair)
    put(made, number_of(x), number_of(y))
    return made


@cython.cfunc
@cython.exceptval(-1, check=False)
def is_sequence(value: Any) -> cython.bint:
    """Whether a value may stand for a pair or a rectangle: a list, or an object that behaves like one."""
    if isinstance(value, (int, float, str, bytes, dict)):
        return False
    return isinstance(value, list) or (hasattr(value, "__len__") and hasattr(value, "__iter__"))


@cython.cfunc
def needed_pair(value: Any) -> Pair:
    """A pair from any sequence of two numbers; raises TypeError for anything else."""
    pair: Pair = pair_of(value)
    if pair is None:
        raise TypeError(f"a Vector2 or two numbers are needed, not {value!r}")
    return pair


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def sum_of(a: cython.double, b: cython.double) -> cython.double:
    """a + b; raises OverflowError for two infinities that have no sum."""
    if a + b != a + b:
        overflow("the sum", a, b)
    return a + b


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def dot_of(mine: Pair, theirs: Pair) -> cython.double:
    """The dot product of two pairs."""
    return sum_of(mine._x * theirs._x, mine._y * theirs._y)


# A vector in the plane that changes in place, with the method names of pygame's Vector2.
#
# Angles are in degrees, except where a name ends in ``rad``. Everything is computed with exactly rounded operations and
# the functions of ``retick.sim.maths``, so that the bits are the same on every machine. ``==`` is exact.

# retick: floats -- only exactly rounded operations in a fixed order; see docs/concepts/floats.md


DEGREES = cython.declare(cython.double, 180.0 / pi)
RADIANS = cython.declare(cython.double, pi / 180.0)


@cython.cclass
class Vector2(Pair):
    """Two floats, never NaN: ``Vector2(x, y)``, ``Vector2((x, y))`` or ``Vector2()``.

    Every method that takes a vector accepts any sequence of two numbers.
    """

    __slots__ = ()

    def dot(self, other: Any) -> float:
        """The dot product: 0 for a right angle, positive below it."""
        return dot_of(self, needed_pair(other))

    def cross(self, other: Any) -> float:
        """The cross product: positive if the other vector lies in the direction from the x axis towards the y axis."""
        theirs: Pair = needed_pair(other)
        return sum_of(self._x * theirs._y, -(self._y * theirs._x))

    def length(self) -> float:
        """The length of the vector."""
        return _length(self._x, self._y)

    magnitude = length

    def length_squared(self) -> float:
        """The square of the length; avoids the square root."""
        return self._x * self._x + self._y * self._y

    magnitude_squared = length_squared

    def is_normalized(self) -> bool:
        """Whether the length is 1, to a millionth."""
        return abs(self.length_squared() - 1.0) < 1e-6

    def distance_to(self, other: Any) -> float:
        """The distance to the other point."""
        theirs: Pair = needed_pair(other)
        return _length(self._x - theirs._x, self._y - theirs._y)

    def distance_squared_to(self, other: Any) -> float:
        """The square of the distance; avoids the square root."""
        theirs: Pair = needed_pair(other)
        x: cython.double = self._x - theirs._x
        y: cython.double = self._y - theirs._y
        return x * x + y * y

    def normalize_ip(self) -> None:
        """Scale to length 1; raises ValueError for the zero vector, which has no direction."""
        size: cython.double = _size(self, "normalized")
        put(self, self._x / size, self._y / size)

    def scale_to_length(self, length: Any) -> None:
        """Scale to this length; raises ValueError for the zero vector."""
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
        """Move towards a point by at most this distance; a negative distance moves away from it."""
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
        """Scale to a length from ``least`` to ``most``; with one number, to at most that."""
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
        """The point at most this distance away, towards the target."""
        made = self.copy()
        made.move_towards_ip(target, distance)
        return made

    def reflect(self, normal: Any) -> "Vector2":
        """The vector bounced off a surface with this normal."""
        made = self.copy()
        made.reflect_ip(normal)
        return made

    def clamp_magnitude(self, least: Any, most: Any = None) -> "Vector2":
        """The vector scaled to a length from ``least`` to ``most``; with one number, to at most that."""
        made = self.copy()
        made.clamp_magnitude_ip(least, most)
        return made

    def project(self, other: Any) -> Any:
        """The projection of this vector onto another."""
        theirs: Pair = needed_pair(other)
        square: cython.double = theirs._x * theirs._x + theirs._y * theirs._y
        if square == 0.0:
            raise ValueError(f"{theirs!r} has no direction, so nothing is projected on it")
        times: cython.double = dot_of(self, theirs) / square
        return made_like(self, theirs._x * times, theirs._y * times)

    def lerp(self, other: Any, weight: Any) -> Any:
        """Interpolate between this vector (0) and the other (1)."""
        theirs: Pair = needed_pair(other)
        part: cython.double = number_of(weight)
        if not 0.0 <= part <= 1.0:
            raise ValueError(f"lerp takes a weight from 0 to 1, not {part!r}")
        return made_like(self, self._x * (1.0 - part) + theirs._x * part, self._y * (1.0 - part) + theirs._y * part)

    def angle_to(self, other: Any) -> float:
        """The turn from this direction to the other in degrees, from -360 to 360, as pygame has it."""
        theirs: Pair = needed_pair(other)
        return (atan2_of(theirs._y, theirs._x) - atan2_of(self._y, self._x)) * DEGREES

    def as_polar(self) -> tuple[float, float]:
        """The length, and the direction in degrees."""
        return self.length(), atan2_of(self._y, self._x) * DEGREES

    def from_polar(self, polar: Any) -> None:
        """Set this vector from a length and a direction in degrees."""
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
    """The length of a vector; raises ValueError if it is 0, because then there is no direction."""
    size: cython.double = _length(vector._x, vector._y)
    if size == 0.0:
        raise ValueError(f"a vector of length 0 cannot be {what}: it has no direction")
    return size


# Rectangles that change in place, with pygame's method names: Rect of integers, FRect of floats.
#
# Both hold floats, in which the 32-bit integers of a Rect are exact. A value written to a Rect is truncated towards
# zero, as pygame does it, and so are its halves.

# retick: floats -- only exactly rounded operations in a fixed order; see docs/concepts/floats.md


@cython.cclass
class Edge:
    """An attribute that is one coordinate: the left or top edge (0 halves), the middle (1) or the far edge (2)."""

    if not cython.compiled:
        __slots__ = ("_down", "_halves")

    _down: cython.bint
    _halves: cython.int

    def __init__(self, down: Any, halves: Any) -> None:
        self._down = down
        self._halves = halves

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        box: Box = thing
        if self._down:
            return _shown(box, box._y + _part(box, box._h, self._halves))
        return _shown(box, box._x + _part(box, box._w, self._halves))

    def __set__(self, thing: Any, value: Any) -> None:
        box: Box = thing
        to: cython.double = _cut(box, number_of(value))
        if self._down:
            _put(box, box._x, to - _part(box, box._h, self._halves), box._w, box._h)
        else:
            _put(box, to - _part(box, box._w, self._halves), box._y, box._w, box._h)


@cython.cclass
class Extent:
    """An attribute that is the width or the height."""

    if not cython.compiled:
        __slots__ = ("_down",)

    _down: cython.bint

    def __init__(self, down: Any) -> None:
        self._down = down

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        box: Box = thing
        return _shown(box, box._h if self._down else box._w)

    def __set__(self, thing: Any, value: Any) -> None:
        box: Box = thing
        size: cython.double = number_of(value)
        _put(box, box._x, box._y, box._w if self._down else size, size if self._down else box._h)


@cython.cclass
class Corner:
    """An attribute that is a point: how many halves of the width and of the height it lies from the top left."""

    if not cython.compiled:
        __slots__ = ("_across", "_down")

    _across: cython.int
    _down: cython.int

    def __init__(self, across: Any, down: Any) -> None:
        self._across = across
        self._down = down

    def __get__(self, thing: Any, owner: Any) -> Any:
        if thing is None:
            return self
        box: Box = thing
        x: cython.double = box._x + _part(box, box._w, self._across)
        return _shown(box, x), _shown(box, box._y + _part(box, box._h, self._down))

    def __set__(self, thing: Any, value: Any) -> None:
        box: Box = thing
        to: Pair = needed_pair(value)
        x: cython.double = _cut(box, to._x) - _part(box, box._w, self._across)
        _put(box, x, _cut(box, to._y) - _part(box, box._h, self._down), box._w, box._h)


@cython.cclass
class Box(Shape):
    """What both kinds of rectangle share. Methods that take a rectangle accept any sequence of four numbers."""

    __slots__ = ()

    def __init__(self, *rect: Any) -> None:
        self.update(*rect)

    def update(self, *rect: Any) -> None:
        """Set this rectangle: ``x, y, w, h`` or ``(x, y), (w, h)`` or another rectangle."""
        if rect:
            other: Box = _box(rect)
            _put(self, other._x, other._y, other._w, other._h)
        else:
            _put(self, 0.0, 0.0, 0.0, 0.0)

    x = left = Edge(False, 0)
    y = top = Edge(True, 0)
    centerx, centery = Edge(False, 1), Edge(True, 1)
    w = width = Extent(False)
    h = height = Extent(True)
    right, bottom = Edge(False, 2), Edge(True, 2)
    topleft, midtop, topright = Corner(0, 0), Corner(1, 0), Corner(2, 0)
    midleft, center, midright = Corner(0, 1), Corner(1, 1), Corner(2, 1)
    bottomleft, midbottom, bottomright = Corner(0, 2), Corner(1, 2), Corner(2, 2)

    @property
    def size(self) -> tuple[Any, Any]:
        """The width and the height."""
        return _shown(self, self._w), _shown(self, self._h)

    @size.setter
    def size(self, value: Any) -> None:
        to: Pair = needed_pair(value)
        _put(self, self._x, self._y, to._x, to._y)

    def copy(self) -> Self:
        """A new rectangle with the same numbers."""
        return copied(self)  # type: ignore[return-value]  # of the same class

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> Self:
        return self.copy()

    def __reduce__(self) -> Any:
        return type(self), tuple(self)

    def __len__(self) -> int:
        return 4

    def __iter__(self) -> Iterator[Any]:
        return iter((_shown(self, self._x), _shown(self, self._y), _shown(self, self._w), _shown(self, self._h)))

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        numbers = list(self)
        numbers[index] = value
        self.update(numbers)

    def __bool__(self) -> bool:
        return self._w != 0.0 and self._h != 0.0

    def __eq__(self, other: object) -> bool:
        theirs: Box = _box_of(other)
        if theirs is None:
            return NotImplemented
        mine: Box = self
        return mine._x == theirs._x and mine._y == theirs._y and mine._w == theirs._w and mine._h == theirs._h

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self))})"

    def move_ip(self, *by: Any) -> None:
        """Move in place, by a pair or two numbers."""
        step: Pair = needed_pair(by[0] if len(by) == 1 else by)
        _put(self, self._x + _cut(self, step._x), self._y + _cut(self, step._y), self._w, self._h)

    def move(self, *by: Any) -> Self:
        """The rectangle moved by a pair or two numbers."""
        made = self.copy()
        made.move_ip(*by)
        return made

    def inflate_ip(self, *by: Any) -> None:
        """Grow around the middle in place, by a pair or two numbers."""
        more: Pair = needed_pair(by[0] if len(by) == 1 else by)
        w: cython.double = _cut(self, more._x)
        h: cython.double = _cut(self, more._y)
        _put(self, self._x - _part(self, w, 1), self._y - _part(self, h, 1), self._w + w, self._h + h)

    def inflate(self, *by: Any) -> Self:
        """The rectangle grown around its middle."""
        made = self.copy()
        made.inflate_ip(*by)
        return made

    def normalize(self) -> None:
        """Make negative sizes positive; the rectangle covers the same area."""
        _put(self, min(self._x, self._x + self._w), min(self._y, self._y + self._h), abs(self._w), abs(self._h))

    def clamp_ip(self, *rect: Any) -> None:
        """Move inside another rectangle; if that is too small, to its middle."""
        other: Box = _box(rect)
        x: cython.double = _clamped(self, self._x, self._w, other._x, other._w)
        _put(self, x, _clamped(self, self._y, self._h, other._y, other._h), self._w, self._h)

    def clamp(self, *rect: Any) -> Self:
        """The rectangle moved inside another one."""
        made = self.copy()
        made.clamp_ip(*rect)
        return made

    def union_ip(self, *rect: Any) -> None:
        """Grow in place until the other rectangle is inside."""
        other: Box = _box(rect)
        x: cython.double = min(self._x, other._x)
        y: cython.double = min(self._y, other._y)
        w: cython.double = max(self._x + self._w, other._x + other._w) - x
        _put(self, x, y, w, max(self._y + self._h, other._y + other._h) - y)

    def union(self, *rect: Any) -> Self:
        """The smallest rectangle that contains both."""
        made = self.copy()
        made.union_ip(*rect)
        return made

    def clip(self, *rect: Any) -> Self:
        """The overlap of both; of size 0 if there is none."""
        other: Box = _box(rect)
        made = self.copy()
        x: cython.double = max(self._x, other._x)
        y: cython.double = max(self._y, other._y)
        w: cython.double = min(self._x + self._w, other._x + other._w) - x
        h: cython.double = min(self._y + self._h, other._y + other._h) - y
        if w <= 0.0 or h <= 0.0:
            made.size = (0, 0)
        else:
            _put(made, x, y, w, h)
        return made

    def contains(self, *rect: Any) -> bool:
        """Whether the other rectangle is wholly inside."""
        other: Box = _box(rect)
        across: cython.bint = self._x <= other._x and self._x + self._w >= other._x + other._w
        down: cython.bint = self._y <= other._y and self._y + self._h >= other._y + other._h
        begins: cython.bint = self._x + self._w > other._x and self._y + self._h > other._y
        return bool(across and down and begins)

    def collidepoint(self, *point: Any) -> bool:
        """Whether a point is inside: the left and top edges count, the others do not."""
        at: Pair = needed_pair(point[0] if len(point) == 1 else point)
        x: cython.double = _cut(self, at._x)
        y: cython.double = _cut(self, at._y)
        return self._x <= x < self._x + self._w and self._y <= y < self._y + self._h

    def colliderect(self, *rect: Any) -> bool:
        """Whether the two rectangles overlap; touching edges do not count."""
        return bool(_overlap(self, _box(rect)))

    def collidelist(self, rects: Any) -> int:
        """The index of the first rectangle that overlaps this one; -1 if none does."""
        for index, rect in enumerate(rects):
            if _overlap(self, _box(rect)):
                return index
        return -1

    def collidelistall(self, rects: Any) -> list[int]:
        """The indices of all rectangles that overlap this one."""
        return [index for index, rect in enumerate(rects) if _overlap(self, _box(rect))]


@cython.cclass
class FRect(Box):
    """A rectangle of floats: ``FRect(x, y, w, h)``. pygame uses 32 bits per number, this class 64."""

    __slots__ = ()


@cython.cclass
class Rect(Box):
    """A rectangle of 32-bit integers: ``Rect(x, y, w, h)``."""

    __slots__ = ()


@cython.cfunc
def _cut(box: Box, value: cython.double) -> cython.double:
    """Truncate a number as the rectangle stores it: in a Rect, to a 32-bit integer."""
    if not isinstance(box, Rect):
        return value
    if not -2147483649.0 < value < 2147483648.0:
        raise OverflowError(f"{value!r} does not fit into a Rect (-2147483648 to 2147483647)")
    whole: cython.longlong = trunc(value) if not cython.compiled else cython.cast(cython.longlong, value)
    return float(whole)


@cython.cfunc
def _part(box: Box, size: cython.double, halves: cython.int) -> cython.double:
    """A number of halves of a size."""
    if halves == 1:
        return _cut(box, size / 2.0)
    return size if halves else 0.0


@cython.cfunc
def _shown(box: Box, value: cython.double) -> Any:
    return int(value) if isinstance(box, Rect) else value


@cython.cfunc
def _put(box: Box, x: cython.double, y: cython.double, w: cython.double, h: cython.double) -> cython.int:
    if x != x or y != y or w != w or h != h:
        refuse(type(box).__name__, x, y, w, h)
    x, y, w, h = _cut(box, x), _cut(box, y), _cut(box, w), _cut(box, h)
    box._x = x
    box._y = y
    box._w = w
    box._h = h
    return 0


if not cython.compiled:
    MOST_WRAPPED = 8  # C constant: how many sequences of one, or objects with a rect, may stand around a rectangle


@cython.cfunc
def _box_of(value: Any, depth: cython.int = 0) -> Box:
    """A rectangle from any sequence of four numbers, or of two pairs; None for anything else."""
    if isinstance(value, Box):
        return value
    if depth > MOST_WRAPPED:
        return None  # type: ignore[return-value]  # callers look; a value may be its own ``rect``, or its only item
    if not isinstance(value, tuple):
        if not is_sequence(value):
            rect = getattr(value, "rect", None)
            return None if rect is None else _box_of(rect, depth + 1)  # type: ignore[return-value]  # as above
        value = tuple(value)
    if len(value) == 1:
        return _box_of(value[0], depth + 1)
    if len(value) == 2:
        value = (*needed_pair(value[0]), *needed_pair(value[1]))
    if len(value) != 4:
        return None  # type: ignore[return-value]  # as above
    for number in value:
        if not isinstance(number, (int, float)):
            return None  # type: ignore[return-value]  # as above
    made: Box = blank(FRect)
    _put(made, number_of(value[0]), number_of(value[1]), number_of(value[2]), number_of(value[3]))
    return made


@cython.cfunc
def _box(given: Any) -> Box:
    box: Box = _box_of(given)
    if box is None:
        raise TypeError(f"a Rect or four numbers are needed, not {given!r}")
    return box


@cython.cfunc
def _clamped(
    box: Box, at: cython.double, size: cython.double, low: cython.double, room: cython.double
) -> cython.double:
    if size >= room:
        return low + _part(box, room, 1) - _part(box, size, 1)
    if at < low:
        return low
    return low + room - size if at + size > low + room else at


@cython.cfunc
def _overlap(a: Box, b: Box) -> cython.bint:
    if a._w == 0.0 or a._h == 0.0 or b._w == 0.0 or b._h == 0.0:
        return False
    return (
        min(a._x, a._x + a._w) < max(b._x, b._x + b._w)
        and min(b._x, b._x + b._w) < max(a._x, a._x + a._w)
        and min(a._y, a._y + a._h) < max(b._y, b._y + b._h)
        and min(b._y, b._y + b._h) < max(a._y, a._y + a._h)
    )
