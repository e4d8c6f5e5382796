"""Runs many short RPLK matches of a flat game in one call, while Python's lock is free (a compiled kernel).

Theory of operation. A one-minute match is some microseconds of work for a compiled game, and the Python objects of one
``loads`` and one ``verify`` cost more than that. So this takes a whole batch: first it checks headers and checksums and
makes the first states, with the lock; then it runs all matches without it. It never decides what is an error: a match
that is not plain in every byte, or whose game has something to say about it, is left to ``loads`` and ``verify``.
"""

from typing import Any
from zlib import crc32

from retick.replay.many.crc_tables import TABLES
from retick.sim.flat import FlatSimulation as _FlatSimulation
from retick.sim.flat import replaces_advance

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.sim.flat import FlatSimulation

    can_fold: Any = None
    fold: Any = None

__all__ = ["final_checksums", "is_runnable"]


def is_runnable(sim: Any) -> bool:
    """Whether a game is a flat one of the shape that RPLK holds, with nothing of it replaced in Python."""
    kind = type(sim)
    return (
        isinstance(sim, _FlatSimulation)
        and sim.python_advance is None
        and (cython.compiled or not replaces_advance(kind))
        and sim.num_players == 2
        and sim.input_size == 2
        and all(getattr(kind, name) is getattr(_FlatSimulation, name) for name in ("run", "step", "checksum"))
        and not {"run", "step", "checksum"} & set(getattr(sim, "__dict__", ()))
    )


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.nogil
def _u32(octets: cython.p_uchar, at: cython.Py_ssize_t) -> cython.uint:
    value: cython.uint = octets[at + 3]
    value = (value << 8) | octets[at + 2]
    value = (value << 8) | octets[at + 1]
    return (value << 8) | octets[at]  # type: ignore[no-any-return]  # mypy sees kernels untyped


