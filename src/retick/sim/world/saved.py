# cython: nonecheck=True
# retick: floats -- they are kept as their bits; only exact operations are done with them
"""A world to bytes and back (a compiled kernel). docs/formats/world.md describes the bytes.

Contents: saving; a position in saved bytes; loading.

Loading reads twice. The first time checks everything and changes nothing, and the second reads the same bytes again and
cannot fail any more.
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
    from cython.cimports.cpython.mem import PyMem_Free, PyMem_Realloc
    from cython.cimports.libc.string import memcpy
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
        enter,
        leave,
        new_cell,
        settle,
        things_by_id,
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
        enter,
        leave,
        new_cell,
        settle,
        things_by_id,
    )

_DELETE, _SET = list.__delitem__, list.__setitem__

# Saving: a world as bytes. docs/formats/world.md describes them.


HEAD = struct.Struct("<4sBII")
MAGIC = b"RWLD"
VERSION = 1
# retick: allow environment -- the bytes are little-endian on every machine
IS_LITTLE = cython.declare(cython.bint, sys.byteorder == "little")


@cython.cclass
class Writer:
    """A buffer of bytes that grows."""

    data: cython.p_uchar
    used: cython.Py_ssize_t
    room: cython.Py_ssize_t
    known: Any

    def __init__(self) -> None:
        self.used = self.room = 0
        self.known = None
        if not cython.compiled:
            self.data = bytearray()

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.data)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def need(self, size: cython.Py_ssize_t) -> cython.int:
        """Make room for ``size`` more bytes."""
        if cython.compiled and self.used + size > self.room:
            room: cython.Py_ssize_t = 2 * (self.used + size) + 256
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_other(self, step: Step, cell: Cell) -> cython.int:
        """Write a field that is not a scalar, or that may be None."""
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
                    raise UsageError(f"{field.where} was changed without its own methods")
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_number(self, value: cython.double, is_real: cython.bint) -> cython.int:
        """Write one number of a shape, compiled: a float, or an integer of 32 bits."""
        bits: cython.ulonglong = 0
        if cython.compiled:
            if is_real:
                memcpy(cython.address(bits), cython.address(value), 8)
                return self.put(bits, 8)
            bits = cython.cast(cython.ulonglong, cython.cast(cython.longlong, value))
        return self.put(bits, 4)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_packed(self, data: bytes) -> cython.int:
        """Write bytes as they are."""
        if cython.compiled:
            self.need(len(data))
            memcpy(self.data + self.used, PyBytes_AS_STRING(data), len(data))
            self.used += len(data)
        else:
            self.data += data
        return 0

    @cython.cfunc
    def taken(self) -> bytes:
        """All bytes written so far."""
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.data), self.used)
        return bytes(self.data)


def save_world(world: Root, stamp: Any, has_links: Any) -> bytes:
    """Save a world as bytes; ``stamp`` is the CRC-32 of its declaration."""
    writer = Writer()
    if has_links:
        writer.known = things_by_id(world)
    writer.put_packed(HEAD.pack(MAGIC, VERSION, stamp, world._next))
    writer.put_cell(world)
    return writer.taken()


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


# Loading: first everything is checked, then it is loaded.
#
# docs/formats/world.md describes the bytes and the checks. ``check_state`` changes nothing. ``load_world`` walks over
# the same bytes again and cannot fail any more. It reuses existing objects: for an item, the one with the same id in
# the same list.


@cython.cclass
class WorldReader(Position):
    """Checks and loads a world, starting at a position in its saved bytes."""

    next_id: cython.longlong
    seen: dict[int, Any]
    links: list[Any]

    def __init__(self, data: bytes) -> None:
        self.begin(data, HEAD.size)
        self.next_id = 0
        self.seen = {}
        self.links = []

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_run(self, step: Step) -> cython.int:
        """Check the scalars of a run, and skip them."""
        self.need(step.size, step.names[0])
        if not step.is_checked:
            self.at += step.size
            return 0
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
                if form & IS_REAL:
                    memcpy(cython.address(real), cython.address(value), 8)
                    if real != real:
                        raise step.kinds[index].fault(real, step.names[index])
                elif form & BOUNDED:
                    number: cython.longlong = value
                    if number < least[index] or number > greatest[index]:
                        raise step.kinds[index].fault(number, step.names[index])
        else:
            values = step.packed.unpack_from(self.data, self.at)
            for index, raw in enumerate(values):
                fault = step.kinds[index].fault(raw, step.names[index])
                if fault is not None:
                    raise fault
            self.at += step.size
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_cell(self, plan: ThingPlan) -> cython.int:
        """Check all fields of a thing."""
        index: cython.Py_ssize_t
        steps: tuple[Any, ...] = plan.runs
        for index in range(len(steps)):
            step: Step = steps[index]
            if step.field is None:
                self.check_run(step)
            else:
                self.check_other(step)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_other(self, step: Step) -> cython.int:
        field: FieldPlan = step.field
        code: cython.int = field.code
        count: cython.ulonglong
        index: cython.ulonglong
        number: cython.ulonglong
        if code == CACHE:
            return 0
        if code == LINK:
            self.need(4, field.where)
            number = self.take(4)
            if number:
                self.links.append((number, field))
        elif code == ITEMS:
            count = self.check_count(field)
            plan: ThingPlan = field.plan
            for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
                self.need(4, field.where)
                number = self.take(4)
                if number == 0 or number >= self.next_id or number in self.seen:
                    raise InvalidValue(f"{field.where}: {number} is not a valid id, or belongs to another item")
                self.seen[number] = plan
                self.check_cell(plan)
        elif code == VALUES:
            count = self.check_count(field)
            for index in range(count):  # noqa: B007 - as above
                self.check_run(step)
        elif not field.optional or self.check_flag(field):
            if code == PART:
                self.check_cell(field.plan)
            elif code == TEXT:
                self.check_text(field)
            else:
                self.check_run(step)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_flag(self, field: FieldPlan) -> cython.int:
        """Read whether an optional field has a value."""
        self.need(1, field.where)
        number: cython.int = self.take(1)
        if number > 1:
            raise InvalidValue(f"{field.where}: {number} is neither 0 (None) nor 1")
        return number

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check_text(self, field: FieldPlan) -> cython.int:
        """Check the next text, and skip it."""
        count: cython.Py_ssize_t = self.check_count(field)
        self.need(count, field.where)
        try:
            self.data[self.at : self.at + count].decode()
        except UnicodeDecodeError as error:
            raise InvalidValue(f"{field.where}: these bytes are not UTF-8: {error}") from None
        self.at += count
        return 0

    @cython.cfunc
    @cython.exceptval(99999, check=True)
    def check_count(self, field: FieldPlan) -> cython.ulonglong:
        """Read and check the length of a list."""
        self.need(2, field.where)
        count: cython.ulonglong = self.take(2)
        most: cython.ulonglong = field.most
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
    def check_links(self) -> cython.int:
        """Check that every reference points to an item that exists and has the declared class."""
        for number, each in self.links:
            field: FieldPlan = each
            plan = self.seen.get(number)
            if plan is None or plan.kind is not field.target_kind():
                raise InvalidValue(f"{field.where}: there is no {field.target_kind().__name__} of id {number}")
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_run(self, step: Step, cell: Cell) -> cython.int:
        if cython.compiled:
            row: cython.p_longlong = cell._row + step.first
            forms: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(step.forms))
            index: cython.Py_ssize_t
            value: cython.ulonglong
            for index in range(step.count):
                form: cython.int = forms[index]
                value = self.take(form & 15)
                if form & SIGNED and form & 15 < 8:
                    shift: cython.int = 64 - 8 * (form & 15)
                    row[index] = cython.cast(cython.longlong, value << shift) >> shift
                else:
                    row[index] = cython.cast(cython.longlong, value)
        else:
            cell._row[step.first : step.first + step.count] = step.packed.unpack_from(self.data, self.at)
            self.at += step.size
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_cell(self, cell: Cell, world: Root) -> cython.int:
        index: cython.Py_ssize_t
        steps: tuple[Any, ...] = cell._plan.runs
        for index in range(len(steps)):
            step: Step = steps[index]
            if step.field is None:
                self.load_run(step, cell)
            else:
                self.load_other(step, cell, world)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_other(self, step: Step, cell: Cell, world: Root) -> cython.int:
        field: FieldPlan = step.field
        code: cython.int = field.code
        if code == CACHE:
            cell._parts[field.part] = field.default
        elif code == LINK:
            cell._row[field.slot] = self.take(4)
        elif code == ITEMS:
            self.load_items(field, cell, world)
        elif code == VALUES:
            self.load_values(step, field, cell._parts[field.part])
        elif code == PART:
            self.load_part(field, cell, world)
        elif code in (SHAPE, TEXT):
            self.load_form(step, field, cell)
        elif self.take(1):
            cell._row[field.slot + 1] = 1
            self.load_run(step, cell)
        else:
            cell._row[field.slot] = 0
            cell._row[field.slot + 1] = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_part(self, field: FieldPlan, cell: Cell, world: Root) -> cython.int:
        inside = cell._parts[field.part]
        if field.optional:
            if not self.take(1):
                if inside is not None:
                    leave(inside)
                cell._parts[field.part] = None
                return 0
            if inside is None:
                inside = new_cell(field.plan.kind)
                enter(inside, cell, cell)
                cell._parts[field.part] = inside
        self.load_cell(inside, world)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_items(self, field: FieldPlan, cell: Cell, world: Root) -> cython.int:
        items = cell._parts[field.part]
        count: cython.Py_ssize_t = self.take(2)
        before: cython.Py_ssize_t = len(items)
        index: cython.Py_ssize_t
        number: cython.longlong
        item: Cell
        after: list[Any] | None = None
        by_id: dict[int, Any] = {}
        # Mostly the same items are at the same places: then neither list nor table is rebuilt.
        for index in range(count):
            number = self.take(4)
            if after is None:
                if index < before:
                    item = items[index]
                    if item._id == number:
                        self.load_cell(item, world)
                        continue
                after = items[:index]
                by_id = {each.id: each for each in items[index:]}
            found = by_id.pop(number, None)
            if found is None:
                found = new_cell(field.plan.kind)
                item = found
                item._owner = items
                settle(item, world, False)
                item._id = number
            after.append(found)
            self.load_cell(found, world)
        if after is not None:
            for gone in by_id.values():
                leave(gone)
            _SET(items, slice(None), after)
        elif count < before:
            for gone in items[count:]:
                leave(gone)
            _DELETE(items, slice(count, None))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_form(self, step: Step, field: FieldPlan, cell: Cell) -> cython.int:
        """Load a vector, a rectangle or a text."""
        if field.optional and not self.take(1):
            cell._parts[field.part] = None
        elif field.code == TEXT:
            count: cython.Py_ssize_t = self.take(2)
            cell._parts[field.part] = self.data[self.at : self.at + count].decode()
            self.at += count
        else:
            if cell._parts[field.part] is None:
                cell._parts[field.part] = field.kind.blank()
            self.load_shape(step, cell._parts[field.part])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_shape(self, step: Step, shape: Shape) -> cython.int:
        if cython.compiled:
            is_real: cython.bint = step.forms[0] & IS_REAL != 0
            shape._x = self.take_number(is_real)
            shape._y = self.take_number(is_real)
            if step.count == 4:
                shape._w = self.take_number(is_real)
                shape._h = self.take_number(is_real)
        else:
            numbers = step.packed.unpack_from(self.data, self.at)
            self.at += step.size
            shape._x, shape._y, shape._w, shape._h = [float(number) for number in (*numbers, 0.0, 0.0)[:4]]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load_values(self, step: Step, field: FieldPlan, values: Any) -> cython.int:
        count: cython.Py_ssize_t = self.take(2)
        if step.count > 1:
            shapes = [field.kind.blank() for _ in range(count)]
            for shape in shapes:
                self.load_shape(step, shape)
            _SET(values, slice(None), shapes)
            return 0
        raws = struct.unpack_from(f"<{count}{field.kind.code}", self.data, self.at)
        self.at += count * step.size
        _SET(values, slice(None), [field.kind.value(raw) for raw in raws])
        return 0


def check_state(data: bytes, plan: ThingPlan, stamp: Any) -> WorldReader:
    """Check the saved bytes of a world; raises DecodeError if they are wrong. Returns a reader at their start."""
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
    reader = WorldReader(data)
    reader.next_id = next_id
    reader.check_cell(plan)
    reader.check_links()
    if reader.at != reader.size:
        raise TrailingData(f"{reader.size - reader.at} bytes follow the last field", extra=reader.size - reader.at)
    reader.at = HEAD.size
    return reader


def load_world(world: Root, data: bytes, plan: ThingPlan, stamp: Any) -> None:
    """Put the world into the saved state; if the bytes are wrong, nothing changes."""
    reader: WorldReader = check_state(data, plan, stamp)
    world._known = None
    world._next = reader.next_id
    reader.load_cell(world, world)
