"""Runs many short RPLK matches of a flat game in one call, while Python's lock is free (a compiled kernel).

Theory of operation. A one-minute match is some microseconds of work for a compiled game, and the Python objects of one
``loads`` and one ``verify`` cost more than that. So this takes a whole batch: first it checks headers and checksums and
makes the first states, with the lock; then it runs all matches without it. It never decides what is an error: a match
that is not plain in every byte, or whose game has something to say about it, is left to ``loads`` and ``verify``.
"""

import os
from array import array
from typing import Any, Final, NamedTuple
from zlib import adler32, crc32

from retick.errors import ChecksumMismatch, DecodeError, InvalidValue, LimitExceeded, Truncated
from retick.sim.flat import FlatSimulation as _FlatSimulation
from retick.sim.flat import replaces_advance

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_FromString
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.sim.flat import FlatSimulation

__all__ = [
    "BLOCK",
    "TABLES",
    "TarMember",
    "TarReader",
    "TarRefused",
    "final_checksums",
    "is_runnable",
    "plain_headers",
    "read_files",
    "read_members",
]


# Tables for a CRC-32 of sixteen bytes at a time, for the kernel: zlib's own is to be had only with Python's lock.


def _tables() -> "array[int]":
    """What each byte does to a CRC-32 that many bytes further on, for 0 to 15 bytes."""
    first = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0xEDB88320 if octet & 1 else 0)
        first.append(octet)
    rows = [first]
    while len(rows) < 16:
        rows.append([row >> 8 ^ first[row & 255] for row in rows[len(rows) - 1]])
    return array("I", [value for row in rows for value in row])


TABLES: Final = _tables()


if not cython.compiled:
    can_fold: Any = None
    fold: Any = None


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


# Reads tar archives of many small files, piece by piece: ustar, with the long names of GNU tar and of pax.
#
# The tarfile module builds an object of twenty attributes for each member, which takes longer than a match takes to be
# verified. This reads what is needed: name, size, and where the content is. Compiled, a header that is plain in every
# field that matters is read without an object; it never decides what is an error, and leaves all others to the Python
# below it.
#
# ::
#
#     0    100  name
#     124   12  size, octal digits; or, with the first bit set, a big-endian number
#     148    8  sum of all bytes of the header, these eight as spaces; octal
#     156    1  kind: "0", NUL or "7" a file, "L" a long name for the next, "K" a long link, "x" pax values for the
#               next, "g" for all, "S" a sparse file of GNU; "1" to "6" are links, devices and folders, without content
#     257    6  "ustar" and a NUL or a space
#     345  155  prefix of the name, unless the magic has a space (GNU)
#     482    1  of a sparse file: whether a further block of its map follows, in which it is byte 504

