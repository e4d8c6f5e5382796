# cython: nonecheck=True
"""Which entities a world has, in the order of their ids (a compiled kernel).

A census is taken again only when the things in the world's lists, or their ids, are not those of the last one. In many
games that is at nearly every snapshot, as shots come and go: it is made in a few passes over arrays.
"""

from array import array
from typing import Any

from retick.authority.world.rows import Census
from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.object import PyObject
    from cython.cimports.cpython.sequence import PySequence_Fast_ITEMS
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.sim.world.cells import Cell
    from cython.cimports.retick.snapshot.kernels.arrays import ints, longs, uchars, uints, ulongs
else:
    from retick.sim.world.cells import Cell
    from retick.snapshot.kernels.arrays import ints, longs, uchars, uints, ulongs

__all__ = ["collected", "reached", "still_holds", "taken"]

# An array of zeros is one of these times its length.
_BYTE, _INT, _UINT, _LONG, _ULONG = [array(code, [0]) for code in "BiIqQ"]
_ONE = array("q", [1])


def collected(components: Any, world: Any) -> list[Any]:
    """For each component but that of seats: its items, how many of them each holder has, and their ids."""
    kind: cython.Py_ssize_t
    found: list[Any] = [([world], _ONE, _LONG)]
    for kind in range(1, len(components) - 1):
        component = components[kind]
        holders: list = found[component.parent][0]  # type: ignore[type-arg]  # a C type has no arguments
        sizes = _LONG * len(holders)
        items = _items_of(holders, component.path, component.part, sizes)
        found.append((items, sizes, _ids_of(items, component)))
    return found


@cython.cfunc
def _items_of(holders: list, path: tuple, part: cython.Py_ssize_t, sizes: Any) -> list:  # type: ignore[type-arg]  # as above
    """What is in the holders' lists, one after the other."""
    counts: cython.p_longlong = longs(sizes)
    items: list = []  # type: ignore[type-arg]  # as above
    index: cython.Py_ssize_t
    for index in range(len(holders)):
        inside = _list_of(holders[index], path, part)
        counts[index] = len(inside)
        if inside:
            items += inside[:]  # of a plain list, Python copies the pointers
    return items


@cython.cfunc
def _list_of(holder: Any, path: tuple, part: cython.Py_ssize_t) -> Any:  # type: ignore[type-arg]  # as above
    """A list of a holder; an empty one if the part that it would be in is not there."""
    within = reached(holder, path)
    if within is None:
        return ()
    cell: Cell = within
    return cell._parts[part]


@cython.cfunc
def _ids_of(items: list, component: Any) -> Any:  # type: ignore[type-arg]  # as above
    """The ids of items.

    What only Python code past the methods of lists can put there is refused: slots are read without looking.
    """
    plan = component.kind._declared
    ids = _LONG * len(items)
    out: cython.p_longlong = longs(ids)
    index: cython.Py_ssize_t
    for index in range(len(items)):
        cell: Cell = items[index]
        if cell._plan is not plan or cell._id == 0:
            raise UsageError(f"{component.name} was changed past its own methods")
        out[index] = cell._id
    return ids


def reached(cell: Cell, path: tuple) -> Any:  # type: ignore[type-arg]  # as above
    """The part at the end of a path; None if there is none."""
    here: Cell = cell
    for part in path:
        inside = here._parts[part]
        if inside is None:
            return None
        here = inside
    return here


def still_holds(census: Census, components: Any) -> cython.bint:
    """Whether the same things are at the same places of the world's lists, with the ids that they had.

    Then nothing was put there past the methods of lists either. Holders come before what they hold.
    """
    kind: cython.Py_ssize_t
    for kind in range(1, len(components) - 1):
        component = components[kind]
        items, sizes, ids = census.found[kind]
        if not _is_as_before(component, census.found[component.parent][0], items, sizes, ids):
            return False
    return True


@cython.cfunc
def _is_as_before(component: Any, holders: list, items: list, sizes: Any, known: Any) -> cython.bint:  # type: ignore[type-arg]  # as above
    """Whether the holders' lists of one component have these items, so many each, with the known ids."""
    part: cython.Py_ssize_t = component.part
    path: tuple = component.path  # type: ignore[type-arg]  # as above
    counts: cython.p_longlong = longs(sizes)
    ids: cython.p_longlong = longs(known)
    at: cython.Py_ssize_t = 0
    holder: cython.Py_ssize_t
    index: cython.Py_ssize_t
    if cython.compiled:
        before: cython.pointer(cython.pointer(PyObject)) = PySequence_Fast_ITEMS(items)
    for holder in range(len(holders)):
        inside = _list_of(holders[holder], path, part)
        count: cython.Py_ssize_t = len(inside)
        if count != counts[holder]:
            return False
        if cython.compiled:
            if count and memcmp(PySequence_Fast_ITEMS(inside), before + at, count * cython.sizeof(before[0])):
                return False
            for index in range(at, at + count):
                if cython.cast(Cell, before[index])._id != ids[index]:
                    return False
        else:
            for index in range(count):
                if inside[index] is not items[at + index] or items[at + index]._id != ids[at + index]:
                    return False
        at += count
    return True


