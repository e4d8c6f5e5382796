"""Reads many small files into one buffer while Python's lock is free (a compiled kernel).

Theory of operation. ``os.open``, ``os.readv`` and ``os.close`` each give Python's lock away and take it back, and with
two threads at work this takes as long as reading. Here a batch of files is one call. It never decides what is an error:
what does not open, does not end or does not fit is left to the ordinary way. Uncompiled, that is every file.
"""

import os
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
else:
    open_plain: Any = None
    read_plain: Any = None
    close_plain: Any = None

__all__ = ["read_files"]


def read_files(paths: Any, buffer: Any, most: Any) -> list[int]:
    """Put files into ``buffer``, one behind the other: where each ends, or -1 for one that was left.

    ``paths`` are texts, and an empty one is left. A file of more than ``most`` bytes is left, too.
    """
    count: cython.Py_ssize_t = len(paths)
    size: cython.Py_ssize_t = len(buffer)
    found = [-1] * count
    if not count or not size:
        return found
    if cython.compiled:
        names = [_name(path) for path in paths]
        index: cython.Py_ssize_t
        largest: cython.Py_ssize_t = min(most, size)
        place_bytes = bytearray(16 * count)
        places: cython.pointer(cython.p_uchar) = cython.cast(
            cython.pointer(cython.p_uchar), PyByteArray_AS_STRING(place_bytes)
        )
        ends: cython.p_longlong = cython.cast(cython.p_longlong, PyByteArray_AS_STRING(place_bytes)) + count
        held: cython.uchar[::1] = buffer
        for index in range(count):
            places[index] = cython.cast(cython.p_uchar, PyBytes_AS_STRING(names[index]))
        with cython.nogil:
            _read_all(places, count, cython.address(held[0]), size, largest, ends)
        for index in range(count):
            found[index] = ends[index]
    return found


def _name(path: Any) -> bytes:
    """As the system takes it; empty, which no file is called, if it cannot."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        return b""
    return b"" if b"\0" in name else name


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _read_all(
    paths: cython.pointer(cython.p_uchar),  # type: ignore[valid-type]  # a C type
    count: cython.Py_ssize_t,
    room: cython.p_uchar,
    size: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    ends: cython.p_longlong,
) -> cython.void:
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    got: cython.Py_ssize_t
    file: cython.int
    index: cython.Py_ssize_t
    for index in range(count):
        ends[index] = -1
        file = open_plain(paths[index])
        if file < 0:
            continue
        end = at
        got = -1
        while end < size and end - at <= most:
            got = read_plain(file, room + end, size - end)
            if got <= 0:
                break
            end += got
        close_plain(file)
        if got == 0:
            at = end
            ends[index] = end
