# cython: nonecheck=True
# retick: floats -- they are kept as their bits; only exact operations are done with them
"""The states of a world as copies, and copies as bytes (a compiled kernel). docs/formats/world.md describes the bytes.

Contents: copies; putting a world into a copied state; copies to bytes; a position in saved bytes; bytes to copies.

A :class:`WorldCopy` has the rows of all things as they are, so a peer keeps its own states without packing or
checking anything. Bytes are made of a copy when somebody needs them. What comes from others becomes a copy first, and
that checks everything: to put a world into a copied state cannot fail any more.
"""

import struct
import sys
from typing import Any

from retick.errors import (
    BadMagic,
    InvalidValue,
    LimitExceeded,
    SchemaMismatch,
    TrailingData,
    Truncated,
    UnsupportedVersion,
    UsageError,
)

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.cpython.list import PyList_GET_ITEM
    from cython.cimports.cpython.mem import PyMem_Free, PyMem_Realloc
    from cython.cimports.libc.stdlib import qsort
    from cython.cimports.libc.string import memcmp, memcpy, memset
    from cython.cimports.retick.sim.shapes import Shape
    from cython.cimports.retick.sim.world.storage import (
        BOUNDED,
        CACHE,
        IS_REAL,
        ITEMS,
        LINK,
        PART,
        SHAPE,
        SIGNED,
        TEXT,
        VALUES,
        Cell,
        FieldPlan,
        Root,
        Step,
        ThingPlan,
        cues_of,
        enter,
        leave,
        new_cell,
        note_id,
        put_part,
        settle,
    )
else:
    from retick.sim.shapes import Shape
    from retick.sim.world.storage import (
        BOUNDED,
        CACHE,
        IS_REAL,
        ITEMS,
        LINK,
        PART,
        SHAPE,
        SIGNED,
        TEXT,
        VALUES,
        Cell,
        FieldPlan,
        Root,
        Step,
        ThingPlan,
        cues_of,
        enter,
        leave,
        new_cell,
        note_id,
        put_part,
        settle,
    )

_DELETE, _SET = list.__delitem__, list.__setitem__

HEAD = struct.Struct("<4sBII")
MAGIC = b"RWLD"
VERSION = 1
# retick: allow environment -- the bytes are little-endian on every machine
IS_LITTLE = cython.declare(cython.bint, sys.byteorder == "little")


# Copies: the words of a state are the rows of its things, one after another.
#
# The words of a thing: its row, then in the order of declaration each field that is no scalar. A thing inside it: its
# words, after 1 or 0 if it may be None. A list of things: their count, and for each its id and its words. Vectors and
# rectangles: their numbers, after 1 or 0 if they may be None. A list of values: their count, and their words. Texts are
# objects, in a list of their own. Uncompiled, the words are a Python list of numbers.


@cython.cclass
class WordArray:
    """An array of 64-bit numbers that grows; uncompiled, a list of numbers."""

    words: cython.p_longlong
    used: cython.Py_ssize_t
    room: cython.Py_ssize_t

    def __init__(self) -> None:
        self.used = self.room = 0
        if not cython.compiled:
            self.words = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.words)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def resize(self, room: cython.Py_ssize_t) -> cython.int:
        """Have memory for so many words, compiled."""
        if cython.compiled:
            words: cython.p_longlong = cython.cast(cython.p_longlong, PyMem_Realloc(self.words, 8 * room))
            if words == cython.NULL:
                raise MemoryError
            self.words = words
            self.room = room
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def need(self, count: cython.Py_ssize_t) -> cython.int:
        """Make room for more words."""
        if cython.compiled and self.used + count > self.room:
            return self.resize(2 * (self.used + count) + 8)
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def put(self, word: cython.longlong) -> cython.int:
        """Add one word."""
        if cython.compiled:
            self.need(1)
            self.words[self.used] = word
            self.used += 1
        else:
            self.words.append(word)
        return 0


