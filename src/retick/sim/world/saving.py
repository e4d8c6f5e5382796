# cython: nonecheck=True
"""A world to bytes (a compiled kernel). docs/formats/world.md describes them."""
# retick: floats -- they are kept as their bits; only exact operations are done with them

import struct
import sys
from typing import Any

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.cpython.mem import PyMem_Free, PyMem_Realloc
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.shapes.shape import Shape
    from cython.cimports.retick.sim.world.cells import (
        CACHE,
        ITEMS,
        LINK,
        PART,
        SHAPE,
        TEXT,
        VALUES,
        Cell,
        FieldPlan,
        Root,
    )
    from cython.cimports.retick.sim.world.places import things_by_id
    from cython.cimports.retick.sim.world.steps import IS_REAL, Step
else:
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import (
        CACHE,
        ITEMS,
        LINK,
        PART,
        SHAPE,
        TEXT,
        VALUES,
        Cell,
        FieldPlan,
        Root,
    )
    from retick.sim.world.places import things_by_id
    from retick.sim.world.steps import Step

__all__ = ["HEAD", "MAGIC", "VERSION", "save_world"]

HEAD = struct.Struct("<4sBII")
MAGIC = b"RWLD"
VERSION = 1
# retick: allow environment -- the bytes are little-endian on every machine
IS_LITTLE = sys.byteorder == "little"


@cython.cclass
class Writer:
    """Bytes that grow."""

    if not cython.compiled:
        data: Any
        used: int
        room: int
        known: Any

    def __init__(self) -> None:
        self.used = self.room = 0
        self.known = None
        if not cython.compiled:
            self.data = bytearray()

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.data)

    def need(self, size: cython.Py_ssize_t) -> cython.int:
        """Make room for so many more bytes."""
        if cython.compiled and self.used + size > self.room:
            room: cython.Py_ssize_t = 2 * (self.used + size) + 256
            data: cython.p_uchar = cython.cast(cython.p_uchar, PyMem_Realloc(self.data, room))
            if data == cython.NULL:
                raise MemoryError
            self.data = data
            self.room = room
        return 0

    def put(self, value: cython.ulonglong, size: cython.Py_ssize_t) -> cython.int:
        """Write the low bytes of a number; there is room for them."""
        if cython.compiled:
            at: cython.p_uchar = self.data + self.used
            self.used += size
            if IS_LITTLE and size == 8:
                memcpy(at, cython.address(value), 8)
                return 0
            while size > 0:
                at[0] = value & 255
                value >>= 8
                at += 1
                size -= 1
        else:
            self.data += value.to_bytes(size, "little")
        return 0

    def put_run(self, step: Step, cell: Cell) -> cython.int:
        """Write the scalars of one run."""
        if cython.compiled:
            self.need(step.size)
            row: cython.p_longlong = cell._row + step.first
            forms: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(step.forms))
            index: cython.Py_ssize_t
            for index in range(step.count):
                self.put(cython.cast(cython.ulonglong, row[index]), forms[index] & 15)
        else:
            self.data += step.packed.pack(*cell._row[step.first : step.first + step.count])
        return 0

    def put_cell(self, cell: Cell) -> cython.int:
        """Write all fields of a thing."""
        index: cython.Py_ssize_t
        steps: tuple[Any, ...] = cell._plan.runs
        for index in range(len(steps)):
            step: Step = steps[index]
            if step.field is None:
                self.put_run(step, cell)
            else:
                self.put_other(step, cell)
        return 0

    def put_other(self, step: Step, cell: Cell) -> cython.int:
        """Write a field that is no scalar, or one that may be None."""
        field: FieldPlan = step.field
        code: cython.int = field.code
        if code == CACHE:
            return 0
        self.need(4)
        if code == LINK:
            number: cython.longlong = cell._row[field.slot]
            if number and number not in self.known:
                number = 0
            self.put(number, 4)
        elif code == PART:
            inside = cell._parts[field.part]
            if field.optional:
                self.put(inside is not None, 1)
            if inside is not None:
                self.put_cell(inside)
        elif code == ITEMS:
            items = cell._parts[field.part]
            self.put(len(items), 2)
            for each in items:
                item: Cell = each
                if item._id == 0 or item._plan is not field.plan:
                    raise UsageError(f"{field.where} was changed past its own methods")
                self.need(4)
                self.put(item._id, 4)
                self.put_cell(item)
        elif code == VALUES:
            values = cell._parts[field.part]
            self.put(len(values), 2)
            if step.count > 1:
                for each in values:
                    self.put_shape(step, each)
            else:
                raws = [field.kind.raw(value) for value in values]
                self.put_packed(struct.pack(f"<{len(raws)}{field.kind.code}", *raws))
        elif code in (SHAPE, TEXT):
            held = cell._parts[field.part]
            if field.optional:
                self.put(held is not None, 1)
            if held is not None and code == SHAPE:
                self.put_shape(step, held)
            elif held is not None:
                text = held.encode()
                self.put(len(text), 2)
                self.put_packed(text)
        else:
            is_there: cython.bint = cell._row[field.slot + 1] != 0
            self.put(is_there, 1)
            if is_there:
                self.put_run(step, cell)
        return 0

    def put_shape(self, step: Step, shape: Shape) -> cython.int:
        """Write the numbers of a vector or a rectangle."""
        if cython.compiled:
            self.need(step.size)
            is_real: cython.bint = step.forms[0] & IS_REAL != 0
            self.put_number(shape._x, is_real)
            self.put_number(shape._y, is_real)
            if step.count == 4:
                self.put_number(shape._w, is_real)
                self.put_number(shape._h, is_real)
        else:
            self.data += step.packed.pack(*shape)  # type: ignore[misc]  # all shapes can be iterated
        return 0

    def put_number(self, value: cython.double, is_real: cython.bint) -> cython.int:
        """Write one number of a shape, compiled: a float, or an integer of 32 bits."""
        bits: cython.ulonglong = 0
        if cython.compiled:
            if is_real:
                memcpy(cython.address(bits), cython.address(value), 8)
                return self.put(bits, 8)
            bits = cython.cast(cython.ulonglong, cython.cast(cython.longlong, value))
        return self.put(bits, 4)

    def put_packed(self, data: bytes) -> cython.int:
        """Write bytes as they are."""
        if cython.compiled:
            self.need(len(data))
            memcpy(self.data + self.used, PyBytes_AS_STRING(data), len(data))
            self.used += len(data)
        else:
            self.data += data
        return 0

    def taken(self) -> bytes:
        """Everything that was written."""
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.data), self.used)
        return bytes(self.data)


def save_world(world: Root, stamp: Any, has_links: Any) -> bytes:
    """The saved bytes of a world; ``stamp`` is the CRC-32 of its declaration."""
    writer = Writer()
    if has_links:
        writer.known = things_by_id(world)
    writer.put_packed(HEAD.pack(MAGIC, VERSION, stamp, world._next))
    writer.put_cell(world)
    return writer.taken()
