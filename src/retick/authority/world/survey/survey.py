# cython: nonecheck=True
"""A world to rows of whole numbers (a compiled kernel). docs/formats/world-server.md describes the numbers.

A survey is kept from one snapshot to the next and changed in place. When entities come or go there is a new one, which
takes over what the last one knows of those that stay.
"""
# retick: floats -- places decide who is sent what; no simulation reads them

from array import array
from collections.abc import Sequence
from typing import Any

from retick.authority.world.rows import Census, Survey
from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.retick.authority.world.survey.carry import carry_over
    from cython.cimports.retick.authority.world.survey.cell_numbers import kept_of_block, read_block, shape_real
    from cython.cimports.retick.authority.world.survey.census import collected, still_holds, taken
    from cython.cimports.retick.authority.world.survey.value_numbers import (
        kept_of_texts,
        kept_of_values,
        read_texts,
        read_values,
    )
    from cython.cimports.retick.sim.shapes.shape import Shape
    from cython.cimports.retick.sim.world.cells import Cell, Root
    from cython.cimports.retick.snapshot.kernels.arrays import longs, uchars, uints, ulongs
else:
    from retick.authority.world.survey.carry import carry_over
    from retick.authority.world.survey.cell_numbers import kept_of_block, read_block, shape_real
    from retick.authority.world.survey.census import collected, still_holds, taken
    from retick.authority.world.survey.value_numbers import kept_of_texts, kept_of_values, read_texts, read_values
    from retick.sim.shapes.shape import Shape
    from retick.sim.world.cells import Cell, Root
    from retick.snapshot.kernels.arrays import longs, uchars, uints, ulongs

__all__ = ["survey"]

# Times their length: arrays that say that nothing is there.
_ZERO, _WORLD, _NOBODY, _NOWHERE = array("Q", [0]), array("I", [0]), array("B", [255]), array("d", [float("nan")])


def survey(
    layout: Any,
    where: Any,
    axes: Any,
    world: Any,
    tick: Any,
    seats: Sequence[Any],
    first_seat: Any,
    last: Survey | None = None,
) -> Survey:
    """All entities of a world at a tick.

    ``where``: for each component, the slots that say where a thing is, or a function that does, or None; ``axes``: how
    many numbers that is. ``seats``: for each player, the input of the last tick, or None if nobody is connected.
    ``last``: an earlier survey of this world that did not fail. If no entity has come or gone, it becomes this one.
    """
    root: Root = world
    components: list[Any] = layout.components
    if root._next > first_seat:
        raise UsageError(f"{type(world).__name__} has given out all ids that a server can send, 1 to {first_seat - 1}")
    if last is not None and still_holds(last.census, components):
        made = last
    else:
        census = taken(layout.widths, collected(components, world), first_seat, len(seats))
        made = _unread(components, census, axes)
        if last is not None:
            carry_over(last, made)
        _write_holders(components, made)
    made.tick = tick
    census, values = made.census, made.values
    kind: cython.Py_ssize_t
    for kind in range(len(census.found)):
        items: list = census.found[kind][0]  # type: ignore[type-arg]  # a C type has no arguments
        if items:
            component = components[kind]
            _read_component(component, items, census.begins[kind], made.kept[kind], values)
            if component.player_slot >= 0:
                _read_owners(component.player_slot, items, census.indexes[kind], made.owners)
            if isinstance(where[kind], tuple):
                _read_places(where[kind], axes, items, census.indexes[kind], made.places)
            elif where[kind] is not None:
                _ask_places(where[kind], axes, items, census.indexes[kind], made.places)
    values[0] = root._next  # the world's entity is the first
    _read_seats(seats, made.seats, values, census.starts[len(census.ids) - len(seats)])
    return made


def _unread(components: Any, census: Census, axes: Any) -> Survey:
    """A survey with what follows from the census alone; all numbers are 0, as if nothing were there."""
    count: cython.Py_ssize_t = len(census.ids)
    seats: cython.Py_ssize_t = len(census.begins[len(census.found)])
    kind: cython.Py_ssize_t
    index: cython.Py_ssize_t
    made = Survey(0, census.ids, census.kinds, census.starts, _ZERO * census.starts[count])
    made.census = census
    made.cells = census.cells
    made.holders = _WORLD * count
    made.owners = _NOBODY * count
    owners: cython.p_uchar = uchars(made.owners)
    for index in range(seats):
        owners[count - seats + index] = index
    made.places = _NOWHERE * (count * axes)
    made.kept = []
    for kind in range(len(census.found)):
        component = components[kind]
        things: cython.Py_ssize_t = len(census.begins[kind])
        blocks = [kept_of_block(block, things) for block in component.blocks]
        lists = [kept_of_values(plan, things) for plan in component.values]
        made.kept.append((blocks, lists, [kept_of_texts(things) for _ in component.texts]))
    made.seats = [None] * seats
    made.kept.append(([], [], [made.seats]))
    return made


