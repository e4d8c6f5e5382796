"""Chooses the changes for a packet of bounded size (a compiled kernel): interest.py has the rule.

The visible part of the world is compared with the baseline and written once, without limits, which gives the size of
each entity. If not all of it fits, a heap gives the most urgent ones; the rest is removed from the difference, and what
remains is written again.

*Dirty* entities are numbered: first the created ones, then the updated ones, each by ascending id.
"""

from array import array
from math import inf
from operator import index as whole
from typing import Any

from retick.errors import UsageError
from retick.snapshot.encoder import Encoder

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_CheckExact
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
    from cython.cimports.retick.snapshot import layout
    from cython.cimports.retick.snapshot.columns import (
        Columns,
        FieldTable,
        checked_columns,
        doubles,
        gather_columns,
        longs,
    )
    from cython.cimports.retick.snapshot.encoder import Diff, Encoder
else:
    from retick.snapshot import layout
    from retick.snapshot.columns import Columns, FieldTable, checked_columns, doubles, gather_columns, longs
    from retick.snapshot.encoder import Diff, Encoder

# The part of a world that one receiver sees, and the priority of each entity in it (a compiled kernel).


@cython.final
@cython.cclass
class VisiblePart:
    """The part that ``of`` found last."""

    table: FieldTable
    priority: cython.p_double  # by index in the world, then in its visible part
    pick: cython.p_longlong  # by index in the world: 1 if visible; then indices of the visible part
    capacity: cython.Py_ssize_t
    _owners: list[Any]

    def __init__(self, table: FieldTable) -> None:
        self.table = table
        self.capacity = -1

    @cython.cfunc
    def of(self, cls: Any, base: Columns, world: Columns, visible: dict) -> Columns:  # type: ignore[type-arg]  # a C type
        """The entities of ``world`` that are visible and can be compared with ``base``; both have ascending ids."""
        if world.count > self.capacity:
            self.capacity = 2 * world.count + 16
            self._owners = [array("d", bytes(8 * self.capacity)), array("q", bytes(8 * self.capacity))]
            self.priority = doubles(self._owners[0])
            self.pick = longs(self._owners[1])
        self.see(world, visible)
        return self.pick_comparable(cls, base, world)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def see(self, world: Columns, visible: dict) -> cython.int:  # type: ignore[type-arg]  # a C type
        """Mark the visible entities, and note their priorities; other ids are ignored."""
        at: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        entity: cython.longlong
        for at in range(world.count):
            self.pick[at] = 0
        at = -1
        for identity, priority in visible.items():
            entity = _entity(identity)
            if entity < 0:
                continue
            # Mostly they are in the order of the world.
            at += 1
            if at >= world.count or world.keys[at] != entity:
                low = at if at < world.count and world.keys[at] < entity else 0
                high = low + 1
                while high < world.count and world.keys[high] < entity:
                    low, high = high, 2 * high - low
                high = min(high, world.count)
                while low < high:
                    at = (low + high) >> 1
                    if world.keys[at] < entity:
                        low = at + 1
                    else:
                        high = at
                at = low
                if at == world.count or world.keys[at] != entity:
                    continue
            self.pick[at] = 1
            self.priority[at] = _priority(identity, priority)
        return 0

    @cython.cfunc
    def pick_comparable(self, cls: Any, base: Columns, world: Columns) -> Columns:
        """The world without invisible entities, and without those whose components differ from ``base``."""
        dense: cython.bint = True
        component: cython.int
        at: cython.Py_ssize_t
        before: cython.Py_ssize_t = 0
        count: cython.Py_ssize_t = 0
        for component in range(self.table.component_count):
            if base.rows[component] != base.count or world.rows[component] != world.count:
                dense = False
        for at in range(world.count):
            if self.pick[at] == 0:
                continue
            if not dense:
                while before < base.count and base.keys[before] < world.keys[at]:
                    before += 1
                if not self.comparable(base, before, world, at):
                    continue
            self.pick[count] = at
            self.priority[count] = self.priority[at]
            count += 1
        if count == world.count:
            return world
        picked = array("q", bytes(8 * count))
        places: cython.p_longlong = longs(picked)
        for at in range(count):
            places[at] = self.pick[at]
        return gather_columns(cls, world, world, picked, world.tick)

    @cython.cfunc
    @cython.exceptval(check=False)
    def comparable(
        self, base: Columns, before: cython.Py_ssize_t, world: Columns, at: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether an entity has the same components as in ``base``, or is not there."""
        component: cython.int
        if before == base.count or base.keys[before] != world.keys[at]:
            return True
        for component in range(self.table.component_count):
            if base.has_one(before, component) != world.has_one(at, component):
                return False
        return True


@cython.cfunc
@cython.inline
@cython.exceptval(-2)
def _entity(identity: Any) -> cython.longlong:
    """The id of a visible entity; -1 if no entity can have it."""
    if cython.compiled and PyLong_CheckExact(identity):
        overflow: cython.int = 0
        entity: cython.longlong = PyLong_AsLongLongAndOverflow(identity, cython.address(overflow))
        return entity if entity >= 0 and overflow == 0 else -1
    try:
        number = whole(identity)
    except TypeError:
        raise UsageError(f"visible entities are given by their ids, not {identity!r}") from None
    return number if 0 <= number <= 0xFFFFFFFF else -1


@cython.cfunc
@cython.inline
@cython.exceptval(-2, check=True)
def _priority(identity: Any, given: Any) -> cython.double:
    if cython.compiled and PyFloat_CheckExact(given):
        return PyFloat_AS_DOUBLE(given)
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"the priority of entity {identity} must be above zero, not {given!r}") from None


# Chooses the changes for a packet of bounded size (a compiled kernel): interest.py has the rule.
#
# The visible part of the world is compared with the baseline and written once, without limits, which gives the size of
# each entity. If not all of it fits, a heap gives the most urgent ones; the rest is removed from the difference, and
# what remains is written again.
#
# *Dirty* entities are numbered: first the created ones, then the updated ones, each by ascending id.


@cython.final
@cython.cclass
class Urgency:
    """The scores of one receiver, and the packets that follow from them."""

    encoder: Encoder
    diff: Diff  # of the encoder
    table: FieldTable
    seen: VisiblePart  # of the world at hand
    mode: cython.int  # MASKED or PACKED
    budget: cython.longlong  # bytes of a packet
    entries_each: cython.longlong  # items of an update section that one entity may take
    max_create: cython.longlong
    max_update: cython.longlong
    max_destroy: cython.longlong
    max_total: cython.longlong
    score: cython.p_double  # by number of a dirty entity
    size: cython.p_longlong  # the same: bytes
    chosen: cython.p_longlong  # the same: 1 if it is sent
    heap: cython.p_longlong  # numbers of dirty entities, the most urgent first
    held: cython.Py_ssize_t  # entities that wait from the packets before
    held_id: cython.p_longlong  # ascending
    held_score: cython.p_double
    next_id: cython.p_longlong  # the same after this packet
    next_score: cython.p_double
    capacity: cython.Py_ssize_t
    destroys: cython.longlong  # in the packet so far
    created: cython.longlong
    created_bytes: cython.longlong
    updated: cython.longlong
    updated_bytes: cython.longlong
    _owners: list[Any]

    def __init__(self, encoder: Encoder, mode: int, budget: int, limits: Any) -> None:
        """``encoder`` has no limits of its own; the packets keep to ``limits``."""
        self.encoder = encoder
        self.diff = encoder.diff
        self.table = encoder.table
        self.seen = VisiblePart(self.table)
        self.mode = mode
        self.budget = budget
        self.entries_each = self.table.component_count if mode == layout.PACKED else 1
        self.max_create = limits.max_entities_create
        self.max_update = limits.max_entities_update
        self.max_destroy = limits.max_entities_destroy
        self.max_total = limits.max_total_entities_after_apply
        self.held = 0
        self.capacity = -1
        self.reserve(0)

    def gained(self) -> dict[int, float]:
        """The score of each waiting entity."""
        return {self.held_id[at]: self.held_score[at] for at in range(self.held)}

    def encode(self, cls: Any, baseline: Any, snapshot: Any, visible: Any) -> Any:
        """Encode the packet; returns it with the ids that were sent, destroyed, and left waiting."""
        base: Columns = checked_columns(baseline, self.table)
        world: Columns = checked_columns(snapshot, self.table)
        diff: Diff = self.diff
        status: cython.int = self.encoder.out_of_order(base)
        length: cython.Py_ssize_t
        if status == layout.OK:
            status = self.encoder.out_of_order(world)
        if status != layout.OK:
            raise self.encoder.error(status)
        self.reserve(world.count)
        current: Columns = self.seen.of(cls, base, world, visible if type(visible) is dict else dict(visible))
        status = self.encoder.write_delta(base, current, self.mode)
        if status != layout.OK:
            raise self.encoder.error(status)
        self.gain(current)
        length = layout.HEADER_BYTES + self.encoder.packer.at - self.encoder.packer.payload
        if length <= self.budget and self.within_limits(base.count):
            told = self.tell(current)
        else:
            if diff.destroyed > self.most_destroys():
                diff.destroyed = self.most_destroys()
            self.choose(current, base.count - diff.destroyed)
            told = self.tell(current)
            self.keep_chosen()
            status = self.encoder.write_sections(current, self.mode)
            if status != layout.OK:
                raise self.encoder.error(status)
        packet = self.encoder.packer.emit(layout.DELTA, current.tick, base.tick, None)
        self.held_id, self.next_id = self.next_id, self.held_id
        self.held_score, self.next_score = self.next_score, self.held_score
        self.held = len(told[2])
        return packet, *told

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def reserve(self, entities: cython.Py_ssize_t) -> cython.int:
        """Make space for a world of this many entities; scores of waiting entities are kept."""
        at: cython.Py_ssize_t
        if entities <= self.capacity:
            return 0
        kept = self.gained() if self.held else {}
        self.capacity = 2 * entities + 16
        spaces = [array("q", bytes(8 * self.capacity)) for _ in range(5)]
        numbers = [array("d", bytes(8 * self.capacity)) for _ in range(3)]
        self._owners = spaces + numbers
        self.size, self.chosen, self.heap = longs(spaces[0]), longs(spaces[1]), longs(spaces[2])
        self.held_id, self.next_id = longs(spaces[3]), longs(spaces[4])
        self.score, self.held_score = doubles(numbers[0]), doubles(numbers[1])
        self.next_score = doubles(numbers[2])
        for at, (identity, score) in enumerate(kept.items()):
            self.held_id[at] = identity
            self.held_score[at] = score
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def dirty_at(self, number: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The index of a dirty entity in the current snapshot."""
        if number < self.diff.created:
            at: cython.Py_ssize_t = self.diff.create_at[number]
        else:
            at = self.diff.update_at[number - self.diff.created]
        return at

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def gain(self, current: Columns) -> cython.int:
        """Compute size and new score of each dirty entity; all are chosen so far."""
        diff: Diff = self.diff
        number: cython.Py_ssize_t
        at: cython.Py_ssize_t
        held: cython.Py_ssize_t = 0
        entity: cython.longlong
        endless: cython.double = inf
        total: cython.Py_ssize_t = diff.created + diff.updated
        for number in range(total):
            if number < diff.created:
                self.size[number] = diff.create_start[number]
            else:
                self.size[number] = diff.update_start[number - diff.created]
        for number in range(total):
            if number == diff.created - 1:
                self.size[number] = self.encoder.sections.create_end - self.size[number]
            elif number == total - 1:
                self.size[number] = self.encoder.sections.update_end - self.size[number]
            else:
                self.size[number] = self.size[number + 1] - self.size[number]
            if number == diff.created:
                held = 0
            at = self.dirty_at(number)
            entity = current.keys[at]
            if not 0 < self.seen.priority[at] < endless:
                raise UsageError(f"the priority of entity {entity} must be above zero, not {self.seen.priority[at]!r}")
            while held < self.held and self.held_id[held] < entity:
                held += 1
            self.score[number] = self.seen.priority[at]
            if held < self.held and self.held_id[held] == entity:
                self.score[number] += self.held_score[held]
            self.chosen[number] = 1
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def room(self, kept: cython.Py_ssize_t) -> cython.longlong:
        """How many entities one packet may create besides those that remain."""
        return min(self.max_create, self.max_total - kept)

    @cython.cfunc
    @cython.exceptval(check=False)
    def most_destroys(self) -> cython.longlong:
        # Room for the count and the section's head.
        return min(self.max_destroy, (self.budget - layout.HEADER_BYTES - 11) // 4)

    @cython.cfunc
    @cython.exceptval(check=False)
    def within_limits(self, held: cython.Py_ssize_t) -> cython.bint:
        diff: Diff = self.diff
        return (
            diff.created <= self.room(held - diff.destroyed)
            and diff.updated <= self.max_update
            and diff.destroyed <= self.max_destroy
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def fits(self, created: cython.bint, size: cython.longlong) -> cython.bint:
        """Whether the packet keeps to the budget with one more entity of this size."""
        creates: cython.longlong = self.created + created
        updates: cython.longlong = self.updated + 1 - created
        total: cython.longlong = layout.HEADER_BYTES + _section(self.destroys, 4 * self.destroys)
        total += _section(creates, self.created_bytes + (size if created else 0))
        total += _section(updates * self.entries_each, self.updated_bytes + (0 if created else size))
        return total <= self.budget

    @cython.cfunc
    @cython.exceptval(check=False)
    def choose(self, current: Columns, kept: cython.Py_ssize_t) -> cython.int:
        """Mark the most urgent dirty entities as chosen, each if it still fits."""
        diff: Diff = self.diff
        room: cython.longlong = self.room(kept)
        total: cython.Py_ssize_t = diff.created + diff.updated
        least: cython.longlong = self.budget
        number: cython.Py_ssize_t
        new: cython.bint
        self.destroys = diff.destroyed
        self.created = self.created_bytes = self.updated = self.updated_bytes = 0
        for number in range(total):
            self.chosen[number] = 0
            self.heap[number] = number
            if self.size[number] < least:
                least = self.size[number]
        for number in range(total // 2 - 1, -1, -1):
            self.sift(current, number, total)
        while total > 0:
            number = self.heap[0]
            total -= 1
            self.heap[0] = self.heap[total]
            self.sift(current, 0, total)
            new = number < diff.created
            if (self.created >= room) if new else (self.updated >= self.max_update):
                continue
            if self.fits(new, self.size[number]):
                self.chosen[number] = 1
                if new:
                    self.created += 1
                    self.created_bytes += self.size[number]
                else:
                    self.updated += 1
                    self.updated_bytes += self.size[number]
            elif not self.fits(True, least) and not self.fits(False, least):
                break  # nothing that is left is smaller
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def sooner(self, current: Columns, one: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """The order of dirty entities: by score, highest first, then by id."""
        sooner: cython.bint
        if self.score[one] != self.score[other]:
            sooner = self.score[one] > self.score[other]
        else:
            sooner = current.keys[self.dirty_at(one)] < current.keys[self.dirty_at(other)]
        return sooner

    @cython.cfunc
    @cython.exceptval(check=False)
    def sift(self, current: Columns, at: cython.Py_ssize_t, total: cython.Py_ssize_t) -> cython.void:
        """Move the item at a place of the heap down to where it belongs."""
        item: cython.longlong = self.heap[at]
        child: cython.Py_ssize_t = 2 * at + 1
        while child < total:
            if child + 1 < total and self.sooner(current, self.heap[child + 1], self.heap[child]):
                child += 1
            if not self.sooner(current, self.heap[child], item):
                break
            self.heap[at] = self.heap[child]
            at = child
            child = 2 * at + 1
        self.heap[at] = item

    @cython.cfunc
    def tell(self, current: Columns) -> Any:
        """The ids that are sent, destroyed and left waiting, ascending; scores of the last go into ``next_id``."""
        diff: Diff = self.diff
        total: cython.Py_ssize_t = diff.created + diff.updated
        new: cython.Py_ssize_t = 0
        old: cython.Py_ssize_t = diff.created
        waits: cython.Py_ssize_t = 0
        number: cython.Py_ssize_t
        entity: cython.uint
        sent: list = []  # type: ignore[type-arg]  # a C type
        waiting: list = []  # type: ignore[type-arg]  # a C type
        while new < diff.created or old < total:
            if old == total or (
                new < diff.created and current.keys[self.dirty_at(new)] < current.keys[self.dirty_at(old)]
            ):
                number = new
                new += 1
            else:
                number = old
                old += 1
            entity = current.keys[self.dirty_at(number)]
            if self.chosen[number]:
                sent.append(entity)
            else:
                self.next_id[waits] = entity
                self.next_score[waits] = self.score[number]
                waits += 1
                waiting.append(entity)
        destroyed = [diff.destroy_id[number] for number in range(diff.destroyed)]
        return tuple(sent), tuple(destroyed), tuple(waiting)

    @cython.cfunc
    @cython.exceptval(check=False)
    def keep_chosen(self) -> cython.int:
        """Remove what is not chosen from the difference."""
        diff: Diff = self.diff
        components: cython.int = self.table.component_count
        words: cython.int = self.table.word_count
        component: cython.int
        word: cython.int
        number: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        created: cython.Py_ssize_t = diff.created
        for number in range(created):
            if self.chosen[number]:
                diff.create_at[kept] = diff.create_at[number]
                for component in range(components):
                    diff.create_row[kept * components + component] = diff.create_row[number * components + component]
                kept += 1
        diff.created = kept
        kept = 0
        diff.entries = 0
        for number in range(diff.updated):
            if self.chosen[created + number]:
                diff.update_at[kept] = diff.update_at[number]
                for component in range(components):
                    diff.update_row[kept * components + component] = diff.update_row[number * components + component]
                for word in range(words):
                    diff.masks[kept * words + word] = diff.masks[number * words + word]
                for component in range(components):
                    diff.entries += diff.count_changed(component, kept * words) != 0
                kept += 1
        diff.updated = kept
        return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _section(count: cython.longlong, content: cython.longlong) -> cython.longlong:
    """The size in bytes of a section with so many items."""
    if count == 0:
        return 0
    content += _varint_bytes(count)
    return 1 + _varint_bytes(content) + content


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _varint_bytes(value: cython.ulonglong) -> cython.int:
    size: cython.int = 1
    while value > 127:
        value >>= 7
        size += 1
    return size