BLOCK: Final = 512
MAX_NAME: Final = 4096
"""Bytes of a long name, and of the pax values of one member."""
SPARSE: Final = "it is a sparse file of tar, and these are not read"
_EMPTY = bytes(BLOCK)
_WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Kinds whose size, if they have one, is not that of anything in the archive."""


class TarMember(NamedTuple):
    """One file of an archive; its content is in the bytes that were given."""

    name: str
    start: int
    end: int


class TarRefused(NamedTuple):
    """A file of an archive that is not read."""

    before: int
    """How many files that are read come before it, of the same piece."""
    name: str
    problem: str


class _Said(NamedTuple):
    """What was read about the next member before its header."""

    name: str | None = None
    size: int | None = None
    is_sparse: bool = False


class TarReader:
    """Finds the files in the bytes of an archive, which come in pieces."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        """Bytes of the largest file; of a larger one, nothing is read."""
        self.at_end = False
        """The archive's end was read; what follows is no part of it."""
        self.error: DecodeError | None = None
        """Why the archive cannot be read further; what comes before it was returned."""
        self.refused: list[TarRefused] = []
        """Files of the last piece that are not read: too large, or sparse."""
        self._said: _Said | None = None
        self._skip = 0
        self._after_map: int | None = None
        """In the map of a sparse file: bytes that follow it."""

    @property
    def is_between(self) -> bool:
        """Whether the next bytes are a header, and nothing that was read before is about it."""
        is_new = self._said is None and self._after_map is None
        return is_new and not self._skip and not self.at_end and self.error is None

    def read(self, data: bytes | bytearray | memoryview) -> tuple[list[TarMember], int]:
        """The files that are whole in ``data``, and how many bytes are done with.

        The next piece begins where this one was done with. For what is no tar archive, ``error`` is set after the files
        before it, and the next call raises it.
        """
        if self.error is not None:
            raise self.error
        view = memoryview(data).cast("B")
        found: list[TarMember] = []
        self.refused = []
        size = len(view)
        at = self._skipped(0, size)
        while not self.at_end and not self._skip and at + BLOCK <= size:
            if self._after_map is not None:
                at = self._map_block(view, at)
                continue
            if self._said is None:
                at = _plain_members(view, at, min(size, self.max_size), found)
                if at + BLOCK > size:
                    break
            try:
                after = self._member(view, at, found)
            except DecodeError as error:
                self.error = error
                break
            if after < 0:
                break
            if self.at_end:
                return found, size
            self._skip = after - at
            at = self._skipped(at, size)
        return found, at

    def _member(self, view: Any, at: Any, found: list[Any]) -> Any:
        """Where the member ends whose header is here; -1 if more bytes are needed to read it."""
        header = bytes(view[at : at + BLOCK])
        if header == _EMPTY:
            self.at_end = True
            return at
        _check_sum(header)
        said = self._said or _Said()
        kind = header[156:157]
        length = _number(header)
        if kind in (b"L", b"K", b"x", b"X", b"g"):
            after = _after(at, length)
            if kind in (b"K", b"g"):
                return after
            if length > MAX_NAME:
                raise LimitExceeded("a tar member's name is too long", what="tar name", limit=MAX_NAME, actual=length)
            if after > len(view):
                return -1
            said = _values(kind, bytes(view[at + BLOCK : at + BLOCK + length]), said)
            self._said = said if said != _Said() else None
            return after
        if said.size is not None:
            length = said.size
        after = _after(at, length)
        name = _name_of(header) if said.name is None else said.name
        if kind in _WITHOUT_CONTENT or (kind == b"\0" and _name_of(header).endswith("/")):
            after = at + BLOCK
        elif kind == b"S" or said.is_sparse:
            self.refused.append(TarRefused(len(found), name, SPARSE))
            if kind == b"S" and header[482]:
                self._after_map, after = after - at - BLOCK, at + BLOCK
        elif kind in (b"0", b"\0", b"7"):
            if length > self.max_size:
                self.refused.append(TarRefused(len(found), name, f"it is over the limit of {self.max_size} bytes"))
            elif at + BLOCK + length > len(view):
                return -1
            else:
                found.append(TarMember(name, at + BLOCK, at + BLOCK + length))
        self._said = None
        return after

    def _map_block(self, view: Any, at: Any) -> Any:
        """Where to go on after a further block of a sparse file's map."""
        self._skip = BLOCK
        if not view[at + 504]:
            self._skip += self._after_map or 0
            self._after_map = None
        return self._skipped(at, len(view))

    def finish(self, left: int) -> None:
        """No more bytes come, and ``left`` were not done with; a Truncated if a member is cut off."""
        if self.error is not None:
            raise self.error
        if not self.at_end and (left or self._skip > BLOCK or self._after_map is not None):
            raise Truncated("the tar archive is cut off", needed=BLOCK, available=left)

    def _skipped(self, at: int, size: int) -> int:
        """Where to go on, after what is still to be passed over of the last member."""
        step = min(self._skip, size - at)
        self._skip -= step
        return at + step


def read_members(data: bytes | bytearray | memoryview, max_size: int = 1 << 28) -> list[TarMember]:
    """The files of an archive that is here as a whole, or a DecodeError."""
    reader = TarReader(max_size)
    found, done = reader.read(data)
    reader.finish(len(data) - done)
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _octal(octets: cython.p_uchar, at: cython.Py_ssize_t, digits: cython.Py_ssize_t) -> cython.longlong:
    """The number in so many octal digits, with a NUL or a space behind them; or -1."""
    number: cython.longlong = 0
    index: cython.Py_ssize_t
    for index in range(at, at + digits):
        if not 48 <= octets[index] <= 55:
            return -1
        number = number * 8 + octets[index] - 48
    return number if octets[at + digits] in (0, 32) else -1


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def plain_size(octets: cython.p_uchar, at: cython.Py_ssize_t) -> cython.longlong:
    """The size of the file whose header begins here, or -1: another kind, a prefix, a wrong sum, or unusual numbers."""
    total: cython.longlong = 8 * 32
    index: cython.Py_ssize_t
    if octets[at + 156] != 48 or octets[at + 345] or not octets[at] or octets[at + 99]:
        return -1
    if octets[at + 155] not in (0, 32):
        return -1
    for index in range(at, at + 512):
        total += octets[index]
    for index in range(at + 148, at + 156):
        total -= octets[index]
    return _octal(octets, at + 124, 11) if _octal(octets, at + 148, 6) == total else -1


@cython.cfunc
def plain_name(octets: cython.p_uchar, at: cython.Py_ssize_t) -> Any:
    """The name in a plain header, or None if it is not in ASCII."""
    if cython.compiled:
        name: bytes = PyBytes_FromString(cython.cast(cython.p_char, octets + at))
    else:
        name = bytes(octets[at : at + 100]).split(b"\0", 1)[0]
    return name.decode("ascii") if name.isascii() else None


