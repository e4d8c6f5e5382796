# cython: nonecheck=True
"""Bytes to a world (a compiled kernel): first everything is checked, then it is loaded.

docs/formats/world.md describes the bytes and the checks. ``check_state`` changes nothing. ``load_world`` walks over the
same bytes again and cannot fail any more. It uses the objects that are there: of an item, the one with the same id in
the same list.
"""
# retick: floats -- they are kept as their bits; only exact operations are done with them

import struct
from typing import Any

from retick.errors import (
    BadMagic,
    InvalidValue,
    LimitExceeded,
    SchemaMismatch,
    TrailingData,
    Truncated,
    UnsupportedVersion,
)
from retick.sim.world.saving import HEAD, MAGIC, VERSION

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
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
        Plan,
        Root,
    )
    from cython.cimports.retick.sim.world.places import enter, leave, new_cell, settle
    from cython.cimports.retick.sim.world.position import Position
    from cython.cimports.retick.sim.world.steps import BOUNDED, IS_REAL, SIGNED, Step
else:
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import CACHE, ITEMS, LINK, PART, SHAPE, TEXT, VALUES, Cell, FieldPlan, Plan, Root
    from retick.sim.world.places import enter, leave, new_cell, settle
    from retick.sim.world.position import Position
    from retick.sim.world.steps import Step

_DELETE, _SET = list.__delitem__, list.__setitem__

__all__ = ["check_state", "load_world"]


@cython.cclass
class Reader(Position):
    """Checks and loads a world, from a position in its saved bytes on."""

    if not cython.compiled:
        next_id: int
        seen: dict[int, Any]
        links: list[Any]

    def __init__(self, data: bytes) -> None:
        self.begin(data, HEAD.size)
        self.next_id = 0
        self.seen = {}
        self.links = []

    def check_run(self, step: Step) -> cython.int:
        """Check the next scalars, and pass over them."""
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

    def check_cell(self, plan: Plan) -> cython.int:
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
            plan: Plan = field.plan
            for index in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
                self.need(4, field.where)
                number = self.take(4)
                if number == 0 or number >= self.next_id or number in self.seen:
                    raise InvalidValue(f"{field.where}: {number} is no id, or that of another item")
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

    def check_flag(self, field: FieldPlan) -> cython.int:
        """Whether an optional field is there."""
        self.need(1, field.where)
        number: cython.int = self.take(1)
        if number > 1:
            raise InvalidValue(f"{field.where}: {number} is neither 0 (None) nor 1")
        return number

    def check_text(self, field: FieldPlan) -> cython.int:
        """Check the next text, and pass over it."""
        count: cython.Py_ssize_t = self.check_count(field)
        self.need(count, field.where)
        try:
            self.data[self.at : self.at + count].decode()
        except UnicodeDecodeError as error:
            raise InvalidValue(f"{field.where}: these bytes are no UTF-8: {error}") from None
        self.at += count
        return 0

    def check_count(self, field: FieldPlan) -> cython.ulonglong:
        """The length of a list."""
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

    def check_links(self) -> cython.int:
        """Every reference is to an item that is there, of the class that was declared."""
        for number, each in self.links:
            field: FieldPlan = each
            plan = self.seen.get(number)
            if plan is None or plan.kind is not field.target_kind():
                raise InvalidValue(f"{field.where}: there is no {field.target_kind().__name__} of id {number}")
        return 0

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

    def load_items(self, field: FieldPlan, cell: Cell, world: Root) -> cython.int:
        items = cell._parts[field.part]
        count: cython.Py_ssize_t = self.take(2)
        before: cython.Py_ssize_t = len(items)
        index: cython.Py_ssize_t
        number: cython.longlong
        item: Cell
        after: list[Any] | None = None
        by_id: dict[int, Any] = {}
        # Mostly the same items are at the same places: then neither list nor table is made.
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


def check_state(data: bytes, plan: Plan, stamp: Any) -> Reader:
    """Check saved bytes of a world of this plan; a DecodeError if they are wrong. Returns a reader at their start."""
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
        raise InvalidValue("0 is no id, and so not the next one")
    reader = Reader(data)
    reader.next_id = next_id
    reader.check_cell(plan)
    reader.check_links()
    if reader.at != reader.size:
        raise TrailingData(f"{reader.size - reader.at} bytes follow the last field", extra=reader.size - reader.at)
    reader.at = HEAD.size
    return reader


def load_world(world: Root, data: bytes, plan: Plan, stamp: Any) -> None:
    """Put the world where these bytes were saved; nothing changes if they are wrong."""
    reader: Reader = check_state(data, plan, stamp)
    world._known = None
    world._next = reader.next_id
    reader.load_cell(world, world)