@cython.final
@cython.cclass
class WorldCopy(WordArray):
    """One state of a world."""

    plan: ThingPlan
    stamp: Any
    next_id: cython.longlong
    objects: list[Any]

    def __init__(self, plan: Any, stamp: Any, next_id: Any) -> None:
        WordArray.__init__(self)
        self.plan = plan
        self.stamp = stamp
        self.next_id = next_id
        self.objects = []

    @property
    def size(self) -> int:
        """The number of bytes that the words take."""
        return 8 * self.used if cython.compiled else 8 * len(self.words)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_shape(self, shape: Shape, count: cython.Py_ssize_t) -> cython.int:
        """Add the numbers of a vector or a rectangle."""
        if cython.compiled:
            self.need(4)
            reals: cython.p_double = cython.cast(cython.p_double, self.words + self.used)
            reals[0] = shape._x
            reals[1] = shape._y
            if count == 4:
                reals[2] = shape._w
                reals[3] = shape._h
            self.used += count
        else:
            self.words += (shape._x, shape._y, shape._w, shape._h)[:count]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_cell(self, cell: Cell) -> cython.int:
        """Add all fields of a thing."""
        plan: ThingPlan = cell._plan
        if cython.compiled:
            self.need(plan.slots)
            memcpy(self.words + self.used, cell._row, 8 * plan.slots)
            self.used += plan.slots
        else:
            self.words += cell._row
        if plan.others:
            for each in plan.others:
                self.put_other(each, cell._parts)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_other(self, field: FieldPlan, parts: list[Any]) -> cython.int:
        """Add a field that is no scalar."""
        code: cython.int = field.code
        held: Any = parts[field.part]
        if code == ITEMS:
            self.put_items(field, held)
        elif code in (SHAPE, PART):
            if field.optional:
                self.put(held is not None)
            if held is None:
                return 0
            if code == PART:
                self.put_cell(held)
            else:
                self.put_shape(held, field.numbers)
        elif code == VALUES:
            self.put(len(held))
            for each in held:
                if field.numbers > 1:
                    self.put_shape(each, field.numbers)
                else:
                    self.put(field.word(each))
        elif code == TEXT:
            self.objects.append(held)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_items(self, field: FieldPlan, items: Any) -> cython.int:
        """Add the things of a list. A finalizer that changes the list at this moment is found out."""
        count: cython.Py_ssize_t = len(items)
        index: cython.Py_ssize_t = 0
        self.put(count)
        while index < len(items):
            item: Cell = item_at(items, index)
            if item._id == 0 or item._plan is not field.plan:
                raise UsageError(f"{field.where} was changed without its own methods")
            self.put(item._id)
            self.put_cell(item)
            index += 1
        if index != count:
            raise UsageError(f"{field.where} was changed while it was saved")
        return 0


@cython.cfunc
@cython.inline
def item_at(items: Any, index: cython.Py_ssize_t) -> Any:
    """An item of a list of things, which has so many."""
    if cython.compiled:
        return cython.cast(object, PyList_GET_ITEM(items, index))
    return items[index]


def step_world(world: Root, call: Any, argument: Any, stamp: Any, make_state: Any) -> Any:
    """Call a method of the game; returns the state after it, which the world is in then."""
    world._here = None
    cues = cues_of(world, call, argument)
    world._here = make_state(copy_world(world, stamp), cues)
    return world._here


@cython.ccall
def copy_world(world: Root, stamp: Any) -> WorldCopy:
    """Copy the state of a world; ``stamp`` is the CRC-32 of its declaration."""
    copy = WorldCopy(world._plan, stamp, world._next)
    copy.resize(world._plan.usual_words + 1)
    copy.put_cell(world)
    if copy.used + 8 < copy.room:
        copy.resize(copy.used + 1)
    world._plan.usual_words = copy.used
    return copy