@cython.cfunc
def _plain_members(view: Any, start: Any, most: Any, found: list[Any]) -> Any:
    """Put the files from ``start`` on that are plain and whole into ``found``; where to go on."""
    at: cython.Py_ssize_t = start
    if cython.compiled:
        size: cython.Py_ssize_t = len(view)
        largest: cython.longlong = most
        length: cython.longlong
        after: cython.longlong
        if not size:
            return at
        held: cython.const[cython.uchar][::1] = view
        octets: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(held[0]))
        while size - at >= 512:
            length = plain_size(octets, at)
            after = at + 512 + (length + 511) // 512 * 512
            if length < 0 or length > largest or after > size:
                break
            name = plain_name(octets, at)
            if name is None:
                break
            found.append(TarMember(name, at + 512, at + 512 + length))
            at = after
    return at


def _check_sum(header: bytes) -> None:
    # The lower half of Adler-32 is 1 and the sum of the bytes, modulo 65521; a header in ASCII never gets there.
    field = header[148:156]
    found = (adler32(header) & 0xFFFF) - (adler32(field) & 0xFFFF) + 8 * 32
    stated = field.rstrip(b"\0 ").lstrip()
    if not _is_octal(stated) or (int(stated, 8) - found) % 65521:
        raise ChecksumMismatch(
            "this is no tar header: its sum is wrong", expected=int(stated, 8) if _is_octal(stated) else 0, found=found
        )


def _is_octal(text: bytes) -> bool:
    return bool(text) and not text.strip(b"01234567")


def _number(header: bytes) -> int:
    field = header[124:136]
    if field[0] & 0x80:
        return int.from_bytes(field, "big") & ((1 << 95) - 1)
    text = field.rstrip(b"\0 ").lstrip()
    if not text:
        return 0
    if not _is_octal(text):
        raise InvalidValue(f"the size of a tar member is {text!r}, which is no octal number")
    return int(text, 8)


def _name_of(header: bytes) -> str:
    name = header[:100].split(b"\0", 1)[0]
    if header[345] and header[257:263] == b"ustar\0":
        name = header[345:500].split(b"\0", 1)[0] + b"/" + name
    return _text(name)


def _after(at: Any, length: Any) -> Any:
    return at + BLOCK + (length + BLOCK - 1) // BLOCK * BLOCK


def _values(kind: bytes, content: bytes, said: _Said) -> _Said:
    """What is said of the next member, with a long name or pax values more."""
    if kind == b"L":
        return said._replace(name=_text(content.split(b"\0", 1)[0]))
    while content:
        number, space, rest = content.partition(b" ")
        if not space or not number.isdigit() or len(number) > 5 or not len(number) + 1 < int(number) <= len(content):
            raise InvalidValue("pax values of a tar member are lines with their lengths in front")
        line, content = rest[: int(number) - len(number) - 1], content[int(number) :]
        key, _, value = line.rstrip(b"\n").partition(b"=")
        if key in (b"path", b"GNU.sparse.name"):
            if key != b"path" or not said.is_sparse or said.name is None:
                said = said._replace(name=_text(value))
        elif key == b"size":
            if not value.isdigit() or len(value) > 20:
                raise InvalidValue(f"the size of a tar member is {value[:24]!r}, which is no number")
            said = said._replace(size=int(value))
        if key.startswith(b"GNU.sparse."):
            said = said._replace(is_sparse=True)
    return said


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


# Reads the headers of a tar archive and passes over its files, while Python's lock is free (a compiled kernel).
#
# Theory of operation. Workers read the files of an archive themselves, each into its own buffer; to share the archive
# out, it is enough to know where they are. That is one small read for each. A header that is not plain ends the row of
# them, and whoever asked reads on from there in the ordinary way. Uncompiled no header is read here.

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING

else:
    read_from: Any = None


def plain_headers(file: Any, start: Any, end: Any, most: Any) -> list[TarMember]:
    """The plain files from ``start`` on that end up to ``end``, ``most`` of them; places are from the file's begin.

    ``file`` is an open one of the system.
    """
    found: list[TarMember] = []
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
            found.append(TarMember(name, starts[index], ends[index]))
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


# Reads many small files into one buffer while Python's lock is free (a compiled kernel).
#
# Theory of operation. ``os.open``, ``os.readv`` and ``os.close`` each give Python's lock away and take it back, and
# with two threads at work this takes as long as reading. Here a batch of files is one call. It never decides what is
# an error: what does not open, does not end or does not fit is left to the ordinary way. Uncompiled, that is every
# file.

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
else:
    open_plain: Any = None
    read_plain: Any = None
    close_plain: Any = None


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
