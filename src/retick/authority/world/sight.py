"""Which entities one receiver gets, and what of them (a compiled kernel)."""
# retick: floats -- distances decide who is sent what; no simulation reads them

from array import array
from typing import Any

from retick.authority.world.rows import Rows

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
    from cython.cimports.libc.math import sqrt
    from cython.cimports.libc.string import memcpy
else:
    from math import sqrt

__all__ = ["priorities", "restricted", "watched"]


def priorities(survey: Any, seat: Any, point: Any, full: cython.double, none: cython.double) -> Any:
    """How urgent each entity is to one who looks from a point: 1 up to ``full`` away, 0 from ``none`` on.

    What is nowhere, and what is the receiver's own, has 1.
    """
    count: cython.Py_ssize_t = len(survey.ids)
    size: cython.Py_ssize_t = len(point)
    own: cython.int = seat
    index: cython.Py_ssize_t
    axis: cython.Py_ssize_t
    sum_of_squares: cython.double
    away: cython.double
    made = array("d", bytes(8 * count))
    if cython.compiled:
        given: carray.array = survey.places
        places: cython.p_double = given.data.as_doubles
        owner_array: carray.array = survey.owners
        owners: cython.p_uchar = owner_array.data.as_uchars
        from_array: carray.array = array("d", point)
        start: cython.p_double = from_array.data.as_doubles
        made_array: carray.array = made
        out: cython.p_double = made_array.data.as_doubles
    else:
        places, owners, start, out = survey.places, survey.owners, point, made
    for index in range(count):
        sum_of_squares = 0.0
        for axis in range(size):
            away = places[index * size + axis] - start[axis]
            sum_of_squares += away * away
        if owners[index] == own or sum_of_squares != sum_of_squares:
            out[index] = 1.0
        else:
            away = sqrt(sum_of_squares)
            out[index] = 1.0 if away <= full else (0.0 if away >= none else (none - away) / (none - full))
    return made


def watched(survey: Any, seat: Any, urgent: Any, hidden: bytes, visible: Any) -> tuple[Any, set[int]]:
    """The indices of the entities that a receiver gets, and the ids of those that are things.

    ``urgent``: from :func:`priorities`, or None; ``hidden``: for each component, whether only the holder's owner sees
    it; ``visible(player, thing)``, or None if all are visible. An item is seen only with its holder, and holders have
    lower ids. Of seats, which come last, the receiver gets its own and those that own a thing it sees.
    """
    count: cython.Py_ssize_t = len(survey.ids)
    seats: cython.int = len(hidden) - 1
    own: cython.int = seat
    index: cython.Py_ssize_t
    kind: cython.int
    picked = array("i")
    seen: set[int] = set()
    owning: set[int] = {seat}
    theirs: dict[int, int] = {}
    cells: list[Any] = survey.cells
    if cython.compiled:
        id_array: carray.array = survey.ids
        ids: cython.p_uint = id_array.data.as_uints
        kind_array: carray.array = survey.kinds
        kinds: cython.p_uchar = kind_array.data.as_uchars
        owner_array: carray.array = survey.owners
        owners: cython.p_uchar = owner_array.data.as_uchars
        holder_array: carray.array = survey.holders
        holders: cython.p_uint = holder_array.data.as_uints
    else:
        ids, kinds, owners, holders = survey.ids, survey.kinds, survey.owners, survey.holders
    for index in range(count):
        kind = kinds[index]
        if kind == 0 or (kind == seats and owners[index] in owning):
            picked.append(index)
            continue
        if kind == seats or (urgent is not None and not urgent[index] > 0.0):
            continue
        if holders[index] and holders[index] not in seen:
            continue
        if hidden[kind] and theirs.get(holders[index]) != own:
            continue
        if visible is not None and not visible(seat, cells[index]):
            continue
        picked.append(index)
        seen.add(ids[index])
        owning.add(owners[index])
        theirs[ids[index]] = owners[index]
    return picked, seen


def restricted(survey: Any, seat: Any, picked: Any, seen: set[int], layout: Any) -> Rows:
    """The rows of the picked entities as one receiver may know them.

    Fields of the owner have their defaults for everybody else, and a reference to what is not seen is none.
    """
    count: cython.Py_ssize_t = len(picked)
    own: cython.int = seat
    index: cython.Py_ssize_t
    source: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    widths = layout.widths
    ids = array("I", bytes(4 * count))
    kinds = array("B", bytes(count))
    starts = array("i", bytes(4 * (count + 1)))
    total: cython.Py_ssize_t = 0
    for index in range(count):
        total += widths[survey.kinds[picked[index]]]
    values = array("Q", bytes(8 * total))
    whole = survey.values
    components: list[Any] = layout.components
    for index in range(count):
        source = picked[index]
        kind: cython.int = survey.kinds[source]
        component = components[kind]
        begin = survey.starts[source]
        size = widths[kind]
        ids[index] = survey.ids[source]
        kinds[index] = kind
        starts[index] = at
        if cython.compiled:
            numbers: carray.array = whole
            made: carray.array = values
            memcpy(made.data.as_ulonglongs + at, numbers.data.as_ulonglongs + begin, 8 * size)
        else:
            values[at : at + size] = whole[begin : begin + size]
        if component.secrets and survey.owners[source] != own:
            first: cython.Py_ssize_t = layout.firsts[kind]
            for out in component.secrets:
                values[at + out] = layout.defaults[first + out]
        for out in component.links:
            if values[at + out] not in seen:
                values[at + out] = 0
        at += size
    starts[count] = at
    return Rows(survey.tick, ids, kinds, starts, values)