@cython.cclass
class Words:
    """A place in a copy, from which its words and objects are read."""

    copy: WorldCopy
    at: cython.Py_ssize_t
    object_at: cython.Py_ssize_t

    def __init__(self, copy: WorldCopy) -> None:
        self.copy = copy
        self.at = self.object_at = 0

    @cython.cfunc
    def take(self) -> cython.longlong:
        """Read the next word."""
        word: cython.longlong = self.copy.words[self.at]
        self.at += 1
        return word

    @cython.cfunc
    def take_object(self) -> Any:
        """Read the next object."""
        self.object_at += 1
        return self.copy.objects[self.object_at - 1]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_shape(self, shape: Shape, count: cython.Py_ssize_t) -> cython.int:
        """Read the numbers of a vector or a rectangle into it."""
        if cython.compiled:
            reals: cython.p_double = cython.cast(cython.p_double, self.copy.words + self.at)
            shape._x = reals[0]
            shape._y = reals[1]
            if count == 4:
                shape._w = reals[2]
                shape._h = reals[3]
        else:
            numbers = self.copy.words[self.at : self.at + count]
            shape._x, shape._y, shape._w, shape._h = (*numbers, 0.0, 0.0)[:4]
        self.at += count
        return 0


# Putting a world into a copied state.
#
# Existing objects are reused: for an item, the one with the same id in the same list. Mostly few values differ, and
# only for those an object is made. Things that leave are kept until the end, since a game may give them a finalizer.


@cython.final
@cython.cclass
class Restoring(Words):
    """Puts a world into a copied state."""

    world: Root
    gone: list[Any]

    def __init__(self, copy: WorldCopy, world: Root) -> None:
        Words.__init__(self, copy)
        self.world = world
        self.gone = []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_cell(self, cell: Cell) -> cython.int:
        """Load all fields of a thing."""
        plan: ThingPlan = cell._plan
        if cython.compiled:
            row: cython.p_longlong = self.copy.words + self.at
            self.at += plan.slots
            if memcmp(cell._row, row, 8 * plan.slots) != 0:
                self.take_row(cell, row)
        else:
            self.take_row(cell, self.copy.words[self.at : self.at + plan.slots])
            self.at += plan.slots
        if plan.others:
            for each in plan.others:
                self.load_other(each, cell)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_row(self, cell: Cell, row: cython.p_longlong) -> cython.int:
        """Load the scalars of a thing; the boxes of those that differ get new values."""
        before: cython.p_longlong = cell._row
        for each in cell._plan.scalars:
            field: FieldPlan = each
            slot: cython.Py_ssize_t = field.slot
            if cython.compiled:
                if before[slot] != row[slot] or (field.optional and before[slot + 1] != row[slot + 1]):
                    before[slot] = row[slot]
                    if field.optional:
                        before[slot + 1] = row[slot + 1]
                    field.show(cell, field.value(cell))
            elif before[slot] is not row[slot] or (field.optional and before[slot + 1] != row[slot + 1]):
                before[slot : slot + 1 + field.optional] = row[slot : slot + 1 + field.optional]
                field.show(cell, field.value(cell))
        if cython.compiled:
            memcpy(before, row, 8 * cell._plan.slots)
        else:
            before[:] = row
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_other(self, field: FieldPlan, cell: Cell) -> cython.int:
        """Load a field that is no scalar."""
        code: cython.int = field.code
        if code == ITEMS:
            self.load_items(field, cell._parts[field.part])
        elif code == PART:
            self.load_part(field, cell)
        elif code == VALUES:
            self.load_values(field, cell._parts[field.part])
        elif code == CACHE:
            put_part(cell, field, field.default)
        elif code == TEXT:
            put_part(cell, field, self.take_object())
        elif field.optional and not self.take():
            put_part(cell, field, None)
        else:
            if cell._parts[field.part] is None:
                put_part(cell, field, field.kind.blank())
            self.take_shape(cell._parts[field.part], field.numbers)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_part(self, field: FieldPlan, cell: Cell) -> cython.int:
        inside: Any = cell._parts[field.part]
        if field.optional:
            if not self.take():
                if inside is not None:
                    self.gone.append(inside)
                    leave(inside)
                    put_part(cell, field, None)
                return 0
            if inside is None:
                inside = new_cell(field.plan.kind)
                enter(inside, cell, cell)
                put_part(cell, field, inside)
        self.load_cell(inside)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_items(self, field: FieldPlan, items: Any) -> cython.int:
        count: cython.Py_ssize_t = self.take()
        index: cython.Py_ssize_t
        number: cython.longlong
        after: list[Any] | None = None
        by_id: dict[int, Any] = {}
        # Mostly the same items are at the same places: then neither list nor table is rebuilt.
        for index in range(count):
            number = self.take()
            if after is None:
                if index < len(items):
                    item: Cell = item_at(items, index)
                    if item._id == number and item._plan is field.plan:
                        self.load_cell(item)
                        continue
                after = list(items[:index])
                by_id = {each.id: each for each in items[index:]}
            found: Any = by_id.pop(number, None)
            item = self.new_item(field, items, number) if found is None else found
            after.append(item)
            self.load_cell(item)
        if after is not None:
            for gone in by_id.values():
                self.gone.append(gone)
                leave(gone)
            _SET(items, slice(None), after)
        elif count < len(items):
            for gone in items[count:]:
                self.gone.append(gone)
                leave(gone)
            _DELETE(items, slice(count, None))
        return 0

    @cython.cfunc
    def new_item(self, field: FieldPlan, items: Any, number: cython.longlong) -> Cell:
        """A new thing of a list, with the id that it has in the copy."""
        made: Cell = new_cell(field.plan.kind)
        made._owner = items
        settle(made, self.world, False)
        made._id = number
        note_id(self.world, made)
        return made

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_values(self, field: FieldPlan, values: Any) -> cython.int:
        count: cython.Py_ssize_t = self.take()
        index: cython.Py_ssize_t
        after: list[Any] = []
        if not count and not len(values):
            return 0
        for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            if field.numbers > 1:
                shape = field.kind.blank()
                self.take_shape(shape, field.numbers)
                after.append(shape)
            else:
                after.append(field.made(self.take()))
        _SET(values, slice(None), after)
        return 0


