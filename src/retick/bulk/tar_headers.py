"""Reads the headers of a tar archive and passes over its files, while Python's lock is free (a compiled kernel).

Theory of operation. Workers read the files of an archive themselves, each into its own buffer; to share the archive
out, it is enough to know where they are. That is one small read for each. A header that is not plain ends the row of
them, and whoever asked reads on from there in the ordinary way. Uncompiled no header is read here.
"""

from typing import Any

from retick.replay.many.tar import Member

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.retick.replay.many.tar import plain_name, plain_size
else:
    read_from: Any = None
    plain_name: Any = None
    plain_size: Any = None

__all__ = ["plain_headers"]


def plain_headers(file: Any, start: Any, end: Any, most: Any) -> list[Member]:
    """The plain files from ``start`` on that end up to ``end``, ``most`` of them; places are from the file's begin.

    ``file`` is an open one of the system.
    """
    found: list[Member] = []
    if cython.compiled:
        count: cython.Py_ssize_t = most
        first: cython.longlong = start
        last: cython.longlong = end
        number: cython.int = file
        index: cython.Py_ssize_t
        room = bytearray(512 * count)
        place_bytes = bytearray(16 * count)
        headers: cython.p_uchar = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(room))
        starts: cython.p_longlong = cython.cast(cython.p_longlong, PyByteArray_AS_STRING(place_bytes))
        ends: cython.p_longlong = starts + count
        with cython.nogil:
            count = _hop(number, headers, starts, ends, count, first, last)
        for index in range(count):
            name = plain_name(headers, 512 * index)
            if name is None:
                break
            found.append(Member(name, starts[index], ends[index]))
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _hop(
    file: cython.int,
    headers: cython.p_uchar,
    starts: cython.p_longlong,
    ends: cython.p_longlong,
    count: cython.Py_ssize_t,
    at: cython.longlong,
    last: cython.longlong,
) -> cython.Py_ssize_t:
    """How many headers were read, each with the places of its file."""
    index: cython.Py_ssize_t
    size: cython.longlong
    for index in range(count):
        if last - at < 512 or read_from(file, headers + 512 * index, 512, at) != 512:
            return index
        size = plain_size(headers, 512 * index)
        if size < 0 or size > last - at - 512:
            return index
        starts[index] = at + 512
        ends[index] = at + 512 + size
        at += 512 + (size + 511) // 512 * 512
    return count