def final_checksums(sim: Any, data: Any, spans: Any, max_frames: Any) -> list[tuple[int, int, int] | None]:
    """Seed, frames and final checksum of each match; ``spans`` are where in ``data`` each begins and ends.

    None: not a plain RPLK file with a right CRC and up to ``max_frames`` frames. ``sim`` must be runnable.
    """
    game: FlatSimulation = sim
    found: list[Any] = [None] * len(spans)
    view = memoryview(data).cast("B")
    size: cython.Py_ssize_t = len(view)
    most: cython.ulonglong = max_frames
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    index: cython.Py_ssize_t = -1
    if size < 32:
        return found
    if cython.compiled:
        held: cython.const[cython.uchar][::1] = view
        octets: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(held[0]))
    else:
        octets = view
    count: cython.Py_ssize_t = len(spans)
    if cython.compiled:
        tables: cython.const[cython.uint][::1] = TABLES
        table: cython.p_uint = cython.cast(cython.p_uint, cython.address(tables[0]))
        place_bytes = bytearray(16 * count)
        starts: cython.p_longlong = cython.cast(cython.p_longlong, PyByteArray_AS_STRING(place_bytes))
        ends: cython.p_longlong = starts + count
    else:
        table, starts, ends = None, [0] * count, [0] * count
    for start, end in spans:
        index += 1
        if not 0 <= start <= end <= size:
            start = end = 0
        starts[index] = start
        ends[index] = end
    if cython.compiled:
        with cython.nogil:
            _check_all(table, octets, starts, ends, count, most)
    else:
        _check_all(table, octets, starts, ends, count, most)
    taken: list[Any] = []
    for index in range(count):
        if not ends[index]:
            continue
        try:
            state = sim.initial_state(_u32(octets, starts[index] + 8))
        except Exception:  # ``verify`` meets it again, and reports it with its frame and line
            continue
        taken.append((index, starts[index], state))
    _run_all(game, octets, taken, found)
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _is_plain(
    octets: cython.p_uchar, start: cython.Py_ssize_t, end: cython.Py_ssize_t, most: cython.ulonglong
) -> cython.bint:
    """Whether the header says what RPLK version 1 says, and its length is right."""
    if end - start < 32:
        return False
    if _u32(octets, start) != 1263292498 or _u32(octets, start + 4) != 2097153:  # "RPLK", version, flags, size
        return False
    if _u32(octets, start + 8) == 0 or _u32(octets, start + 12) != 0:
        return False
    if _u32(octets, start + 24) != 0 or _u32(octets, start + 28) != 0:
        return False
    frames: cython.ulonglong = _u32(octets, start + 16)
    payload: cython.ulonglong = end - start - 32
    return frames <= most and 4 * frames == payload


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _crc_of(table: cython.p_uint, octets: cython.p_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.uint:
    """The CRC-32 that zlib has, which can be had only with Python's lock."""
    crc: cython.uint = 0
    size: cython.Py_ssize_t = (end - at) // 64 * 64
    if cython.compiled:
        folded = cython.declare(cython.uchar[16])
        crc = ~crc
        if size and can_fold():
            fold(octets + at, size, crc, folded)
            crc = _crc_on(table, folded, 0, 16, 0)
            at += size
        return ~_crc_on(table, octets, at, end, crc)
    return crc32(octets[at:end])


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _crc_on(
    table: cython.p_uint, octets: cython.p_uchar, at: cython.Py_ssize_t, end: cython.Py_ssize_t, crc: cython.uint
) -> cython.uint:
    """What the bytes from ``at`` on make of a CRC that is under way."""
    a: cython.uint
    b: cython.uint
    c: cython.uint
    d: cython.uint
    while end - at >= 16:
        a = crc ^ _u32(octets, at)
        b = _u32(octets, at + 4)
        c = _u32(octets, at + 8)
        d = _u32(octets, at + 12)
        crc = (
            table[3840 + (a & 255)]
            ^ table[3584 + ((a >> 8) & 255)]
            ^ table[3328 + ((a >> 16) & 255)]
            ^ table[3072 + ((a >> 24) & 255)]
            ^ table[2816 + (b & 255)]
            ^ table[2560 + ((b >> 8) & 255)]
            ^ table[2304 + ((b >> 16) & 255)]
            ^ table[2048 + ((b >> 24) & 255)]
            ^ table[1792 + (c & 255)]
            ^ table[1536 + ((c >> 8) & 255)]
            ^ table[1280 + ((c >> 16) & 255)]
            ^ table[1024 + ((c >> 24) & 255)]
            ^ table[768 + (d & 255)]
            ^ table[512 + ((d >> 8) & 255)]
            ^ table[256 + ((d >> 16) & 255)]
            ^ table[0 + ((d >> 24) & 255)]
        )
        at += 16
    while at < end:
        crc = (crc >> 8) ^ table[(crc ^ octets[at]) & 255]
        at += 1
    return crc


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _check_all(
    table: cython.p_uint,
    octets: cython.p_uchar,
    starts: cython.p_longlong,
    ends: cython.p_longlong,
    count: cython.Py_ssize_t,
    most: cython.ulonglong,
) -> cython.void:
    """Of each match that is not plain, or has another CRC than its header says, set the end to 0."""
    index: cython.Py_ssize_t
    for index in range(count):
        if not _is_plain(octets, starts[index], ends[index], most) or _crc_of(
            table, octets, starts[index] + 32, ends[index]
        ) != _u32(octets, starts[index] + 20):
            ends[index] = 0


@cython.cfunc
def _run_all(game: FlatSimulation, octets: cython.p_uchar, taken: list[Any], found: list[Any]) -> Any:
    """Run every match that was taken, and put its result where its index says."""
    count: cython.Py_ssize_t = len(taken)
    slots: cython.Py_ssize_t = game.slot_count
    at: cython.Py_ssize_t
    start: cython.Py_ssize_t
    if cython.compiled:
        row_bytes = bytearray(8 * slots * count)
        number_bytes = bytearray(3 * 8 * count)
        rows: cython.p_longlong = cython.cast(cython.p_longlong, PyByteArray_AS_STRING(row_bytes))
        starts: cython.p_longlong = cython.cast(cython.p_longlong, PyByteArray_AS_STRING(number_bytes))
        counts: cython.p_longlong = starts + count
        sums: cython.p_longlong = counts + count
    else:
        rows, starts, counts, sums = [0] * (slots * count), [0] * count, [0] * count, [0] * count
    for at in range(count):
        _, start, state = taken[at]
        starts[at] = start + 32
        counts[at] = _u32(octets, start + 16)
        if cython.compiled:
            memcpy(rows + at * slots, game.slots_of(state), slots * 8)
        else:
            rows[at * slots : (at + 1) * slots] = game.slots_of(state)
    if cython.compiled:
        with cython.nogil:
            game.run_many_slots(rows, octets, starts, counts, count)
            for at in range(count):
                sums[at] = game.checksum_slots(rows + at * slots)
    else:
        game.run_many_slots(rows, octets, starts, counts, count)
        for at in range(count):
            sums[at] = game.checksum_slots(rows[at * slots : (at + 1) * slots])
    for at in range(count):
        index, start, _ = taken[at]
        found[index] = (_u32(octets, start + 8), _u32(octets, start + 16), sums[at])
    return None
