# cython: nonecheck=True
"""The things of a world: objects with typed fields over a row of slots (a compiled kernel).

Theory of operation. A class of things has one :class:`Plan`. Each of its objects is a :class:`Cell`: a row of 64-bit
slots for its numbers, and a list of parts for what is no number (a thing inside of it, a list, a vector, a cache).
Compiled, a row is C memory, and saving copies it; uncompiled it is a Python list of ints and floats. The descriptors
of ``attributes`` read and write one field each.

A cell is *settled* when it is in the world: in a list of it, or a field of something settled. Items of lists get their
ids from the world when they settle. A cell is in one place only: its owner is the list or the cell that holds it.

A world can be shut: from then on only a load changes it. Every write compares its slot with the number of slots that
are open to it, all of them or -1. So a write costs the same whether or not worlds can be shut.
"""

from typing import Any

from retick.sim.world.advice import advice_on_value

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Free
    from cython.cimports.cpython.object import PyObject_GenericSetAttr
else:
    # What a field holds. Up to MEMBER these are scalars.
    NUMBER, WIDE, TRUTH, REAL, MEMBER, LINK, PART, ITEMS, VALUES, CACHE, SHAPE, TEXT = range(12)
    LAST_ID = 0xFFFFFFFF

IS_COMPILED = bool(cython.compiled)
"""Whether rows are C memory."""

__all__ = ["IS_COMPILED", "Cell", "FieldPlan", "Plan", "Root"]


@cython.cclass
class Plan:
    """What is derived from the declaration of one class of things."""

    if not cython.compiled:
        kind: Any
        name: Any
        fields: tuple[Any, ...]
        runs: tuple[Any, ...]
        slots: int
        parts: int
        blank: Any
        has_links: bool

    def __init__(self, kind: Any, fields: Any, runs: Any, slots: Any, parts: Any, blank: Any) -> None:
        """``blank``: the row that a new object starts with, packed in 8 bytes a slot; uncompiled, a list."""
        self.kind = kind
        self.name = kind.__name__
        self.fields = tuple(fields)
        self.runs = tuple(runs)
        self.slots = slots
        self.parts = parts
        self.blank = blank
        self.has_links = any(field.code == LINK for field in fields)


@cython.cclass
class FieldPlan:
    """Where one declared field is held, and what it may hold."""

    if not cython.compiled:
        owner: Any
        name: Any
        code: int
        slot: int
        part: int
        optional: bool
        least: int
        greatest: int
        kind: Any
        plan: Any
        target: Any
        most: int
        default: Any
        make_list: Any

    def __init__(
        self,
        owner: Any,
        name: Any,
        code: Any,
        *,
        slot: Any = -1,
        part: Any = -1,
        optional: Any = False,
        kind: Any = None,
        plan: Any = None,
        target: Any = None,
        most: Any = 0,
        default: Any = None,
        make_list: Any = None,
    ) -> None:
        self.owner = owner
        self.name = name
        self.code = code
        self.slot = slot
        self.part = part
        self.optional = optional
        self.kind = kind
        self.plan = plan
        self.target = target
        self.most = most
        self.default = default
        self.make_list = make_list
        self.least = self.greatest = 0
        if code <= MEMBER and code != WIDE:
            self.least, self.greatest = kind.least, kind.greatest

    @property
    def where(self) -> Any:
        """The class and the name, for messages."""
        return f"{self.owner}.{self.name}"

    def target_kind(self) -> Any:
        """The class that a reference is to; one that was declared later is looked up when it is first needed."""
        if not isinstance(self.target, type):
            self.target = self.target.found(self.where)
        return self.target


@cython.cclass
class Cell:
    """An object with declared fields."""

    if not cython.compiled:
        __slots__ = ("__weakref__", "_id", "_open", "_owner", "_parts", "_plan", "_row", "_settled", "_slots", "_world")
        _row: Any
        _slots: int
        _open: int
        _id: int
        _settled: bool
        _plan: Plan
        _parts: list[Any]
        _owner: Any
        _world: Any

    @property
    def id(self) -> int:
        """The number of an item of a list, the same on every peer; 0 for what is in no list of a world."""
        return self._id

    def __setattr__(self, name: Any, value: Any) -> None:
        try:
            if cython.compiled:
                PyObject_GenericSetAttr(self, name, value)
            else:
                object.__setattr__(self, name, value)
        except AttributeError:
            held = getattr(type(self), name, None)
            if isinstance(held, (int, float, str)):
                raise AttributeError(
                    f"{type(self).__name__}.{name} is read-only, as it is an attribute of the class: "
                    f"to make it a field, write {name}: {type(held).__name__} = {held!r}"
                ) from None
            if hasattr(type(self), name):
                raise
            raise AttributeError(f"{type(self).__name__}.{name} is not declared{advice_on_value(value)}") from None

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self._row)


@cython.cclass
class Root(Cell):
    """The world itself: it gives ids to items, and finds them by these."""

    if not cython.compiled:
        __slots__ = ("_cues", "_here", "_host", "_is_shut", "_known", "_next")
        _next: int
        _known: Any
        _cues: Any
        _here: Any
        _host: Any
        _is_shut: bool

    @property
    def next_id(self) -> int:
        """The id that the next item gets."""
        return self._next