def _write_holders(components: Any, made: Survey) -> None:
    """Write the holders of things that are in lists of things; the id of its holder is the first number of each."""
    census = made.census
    kind: cython.Py_ssize_t
    for kind in range(len(census.found)):
        if components[kind].has_holder:
            ids = census.found[components[kind].parent][2]
            _write_ids(ids, census.found[kind][1], census.indexes[kind], made.holders, census.begins[kind], made.values)


@cython.cfunc
def _write_ids(known: Any, sizes: Any, indexes: Any, holders: Any, begins: Any, values: Any) -> cython.int:
    """Write the ids of holders, each for as many things as it has."""
    ids: cython.p_longlong = longs(known)
    counts: cython.p_longlong = longs(sizes)
    index_of: cython.p_longlong = longs(indexes)
    begin_of: cython.p_longlong = longs(begins)
    out: cython.p_uint = uints(holders)
    numbers: cython.p_ulonglong = ulongs(values)
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    holder: cython.Py_ssize_t
    for holder in range(len(sizes)):
        end += counts[holder]
        while at < end:
            out[index_of[at]] = ids[holder]
            numbers[begin_of[at]] = ids[holder]
            at += 1
    return 0


@cython.cfunc
def _read_component(component: Any, items: list, begins: Any, kept: Any, values: Any) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    blocks, lists, texts = kept
    index: cython.Py_ssize_t
    for index in range(len(blocks)):
        read_block(component.blocks[index], items, begins, blocks[index], values)
    for index in range(len(lists)):
        read_values(component.values[index], items, begins, lists[index], values)
    for index in range(len(texts)):
        read_texts(component.texts[index], items, begins, texts[index], values)
    return 0


@cython.cfunc
def _read_owners(slot: cython.Py_ssize_t, items: list, indexes: Any, owners: Any) -> cython.int:  # type: ignore[type-arg]  # as above
    index: cython.Py_ssize_t
    if cython.compiled:
        index_array: carray.array = indexes
        order: cython.p_longlong = index_array.data.as_longlongs
        owner_array: carray.array = owners
        out: cython.p_uchar = owner_array.data.as_uchars
        for index in range(len(items)):
            out[order[index]] = cython.cast(Cell, items[index])._row[slot]
    else:
        for index in range(len(items)):
            owners[indexes[index]] = items[index]._row[slot]
    return 0


@cython.cfunc
def _read_places(where: tuple, axes: cython.Py_ssize_t, items: list, indexes: Any, places: Any) -> cython.int:  # type: ignore[type-arg]  # as above
    axis: cython.Py_ssize_t
    index: cython.Py_ssize_t
    if cython.compiled:
        index_array: carray.array = indexes
        order: cython.p_longlong = index_array.data.as_longlongs
        place_array: carray.array = places
        out: cython.p_double = place_array.data.as_doubles
    else:
        order, out = indexes, places
    for axis in range(axes):
        slot: cython.Py_ssize_t = where[axis]
        for index in range(len(items)):
            cell: Cell = cython.cast(Cell, items[index]) if cython.compiled else items[index]
            if slot < 0:
                out[order[index] * axes + axis] = _shape_place(cell, -1 - slot)
            elif cython.compiled:
                out[order[index] * axes + axis] = cython.cast(cython.p_double, cell._row)[slot]
            else:
                out[order[index] * axes + axis] = cell._row[slot]
    return 0


@cython.cfunc
def _shape_place(cell: Cell, code: cython.Py_ssize_t) -> cython.double:
    """One number of where a shape is: that of a vector, or of the middle of a rectangle."""
    axis: cython.Py_ssize_t = code & 1
    held = cell._parts[code >> 2]
    shape: Shape = cython.cast(Shape, held) if cython.compiled else held
    start: cython.double = shape_real(shape, axis)
    return start + shape_real(shape, axis + 2) / 2 if code & 2 else start


def _ask_places(where: Any, axes: Any, items: Any, indexes: Any, places: Any) -> None:
    for each, index in zip(items, indexes, strict=True):
        for at, number in enumerate(where(each), index * axes):
            places[at] = number


@cython.cfunc
def _read_seats(seats: Any, kept: list, values: Any, begin: cython.Py_ssize_t) -> cython.int:  # type: ignore[type-arg]  # as above
    """Write whether players are connected, and their inputs."""
    index: cython.Py_ssize_t
    for index in range(len(kept)):
        given = seats[index]
        if given is not kept[index]:
            values[begin + 2 * index] = given is not None
            values[begin + 2 * index + 1] = given or 0
            kept[index] = given
    return 0
