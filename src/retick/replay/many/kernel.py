"""Runs many short RPLK matches of a flat game in one call, while Python's lock is free (a compiled kernel).

Theory of operation. A one-minute match is some microseconds of work for a compiled game, and the Python objects of one
``loads`` and one ``verify`` cost more than that. So this takes a whole batch: first it checks headers and checksums and
makes the first states, with the lock; then it runs all matches without it. It never decides what is an error: a match
that is not plain in every byte, or whose game has something to say about it, is left to ``loads`` and ``verify``.
"""

from typing import Any
from zlib import crc32

from retick.sim.flat import FlatSimulation as _FlatSimulation

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

__all__ = ["final_checksums", "is_runnable"]

_HEADER = 32
_KEPT = 5120
"""Bytes: for more than these, zlib gives up Python's lock; to take it back for each match costs more than the sum."""


def is_runnable(sim: Any) -> bool:
    """Whether a game is a flat one of the shape that RPLK holds, with nothing of it replaced in Python."""
    kind = type(sim)
    return (
        isinstance(sim, _FlatSimulation)
        and sim.python_advance is None
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
    if size < _HEADER:
        return found
    if cython.compiled:
        held: cython.const[cython.uchar][::1] = view
        octets: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(held[0]))
    else:
        octets = view
    taken: list[Any] = []
    for start, end in spans:
        index += 1
        if not 0 <= start <= end <= size or not _is_plain(octets, start, end, most):
            continue
        if _crc_of(view, start + _HEADER, end) != _u32(octets, start + 20):
            continue
        try:
            state = sim.initial_state(_u32(octets, start + 8))
        except Exception:  # ``verify`` meets it again, and reports it with its frame and line
            continue
        taken.append((index, start, state))
    _run_all(game, octets, taken, found)
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _is_plain(
    octets: cython.p_uchar, start: cython.Py_ssize_t, end: cython.Py_ssize_t, most: cython.ulonglong
) -> cython.bint:
    """Whether the header says what RPLK version 1 says, and its length is right."""
    if end - start < _HEADER:
        return False
    if _u32(octets, start) != 1263292498 or _u32(octets, start + 4) != 2097153:  # "RPLK", version, flags, size
        return False
    if _u32(octets, start + 8) == 0 or _u32(octets, start + 12) != 0:
        return False
    if _u32(octets, start + 24) != 0 or _u32(octets, start + 28) != 0:
        return False
    frames: cython.ulonglong = _u32(octets, start + 16)
    payload: cython.ulonglong = end - start - _HEADER
    return frames <= most and 4 * frames == payload


@cython.cfunc
def _crc_of(view: Any, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.uint:
    crc: Any = 0
    while start < end:
        crc = crc32(view[start : min(start + _KEPT, end)], crc)
        start += _KEPT
    return crc  # type: ignore[no-any-return]  # mypy sees kernels untyped


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
        starts[at] = start + _HEADER
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
