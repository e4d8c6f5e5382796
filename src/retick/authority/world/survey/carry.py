"""From one survey to the next when things have come or gone: what is known of those that stay (a compiled kernel).

The numbers of a thing go together with what they were made of. So they are right for whichever thing gets them: what is
not so any more is read again. That ids match is only why little has to be.
"""

from array import array
from typing import Any

from retick.authority.world.rows import Survey

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.snapshot.kernels.arrays import ints, longs, uchars, uints, ulongs
else:
    from retick.snapshot.kernels.arrays import ints, longs, uchars, uints, ulongs

__all__ = ["carry_over"]

_NEW = array("q", [-1])


def carry_over(last: Survey, made: Survey) -> cython.int:
    """Give a survey that has not been read what the last one knows of its entities."""
    kind: cython.Py_ssize_t
    group: cython.Py_ssize_t
    index: cython.Py_ssize_t
    sources: list[Any] = [_NEW * len(begins) for begins in made.census.begins]
    _carry_numbers(last, made, sources)
    for kind in range(len(sources)):
        if len(sources[kind]):
            for group in range(3):  # blocks, lists, texts
                before, after = last.kept[kind][group], made.kept[kind][group]
                for index in range(len(after)):
                    _carry_kept(before[index], after[index], sources[kind])
    return 0


@cython.cfunc
def _carry_numbers(last: Survey, made: Survey, sources: list) -> cython.int:  # type: ignore[type-arg]  # a C type has no arguments
    """Copy the numbers of the entities that both have.

    ``sources``: gets, for each entity of each component, its index in that component of the last survey.
    """
    old_ids: cython.p_uint = uints(last.ids)
    new_ids: cython.p_uint = uints(made.ids)
    old_kinds: cython.p_uchar = uchars(last.kinds)
    new_kinds: cython.p_uchar = uchars(made.kinds)
    old_starts: cython.p_int = ints(last.starts)
    new_starts: cython.p_int = ints(made.starts)
    old_within: cython.p_int = ints(last.census.within)
    new_within: cython.p_int = ints(made.census.within)
    old_values: cython.p_ulonglong = ulongs(last.values)
    new_values: cython.p_ulonglong = ulongs(made.values)
    olds: cython.Py_ssize_t = len(last.ids)
    old: cython.Py_ssize_t = 0
    new: cython.Py_ssize_t
    kind: cython.int = 0
    source_of: cython.p_longlong = longs(sources[0])
    for new in range(len(made.ids)):
        while old < olds and old_ids[old] < new_ids[new]:
            old += 1
        if old < olds and old_ids[old] == new_ids[new] and old_kinds[old] == new_kinds[new]:
            if cython.compiled:
                size: cython.Py_ssize_t = new_starts[new + 1] - new_starts[new]
                memcpy(new_values + new_starts[new], old_values + old_starts[old], 8 * size)
            else:
                new_values[new_starts[new] : new_starts[new + 1]] = old_values[old_starts[old] : old_starts[old + 1]]
            if kind != new_kinds[new]:
                kind = new_kinds[new]
                source_of = longs(sources[kind])
            source_of[new_within[new]] = old_within[old]
            old += 1
    return 0


@cython.cfunc
def _carry_kept(before: Any, after: Any, sources: Any) -> cython.int:
    """Copy what the numbers were made of: one object for each entity of a component, or so many numbers."""
    count: cython.Py_ssize_t = len(sources)
    size: cython.Py_ssize_t = len(after) // count
    of: cython.p_longlong = longs(sources)
    index: cython.Py_ssize_t
    if isinstance(after, list):
        old_objects: list = before  # type: ignore[type-arg]  # as above
        new_objects: list = after  # type: ignore[type-arg]  # as above
        for index in range(count):
            if of[index] >= 0:
                new_objects[index] = old_objects[of[index]]
        return 0
    known: cython.p_longlong = longs(before)
    out: cython.p_longlong = longs(after)
    for index in range(count):
        if of[index] >= 0:
            if cython.compiled:
                memcpy(out + index * size, known + of[index] * size, 8 * size)
            else:
                out[index * size : (index + 1) * size] = known[of[index] * size : (of[index] + 1) * size]
    return 0
