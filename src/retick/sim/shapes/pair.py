"""Two floats that change in place, and the arithmetic of pairs (a compiled kernel)."""
# retick: floats -- only exactly rounded operations in a fixed order; see docs/floats.md

from collections.abc import Iterator
from typing import Any, Self

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from retick.sim.maths.arguments import overflow, refuse
from retick.sim.maths.vec2 import Vec2

if cython.compiled:
    from cython.cimports.retick.sim.shapes.shape import Shape, blank, copied, number_of
else:
    from retick.sim.shapes.shape import Shape, blank, copied, number_of

__all__ = ["Pair", "dot_of", "is_sequence", "made_like", "needed_pair", "pair_of", "put", "sum_of"]


@cython.cclass
class Pair(Shape):
    """Two floats, neither a NaN. Wherever a pair is taken, any sequence of two numbers is."""

    __slots__ = ()

    def __init__(self, x: Any = 0.0, y: Any = None) -> None:
        if not cython.compiled:
            self._w = self._h = 0.0
        self.update(x, y)

    def update(self, x: Any = 0.0, y: Any = None) -> None:
        """Become this vector; takes what the class takes."""
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
        """A copy; written, it takes a pair."""
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


def put(pair: Pair, x: cython.double, y: cython.double) -> cython.int:
    """Write both numbers; a ValueError for a NaN."""
    if x != x or y != y:
        refuse(type(pair).__name__, x, y)
    pair._x = x
    pair._y = y
    return 0


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


def pair_of(value: Any) -> Any:
    """A pair from any sequence of two numbers; None for everything else."""
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


def is_sequence(value: Any) -> cython.bint:
    """Whether a value may stand for a pair or a rectangle: a list, or an object that is like one."""
    if isinstance(value, (int, float, str, bytes, dict)):
        return False
    return isinstance(value, list) or (hasattr(value, "__len__") and hasattr(value, "__iter__"))


def needed_pair(value: Any) -> Pair:
    """A pair from any sequence of two numbers; a TypeError for everything else."""
    pair: Pair = pair_of(value)
    if pair is None:
        raise TypeError(f"a Vector2 or two numbers are needed, not {value!r}")
    return pair


def sum_of(a: cython.double, b: cython.double) -> cython.double:
    """a + b; an OverflowError for two infinities that have no sum."""
    if a + b != a + b:
        overflow("the sum", a, b)
    return a + b


def dot_of(mine: Pair, theirs: Pair) -> cython.double:
    """The dot product."""
    return sum_of(mine._x * theirs._x, mine._y * theirs._y)