def restore_world(world: Root, copy: WorldCopy) -> None:
    """Put a world into the state of a copy. One of another class is checked; with another declaration it is refused."""
    if copy.plan is not world._plan:
        copy = unpack_world(pack_copy(copy), world._plan, type(world)._stamp)  # type: ignore[attr-defined]  # of each class
    restoring = Restoring(copy, world)
    world._here = None
    world._next = copy.next_id
    restoring.load_cell(world)


# Copies to bytes. docs/formats/world.md describes them.


@cython.final
@cython.cclass
class Packing(Words):
    """Writes a copy into a buffer of bytes that grows."""

    data: cython.p_uchar
    size: cython.Py_ssize_t
    room: cython.Py_ssize_t
    ids: WordArray
    links: WordArray

    def __init__(self, copy: WorldCopy) -> None:
        Words.__init__(self, copy)
        self.size = self.room = 0
        self.ids = WordArray()
        self.links = WordArray()
        if not cython.compiled:
            self.data = bytearray()

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.data)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def need(self, size: cython.Py_ssize_t) -> cython.int:
        """Make room for ``size`` more bytes."""
        if cython.compiled and self.size + size > self.room:
            room: cython.Py_ssize_t = 2 * (self.size + size) + 256
            data: cython.p_uchar = cython.cast(cython.p_uchar, PyMem_Realloc(self.data, room))
            if data == cython.NULL:
                raise MemoryError
            self.data = data
            self.room = room
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, value: cython.ulonglong, size: cython.Py_ssize_t) -> cython.int:
        """Write the low bytes of a number; there must be room for them."""
        if cython.compiled:
            at: cython.p_uchar = self.data + self.size
            self.size += size
            if IS_LITTLE and size == 8:
                memcpy(at, cython.address(value), 8)
                return 0
            if IS_LITTLE and size == 4:
                memcpy(at, cython.address(value), 4)
                return 0
            while size > 0:
                at[0] = value & 255
                value >>= 8
                at += 1
                size -= 1
        else:
            self.data += value.to_bytes(size, "little")
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_run(self, step: Step, row: cython.Py_ssize_t) -> cython.int:
        """Write the scalars of one run of the thing whose row begins at a word."""
        if cython.compiled:
            self.need(step.size)
            words: cython.p_longlong = self.copy.words + row + step.first
            forms: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(step.forms))
            index: cython.Py_ssize_t
            for index in range(step.count):
                self.put(cython.cast(cython.ulonglong, words[index]), forms[index] & 15)
        else:
            first = row + step.first
            self.data += step.packed.pack(*self.copy.words[first : first + step.count])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_cell(self, plan: ThingPlan) -> cython.int:
        """Write all fields of a thing."""
        row: cython.Py_ssize_t = self.at
        self.at += plan.slots
        for each in plan.runs:
            step: Step = each
            if step.field is None:
                self.put_run(step, row)
            else:
                self.put_other(step, row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_other(self, step: Step, row: cython.Py_ssize_t) -> cython.int:
        """Write a field that is not a scalar, or that may be None."""
        field: FieldPlan = step.field
        code: cython.int = field.code
        if code == CACHE:
            return 0
        self.need(4)
        if code == LINK:
            self.put_link(self.copy.words[row + field.slot])
        elif code == ITEMS:
            self.put_items(field.plan)
        elif code == PART:
            if not field.optional or self.put_flag(self.take()):
                self.put_cell(field.plan)
        elif code == VALUES:
            self.put_values(step, field)
        elif code == SHAPE:
            if not field.optional or self.put_flag(self.take()):
                self.put_shape(step)
        elif code == TEXT:
            self.put_text(field, self.take_object())
        elif self.put_flag(self.copy.words[row + field.slot + 1]):
            self.put_run(step, row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_flag(self, flag: cython.longlong) -> cython.int:
        """Write whether an optional field has a value, and return it."""
        self.put(flag, 1)
        return flag != 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_link(self, number: cython.longlong) -> cython.int:
        """Write a reference. Whether its target is still there is known at the end."""
        if number:
            self.links.put(self.size if cython.compiled else len(self.data))
            self.links.put(number)
        return self.put(number, 4)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_items(self, plan: ThingPlan) -> cython.int:
        """Write the things of a list."""
        count: cython.Py_ssize_t = self.take()
        index: cython.Py_ssize_t
        number: cython.longlong
        self.put(count, 2)
        for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            number = self.take()
            if self.copy.plan.has_links:
                self.ids.put(number)
            self.need(4)
            self.put(number, 4)
            self.put_cell(plan)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_values(self, step: Step, field: FieldPlan) -> cython.int:
        """Write a list of values."""
        count: cython.Py_ssize_t = self.take()
        index: cython.Py_ssize_t
        self.put(count, 2)
        for index in range(count):  # noqa: B007 - as above
            if field.numbers > 1:
                self.put_shape(step)
            else:
                self.put_run(step, self.at)
                self.at += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_text(self, field: FieldPlan, text: Any) -> cython.int:
        """Write a text, with a flag if it may be None."""
        if not field.optional or self.put_flag(text is not None):
            data = text.encode()
            self.put(len(data), 2)
            self.put_packed(data)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_shape(self, step: Step) -> cython.int:
        """Write the numbers of a vector or a rectangle: floats, or integers of 32 bits."""
        if cython.compiled:
            self.need(step.size)
            reals: cython.p_double = cython.cast(cython.p_double, self.copy.words + self.at)
            is_real: cython.bint = step.forms[0] & IS_REAL != 0
            index: cython.Py_ssize_t
            for index in range(step.count):
                if is_real:
                    self.put(cython.cast(cython.ulonglong, self.copy.words[self.at + index]), 8)
                else:
                    self.put(cython.cast(cython.ulonglong, cython.cast(cython.longlong, reals[index])), 4)
        else:
            numbers = self.copy.words[self.at : self.at + step.count]
            self.data += step.packed.pack(*(numbers if step.kinds[0].is_real else map(int, numbers)))
        self.at += step.count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_packed(self, data: bytes) -> cython.int:
        """Write bytes as they are."""
        if cython.compiled:
            self.need(len(data))
            memcpy(self.data + self.size, PyBytes_AS_STRING(data), len(data))
            self.size += len(data)
        else:
            self.data += data
        return 0

    @cython.cfunc
    def taken(self) -> bytes:
        """All bytes written so far."""
        self.clear_links()
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.data), self.size)
        return bytes(self.data)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def clear_links(self) -> cython.int:
        """Make each reference 0 whose target has left its list."""
        index: cython.Py_ssize_t
        if not cython.compiled:
            known = set(self.ids.words)
            for index in range(0, len(self.links.words), 2):
                if self.links.words[index + 1] not in known:
                    self.data[self.links.words[index] : self.links.words[index] + 4] = bytes(4)
        elif self.links.used:
            qsort(self.ids.words, self.ids.used, 8, compare_words)
            for index in range(0, self.links.used, 2):
                if not is_among(self.links.words[index + 1], self.ids.words, self.ids.used):
                    memset(self.data + self.links.words[index], 0, 4)
        return 0


