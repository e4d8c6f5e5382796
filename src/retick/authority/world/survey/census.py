# cython: nonecheck=True
"""Which entities a world has, in the order of their ids (a compiled kernel).

Entities seldom come and go. So a census is taken again only when the things in the world's lists, or their ids, are not
those of the last one.
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
    from cython.cimports.cpython import array as carray
    from cython.cimports.cpython.object import PyObject
    from cython.cimports.cpython.sequence import PySequence_Fast_ITEMS
    from cython.cimports.libc.string import memcmp
    from cython.cimports.retick.sim.world.cells import Cell
else:
    from retick.sim.world.cells import Cell

__all__ = ["collected", "reached", "still_holds", "taken"]


def collected(components: Any, world: Any) -> list[Any]:
    """For each component but that of seats: its items, the id of the holder of each, and how many each holder has."""
    found: list[Any] = [([world], [0], array("q", [1]))]
    for component in components[1:-1]:
        items: list[Any] = []
        of: list[Any] = []
        sizes = array("q")
        for each in found[component.parent][0]:
            holder: Cell = each
            within = reached(holder, component.path)
            inside: Any = ()
            if within is not None:
                cell: Cell = within
                inside = cell._parts[component.part]
            items.extend(inside)
            of.extend([holder._id] * len(inside))
            sizes.append(len(inside))
        _check_items(items, component)
        found.append((items, of, sizes))
    return found


def _check_items(items: list[Any], component: Any) -> None:
    """Refuse what only Python code past the methods of lists can put there: slots are read without looking."""
    plan = component.kind._declared
    for each in items:
        cell: Cell = each
        if cell._plan is not plan or cell._id == 0:
            raise UsageError(f"{component.name} was changed past its own methods")


def _ordered(found: list[Any], first_seat: Any, seats: Any) -> list[Any]:
    """A number for each entity, by ascending id: id, component, index in the component."""
    order: list[Any] = []
    for kind in range(len(found)):
        for index, each in enumerate(found[kind][0]):
            cell: Cell = each
            order.append((int(cell._id) << 32) | (kind << 16) | index)
    order.sort()
    order.extend([((first_seat + seat) << 32) | (len(found) << 16) | seat for seat in range(seats)])
    return order


def reached(cell: Cell, path: tuple) -> Any:  # type: ignore[type-arg]  # a C type has no arguments
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
        items, _, sizes = census.found[kind]
        if not _is_as_before(component, census.found[component.parent][0], items, sizes, census.known[kind]):
            return False
    return True


@cython.cfunc
def _is_as_before(component: Any, holders: list, items: list, sizes: Any, known: Any) -> cython.bint:  # type: ignore[type-arg]  # a C type has no arguments
    """Whether the holders' lists of one component have these items, so many each, with the known ids."""
    part: cython.Py_ssize_t = component.part
    path: tuple = component.path  # type: ignore[type-arg]  # as above
    at: cython.Py_ssize_t = 0
    holder: cython.Py_ssize_t
    index: cython.Py_ssize_t
    if cython.compiled:
        size_array: carray.array = sizes
        counts: cython.p_longlong = size_array.data.as_longlongs
        known_array: carray.array = known
        ids: cython.p_longlong = known_array.data.as_longlongs
        before: cython.pointer(cython.pointer(PyObject)) = PySequence_Fast_ITEMS(items)
    else:
        counts, ids = sizes, known
    for holder in range(len(holders)):
        within = reached(holders[holder], path)
        inside: Any = ()
        if within is not None:
            cell: Cell = within
            inside = cell._parts[part]
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


def taken(components: Any, found: list[Any], first_seat: Any, seats: Any) -> Census:
    """Which entities there are, in their order."""
    order = _ordered(found, first_seat, seats)
    count: cython.Py_ssize_t = len(order)
    ids = array("I", bytes(4 * count))
    kinds = array("B", bytes(count))
    starts = array("i", bytes(4 * (count + 1)))
    holders = array("I", bytes(4 * count))
    cells: list[Any] = [None] * count
    begins: list[Any] = [array("q", bytes(8 * len(items))) for items, _, _ in found]
    indexes: list[Any] = [array("q", bytes(8 * len(items))) for items, _, _ in found]
    widths: list[Any] = [len(component.fields) for component in components]
    at: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    for index in range(count):
        key = order[index]
        kind = (key >> 16) & 0xFFFF
        ids[index] = key >> 32
        kinds[index] = kind
        starts[index] = at
        within = key & 0xFFFF
        if kind < len(found):
            begins[kind][within] = at
            indexes[kind][within] = index
            items, of, _ = found[kind]
            cells[index] = items[within]
            holders[index] = of[within]
        at += widths[kind]
    starts[count] = at
    known = [array("q", [_id_of(each) for each in items]) for items, _, _ in found]
    return Census(ids, kinds, starts, holders, cells, begins, indexes, found, known)


@cython.cfunc
def _id_of(each: Any) -> Any:
    cell: Cell = each
    return cell._id
