"""Rectangles that change in place, called as pygame's are: Rect of integers, FRect of floats (a compiled kernel).

Both hold floats, in which the 32-bit integers of a Rect are exact. What is written to a Rect is cut to an integer
towards zero, as pygame does it, and halves of it are cut in the same way.
"""
# retick: floats -- only exactly rounded operations in a fixed order; see docs/floats.md

from collections.abc import Iterator
from math import trunc
from typing import Any, Self

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

from retick.sim.maths.arguments import refuse

if cython.compiled:
    from cython.cimports.retick.sim.shapes.pair import Pair, is_sequence, needed_pair
    from cython.cimports.retick.sim.shapes.shape import Shape, blank, copied, number_of
else:
    from retick.sim.shapes.pair import Pair, is_sequence, needed_pair
    from retick.sim.shapes.shape import Shape, blank, copied, number_of

__all__ = ["Box", "FRect", "Rect"]


@cython.cclass
class Edge:
    """An attribute that is one number: the left or upper edge (no halves), the middle (1) or the far edge (2)."""

    if not cython.compiled:
        __slots__ = ("_down", "_halves")
        _down: bool
        _halves: int

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
    """An attribute that is the width, or the height."""

    if not cython.compiled:
        __slots__ = ("_down",)
        _down: bool

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
    """An attribute that is a point: how many halves of the width and of the height it is away from the top left."""

    if not cython.compiled:
        __slots__ = ("_across", "_down")
        _across: int
        _down: int

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
    """What both kinds of rectangle have. Wherever a rectangle is taken, any sequence of four numbers is."""

    __slots__ = ()

    def __init__(self, *rect: Any) -> None:
        self.update(*rect)

    def update(self, *rect: Any) -> None:
        """Become this rectangle: ``x, y, w, h`` or ``(x, y), (w, h)`` or another rectangle."""
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
        """Width and height."""
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
        """Move by a pair or two numbers."""
        step: Pair = needed_pair(by[0] if len(by) == 1 else by)
        _put(self, self._x + _cut(self, step._x), self._y + _cut(self, step._y), self._w, self._h)

    def move(self, *by: Any) -> Self:
        """The rectangle moved by a pair or two numbers."""
        made = self.copy()
        made.move_ip(*by)
        return made

    def inflate_ip(self, *by: Any) -> None:
        """Grow around the middle, by a pair or two numbers."""
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
        """Make negative sizes positive, in the same place."""
        _put(self, min(self._x, self._x + self._w), min(self._y, self._y + self._h), abs(self._w), abs(self._h))

    def clamp_ip(self, *rect: Any) -> None:
        """Move into another rectangle, or to its middle if it is too small."""
        other: Box = _box(rect)
        x: cython.double = _clamped(self, self._x, self._w, other._x, other._w)
        _put(self, x, _clamped(self, self._y, self._h, other._y, other._h), self._w, self._h)

    def clamp(self, *rect: Any) -> Self:
        """The rectangle moved into another one."""
        made = self.copy()
        made.clamp_ip(*rect)
        return made

    def union_ip(self, *rect: Any) -> None:
        """Grow until the other rectangle is inside."""
        other: Box = _box(rect)
        x: cython.double = min(self._x, other._x)
        y: cython.double = min(self._y, other._y)
        w: cython.double = max(self._x + self._w, other._x + other._w) - x
        _put(self, x, y, w, max(self._y + self._h, other._y + other._h) - y)

    def union(self, *rect: Any) -> Self:
        """The smallest rectangle around both."""
        made = self.copy()
        made.union_ip(*rect)
        return made

    def clip(self, *rect: Any) -> Self:
        """What both have in common; of size 0 if there is nothing."""
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
        """Whether a point is inside: the left and upper edges are, the others are not."""
        at: Pair = needed_pair(point[0] if len(point) == 1 else point)
        x: cython.double = _cut(self, at._x)
        y: cython.double = _cut(self, at._y)
        return self._x <= x < self._x + self._w and self._y <= y < self._y + self._h

    def colliderect(self, *rect: Any) -> bool:
        """Whether the two overlap; touching edges do not."""
        return bool(_overlap(self, _box(rect)))

    def collidelist(self, rects: Any) -> int:
        """The index of the first rectangle that overlaps; -1 if none does."""
        for index, rect in enumerate(rects):
            if _overlap(self, _box(rect)):
                return index
        return -1

    def collidelistall(self, rects: Any) -> list[int]:
        """The indices of all rectangles that overlap."""
        return [index for index, rect in enumerate(rects) if _overlap(self, _box(rect))]


@cython.cclass
class FRect(Box):
    """A rectangle of floats: ``FRect(x, y, w, h)``. pygame's has 32 bits a number, this one 64."""

    __slots__ = ()


@cython.cclass
class Rect(Box):
    """A rectangle of 32-bit integers: ``Rect(x, y, w, h)``."""

    __slots__ = ()


@cython.cfunc
def _cut(box: Box, value: cython.double) -> cython.double:
    """A number as a rectangle holds it: of a Rect, an integer of 32 bits."""
    if not isinstance(box, Rect):
        return value
    if not -2147483649.0 < value < 2147483648.0:
        raise OverflowError(f"{value!r} does not fit into a Rect (-2147483648 to 2147483647)")
    whole: cython.longlong = trunc(value) if not cython.compiled else cython.cast(cython.longlong, value)
    return float(whole)


@cython.cfunc
def _part(box: Box, size: cython.double, halves: cython.int) -> cython.double:
    """So many halves of a size."""
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


@cython.cfunc
def _box_of(value: Any) -> Box:
    """A rectangle from any sequence of four numbers, or of two pairs; None for everything else."""
    if isinstance(value, Box):
        return value
    if not isinstance(value, tuple):
        if not is_sequence(value):
            rect = getattr(value, "rect", None)
            return None if rect is None else _box_of(rect)  # type: ignore[return-value]  # callers look
        value = tuple(value)
    if len(value) == 1:
        return _box_of(value[0])
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