if cython.compiled:

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def compare_words(one: cython.p_const_void, other: cython.p_const_void) -> cython.int:
        """The order of two numbers, for ``qsort``."""
        a: cython.longlong = cython.cast(cython.p_longlong, one)[0]
        b: cython.longlong = cython.cast(cython.p_longlong, other)[0]
        return (a > b) - (a < b)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_among(number: cython.longlong, words: cython.p_longlong, count: cython.Py_ssize_t) -> cython.bint:
        """Whether a number is one of some that ascend."""
        first: cython.Py_ssize_t = 0
        while first < count:
            middle: cython.Py_ssize_t = (first + count) >> 1
            if words[middle] == number:
                return True
            if words[middle] < number:
                first = middle + 1
            else:
                count = middle
        return False


@cython.ccall
def pack_copy(copy: WorldCopy) -> bytes:
    """The saved bytes of a state."""
    packing = Packing(copy)
    packing.put_packed(HEAD.pack(MAGIC, VERSION, copy.stamp, copy.next_id))
    packing.put_cell(copy.plan)
    return packing.taken()


# A position in saved bytes, from which a load reads its numbers.


@cython.cclass
class Position:
    """The place in saved bytes where the next number begins."""

    data: bytes
    bytes_at: cython.p_uchar
    at: cython.Py_ssize_t
    size: cython.Py_ssize_t

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def begin(self, data: bytes, at: cython.Py_ssize_t) -> cython.int:
        """Start reading ``data`` at the byte ``at``."""
        self.data = data
        self.at = at
        self.size = len(data)
        if cython.compiled:
            self.bytes_at = cython.cast(cython.p_uchar, PyBytes_AS_STRING(data))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def need(self, count: cython.Py_ssize_t, what: Any) -> cython.int:
        """Refuse bytes that end before the next ``count``."""
        if count > self.size - self.at:
            raise Truncated(
                f"{what} takes {count} bytes at byte {self.at} of {self.size}",
                needed=self.at + count,
                available=self.size,
            )
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def take(self, size: cython.Py_ssize_t) -> cython.ulonglong:
        """Read the next number; the bytes must be there."""
        value: cython.ulonglong = 0
        if cython.compiled:
            if IS_LITTLE and size == 8:
                memcpy(cython.address(value), self.bytes_at + self.at, 8)
            else:
                index: cython.Py_ssize_t = size
                while index > 0:
                    index -= 1
                    value = (value << 8) | self.bytes_at[self.at + index]
        else:
            value = int.from_bytes(self.data[self.at : self.at + size], "little")
        self.at += size
        return value

    @cython.cfunc
    @cython.exceptval(check=False)
    def take_number(self, is_real: cython.bint) -> cython.double:
        """Read the next number of a shape, compiled: a float, or a 32-bit integer."""
        value: cython.double = 0.0
        bits: cython.ulonglong = self.take(8 if is_real else 4)
        if cython.compiled:
            if is_real:
                memcpy(cython.address(value), cython.address(bits), 8)
            else:
                value = cython.cast(cython.double, cython.cast(cython.longlong, bits << 32) >> 32)
        return value