def taken(widths: Any, found: list[Any], first_seat: Any, seats: Any) -> Census:
    """Which entities there are, in their order; ``widths``: how many numbers those of each component have."""
    every: list[Any] = [items for items, _, _ in found] + [[None] * seats]
    begins: list[Any] = [_LONG * len(items) for items in every]
    indexes: list[Any] = [_LONG * len(items) for items in every]
    ordered = _ordered(found, first_seat, seats)
    count: cython.Py_ssize_t = len(ordered)
    made = Census(
        _UINT * count, _BYTE * count, _INT * (count + 1), [None] * count, _INT * count, begins, indexes, found
    )
    keys: cython.p_ulonglong = ulongs(ordered)
    ids: cython.p_uint = uints(made.ids)
    kinds: cython.p_uchar = uchars(made.kinds)
    starts: cython.p_int = ints(made.starts)
    within: cython.p_int = ints(made.within)
    cells: list = made.cells  # type: ignore[type-arg]  # as above
    sizes: cython.p_int = ints(widths)
    at: cython.Py_ssize_t = 0
    kind: cython.Py_ssize_t = 0
    items: list = every[0]  # type: ignore[type-arg]  # as above
    begin_of: cython.p_longlong = longs(begins[0])
    index_of: cython.p_longlong = longs(indexes[0])
    index: cython.Py_ssize_t
    for index in range(count):
        now: cython.Py_ssize_t = (keys[index] >> 24) & 0xFF
        place: cython.Py_ssize_t = keys[index] & 0xFFFFFF
        if now != kind:
            kind = now
            items, begin_of, index_of = every[kind], longs(begins[kind]), longs(indexes[kind])
        ids[index] = keys[index] >> 32
        kinds[index] = kind
        starts[index] = at
        within[index] = place
        begin_of[place] = at
        index_of[place] = index
        cells[index] = items[place]
        at += sizes[kind]
    starts[count] = at
    return made


@cython.cfunc
def _ordered(found: list, first_seat: cython.ulonglong, seats: cython.Py_ssize_t) -> Any:  # type: ignore[type-arg]  # as above
    """A number for each entity, by ascending id: id (32 bits), component (8), index in the component (24)."""
    things: cython.Py_ssize_t = sum([len(items) for items, _, _ in found])
    at: cython.Py_ssize_t = 0
    kind: cython.ulonglong = 0
    index: cython.Py_ssize_t
    keys = _ULONG * (things + seats)
    out: cython.p_ulonglong = ulongs(keys)
    for _, _, known in found:
        ids: cython.p_longlong = longs(known)
        for index in range(len(known)):
            out[at] = (ids[index] << 32) | (kind << 24) | index
            at += 1
        kind += 1
    for index in range(seats):
        out[at + index] = ((first_seat + index) << 32) | (kind << 24) | index
    return _sorted(keys, things)


@cython.cfunc
def _sorted(keys: Any, count: cython.Py_ssize_t) -> Any:
    """Keys, of which the first ``count`` are in ascending order.

    What is in one list mostly ascends already. So runs that ascend are found, and two of them merged, until there is
    one.
    """
    if not cython.compiled:
        return array("Q", sorted(keys[:count])) + keys[count:]
    other = keys[:]
    while True:
        given: cython.p_ulonglong = ulongs(keys)
        made: cython.p_ulonglong = ulongs(other)
        begin: cython.Py_ssize_t = 0
        while begin < count:
            middle: cython.Py_ssize_t = _end_of_run(given, begin, count)
            if middle - begin == count:
                return keys
            end: cython.Py_ssize_t = _end_of_run(given, middle, count)
            _merge(given, begin, middle, end, made)
            begin = end
        keys, other = other, keys


@cython.cfunc
@cython.exceptval(check=False)
def _end_of_run(keys: cython.p_ulonglong, begin: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Up to where keys ascend from here on."""
    if begin == count:
        return count
    begin += 1
    while begin < count and keys[begin - 1] < keys[begin]:
        begin += 1
    return begin


@cython.cfunc
@cython.exceptval(check=False)
def _merge(
    keys: cython.p_ulonglong,
    first: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.p_ulonglong,
) -> cython.void:
    """Merge two runs, the second of which begins where the first ends."""
    second: cython.Py_ssize_t = middle
    at: cython.Py_ssize_t
    for at in range(first, end):
        if second == end or (first < middle and keys[first] < keys[second]):
            out[at] = keys[first]
            first += 1
        else:
            out[at] = keys[second]
            second += 1