# Bytes to copies: everything is checked. docs/formats/world.md describes the bytes and the checks.


@cython.final
@cython.cclass
class Unpacking(Position):
    """Checks saved bytes, and makes a copy of what they hold."""

    copy: WorldCopy
    seen: dict[int, Any]
    links: list[Any]

    def __init__(self, data: bytes, copy: WorldCopy) -> None:
        self.begin(data, HEAD.size)
        self.copy = copy
        self.seen = {}
        self.links = []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_run(self, step: Step, first: cython.Py_ssize_t) -> cython.int:
        """Check the scalars of a run; the first of them becomes this word."""
        self.need(step.size, step.names[0])
        index: cython.Py_ssize_t
        if cython.compiled:
            forms: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(step.forms))
            least: cython.p_longlong = cython.cast(cython.p_longlong, PyBytes_AS_STRING(step.least))
            greatest: cython.p_longlong = cython.cast(cython.p_longlong, PyBytes_AS_STRING(step.greatest))
            value: cython.ulonglong
            real: cython.double = 0.0
            for index in range(step.count):
                form: cython.int = forms[index]
                value = self.take(form & 15)
                number: cython.longlong = value
                if form & IS_REAL:
                    memcpy(cython.address(real), cython.address(value), 8)
                    if real != real:
                        raise step.kinds[index].fault(real, step.names[index])
                elif form & BOUNDED:
                    if number < least[index] or number > greatest[index]:
                        raise step.kinds[index].fault(number, step.names[index])
                elif form & SIGNED and form & 15 < 8:
                    shift: cython.int = 64 - 8 * (form & 15)
                    number = cython.cast(cython.longlong, value << shift) >> shift
                self.copy.words[first + index] = number
        else:
            values = step.packed.unpack_from(self.data, self.at)
            for index, raw in enumerate(values):
                fault = step.kinds[index].fault(raw, step.names[index])
                if fault is not None:
                    raise fault
            self.at += step.size
            self.copy.words[first : first + step.count] = values
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_cell(self, plan: ThingPlan) -> cython.int:
        """Check all fields of a thing."""
        row: cython.Py_ssize_t
        if cython.compiled:
            row = self.copy.used
            self.copy.need(plan.slots)
            memset(self.copy.words + row, 0, 8 * plan.slots)
            self.copy.used += plan.slots
        else:
            row = len(self.copy.words)
            self.copy.words += [0] * plan.slots
        for each in plan.runs:
            step: Step = each
            if step.field is None:
                self.read_run(step, row + step.first)
            else:
                self.read_other(step, row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_other(self, step: Step, row: cython.Py_ssize_t) -> cython.int:
        """Check a field that is not a scalar, or that may be None, of the thing whose row begins at a word."""
        field: FieldPlan = step.field
        code: cython.int = field.code
        if code == CACHE:
            return 0
        if code == LINK:
            self.need(4, field.where)
            number: cython.longlong = self.take(4)
            self.copy.words[row + field.slot] = number
            if number:
                self.links.append((number, field))
        elif code == ITEMS:
            self.read_items(field)
        elif code == VALUES:
            self.read_values(step, field)
        elif field.optional and not self.read_flag(field):
            if code == TEXT:
                self.copy.objects.append(None)
            elif code > LINK:
                self.copy.put(0)
        elif code == TEXT:
            self.copy.objects.append(self.take_text(field))
        elif code > LINK:
            if field.optional:
                self.copy.put(1)
            if code == PART:
                self.read_cell(field.plan)
            else:
                self.read_shape(step)
        else:
            self.copy.words[row + field.slot + 1] = 1
            self.read_run(step, row + field.slot)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_items(self, field: FieldPlan) -> cython.int:
        """Check a list of things."""
        count: cython.longlong = self.read_count(field)
        index: cython.longlong
        number: cython.longlong
        plan: ThingPlan = field.plan
        self.copy.put(count)
        for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            self.need(4, field.where)
            number = self.take(4)
            if number == 0 or number >= self.copy.next_id or number in self.seen:
                raise InvalidValue(f"{field.where}: {number} is not a valid id, or belongs to another item")
            self.seen[number] = plan
            self.copy.put(number)
            self.read_cell(plan)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_values(self, step: Step, field: FieldPlan) -> cython.int:
        """Check a list of values."""
        count: cython.longlong = self.read_count(field)
        index: cython.longlong
        self.copy.put(count)
        for index in range(count):  # noqa: B007 - as above
            if step.count > 1:
                self.read_shape(step)
            else:
                self.copy.put(0)
                self.read_run(step, (self.copy.used if cython.compiled else len(self.copy.words)) - 1)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_shape(self, step: Step) -> cython.int:
        """Check the numbers of a vector or a rectangle."""
        first: cython.Py_ssize_t
        index: cython.Py_ssize_t
        if cython.compiled:
            first = self.copy.used
            self.copy.need(step.count)
            self.copy.used += step.count
        else:
            first = len(self.copy.words)
            self.copy.words += [0] * step.count
        self.read_run(step, first)
        if not step.kinds[0].is_real:  # a shape holds floats, whatever its numbers are packed as
            for index in range(first, first + step.count):
                if cython.compiled:
                    cython.cast(cython.p_double, self.copy.words)[index] = self.copy.words[index]
                else:
                    self.copy.words[index] = float(self.copy.words[index])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_flag(self, field: FieldPlan) -> cython.int:
        """Read whether an optional field has a value."""
        self.need(1, field.where)
        number: cython.int = self.take(1)
        if number > 1:
            raise InvalidValue(f"{field.where}: {number} is neither 0 (None) nor 1")
        return number

    @cython.cfunc
    def take_text(self, field: FieldPlan) -> Any:
        """Check the next text."""
        count: cython.Py_ssize_t = self.read_count(field)
        self.need(count, field.where)
        try:
            text = self.data[self.at : self.at + count].decode()
        except UnicodeDecodeError as error:
            raise InvalidValue(f"{field.where}: these bytes are not UTF-8: {error}") from None
        self.at += count
        return text

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read_count(self, field: FieldPlan) -> cython.longlong:
        """Read and check the length of a list or a text."""
        self.need(2, field.where)
        count: cython.longlong = self.take(2)
        most: cython.longlong = field.most
        if count > most:
            raise LimitExceeded(
                f"{field.where} holds at most {field.most}, not {count}",
                what=field.where,
                limit=field.most,
                actual=count,
            )
        return count

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_end(self) -> cython.int:
        """Check that every reference points to an item of the declared class, and that nothing follows."""
        for number, each in self.links:
            field: FieldPlan = each
            plan = self.seen.get(number)
            if plan is None or plan.kind is not field.target_kind():
                raise InvalidValue(f"{field.where}: there is no {field.target_kind().__name__} of id {number}")
        if self.at != self.size:
            raise TrailingData(f"{self.size - self.at} bytes follow the last field", extra=self.size - self.at)
        return 0


def unpack_world(data: bytes, plan: ThingPlan, stamp: Any) -> WorldCopy:
    """Check the saved bytes of a world, and return the state that they hold; raises DecodeError if they are wrong."""
    if len(data) < HEAD.size:
        raise Truncated(
            f"a saved world has at least {HEAD.size} bytes, not {len(data)}", needed=HEAD.size, available=len(data)
        )
    magic, version, found, next_id = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise BadMagic(f"a saved world begins with {MAGIC!r}, not with {magic!r}")
    if version != VERSION:
        raise UnsupportedVersion(f"a saved world has version {VERSION}, not {version}", version=version)
    if found != stamp:
        raise SchemaMismatch(
            f"this was saved by another declaration than that of {plan.name}", expected=stamp, found=found
        )
    if next_id == 0:
        raise InvalidValue("the next id cannot be 0")
    copy = WorldCopy(plan, stamp, next_id)
    unpacking = Unpacking(data, copy)
    unpacking.read_cell(plan)
    unpacking.check_end()
    return copy
