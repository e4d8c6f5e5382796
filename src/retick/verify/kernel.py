"""Runs many short RPLK matches of a flat game in one call, without the GIL (a compiled kernel).

Theory of operation. A compiled game takes some microseconds for a one-minute match, less than the Python objects of
one ``loads`` and one ``verify`` cost. So the kernel takes a whole batch: with the GIL it makes the first states,
without it it checks headers and checksums and runs all matches. It never decides what is an error: a match that is not
plain in every byte, or whose game raises, is left to ``loads`` and ``verify``.
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

# Tables for a CRC-32 of sixteen bytes at a time: zlib's function needs the GIL.


def _tables() -> "array[int]":
    """For each distance of 0 to 15 bytes, the effect of each byte value on a CRC-32 that many bytes later."""
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
    """Whether a game is flat, has the shape that RPLK holds, and replaces none of the methods that the kernel calls."""
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
    """Seed, frames and final checksum of each match; ``spans`` has its start and end in ``data``.

    None for what is not a plain RPLK file with a right CRC and at most ``max_frames`` frames. ``sim`` must be runnable.
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
        except Exception:  # ``verify`` raises it again, and reports it with its frame and line
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
    """Whether the header is one of RPLK version 1, with the right length."""
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
    """The same CRC-32 as zlib's, whose function needs the GIL."""
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
    """Continue a CRC with the bytes from ``at`` on."""
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
    """Set the end of each match to 0 if it is not plain, or its CRC differs from the header's."""
    index: cython.Py_ssize_t
    for index in range(count):
        if not _is_plain(octets, starts[index], ends[index], most) or _crc_of(
            table, octets, starts[index] + 32, ends[index]
        ) != _u32(octets, starts[index] + 20):
            ends[index] = 0


@cython.cfunc
def _run_all(game: FlatSimulation, octets: cython.p_uchar, taken: list[Any], found: list[Any]) -> Any:
    """Run every match in ``taken``, and put its result at its index in ``found``."""
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
# The tarfile module builds an object of twenty attributes for each member, which takes longer than verifying a match.
# This reads only the name, the size and the place of the content. Compiled, a header that is plain in every field that
# matters is read without an object; all others are left to the Python code below, which decides what is an error.
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
#     482    1  in a sparse file: whether another block of its map follows, in which this is byte 504

BLOCK: Final = 512
MAX_NAME: Final = 4096
"""Most bytes of a long name, and of the pax values of one member."""
SPARSE: Final = "it is a sparse file in a tar archive: these are not read"
_EMPTY = bytes(BLOCK)
_WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Kinds without content in the archive, whatever size they state."""


class TarMember(NamedTuple):
    """One file of an archive, with the place of its content in the bytes that were read."""

    name: str
    start: int
    end: int


class TarRefused(NamedTuple):
    """A file of an archive that is not read."""

    before: int
    """Number of files in the same piece that come before it and are read."""
    name: str
    problem: str


class _Said(NamedTuple):
    """What extended headers have said about the next member."""

    name: str | None = None
    size: int | None = None
    is_sparse: bool = False


class TarReader:
    """Finds the files in the bytes of an archive, which come in pieces."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        """Largest size of a file, in bytes; larger ones are refused."""
        self.at_end = False
        """True when the archive's end was read; further bytes do not belong to it."""
        self.error: DecodeError | None = None
        """Why the archive cannot be read further; earlier files were returned."""
        self.refused: list[TarRefused] = []
        """Files of the last piece that are not read: too large, or sparse."""
        self._said: _Said | None = None
        self._skip = 0
        self._after_map: int | None = None
        """Inside the map of a sparse file: number of bytes that follow the map."""

    @property
    def is_between(self) -> bool:
        """Whether the next bytes are a header that no extended header has described."""
        is_new = self._said is None and self._after_map is None
        return is_new and not self._skip and not self.at_end and self.error is None

    def read(self, data: bytes | bytearray | memoryview) -> tuple[list[TarMember], int]:
        """The files that are whole in ``data``, and the number of bytes that were consumed.

        The next piece must begin after these bytes. At the first bytes that are not a tar archive, ``error`` is set,
        and the next call raises it.
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
        """Read the member whose header is at ``at``; return where it ends, or -1 if more bytes are needed."""
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
        """Pass over another block of a sparse file's map; return where to go on."""
        self._skip = BLOCK
        if not view[at + 504]:
            self._skip += self._after_map or 0
            self._after_map = None
        return self._skipped(at, len(view))

    def finish(self, left: int) -> None:
        """Call this after the last piece, of which ``left`` bytes were not consumed. Truncated if a member is cut."""
        if self.error is not None:
            raise self.error
        if not self.at_end and (left or self._skip > BLOCK or self._after_map is not None):
            raise Truncated("the tar archive is cut off", needed=BLOCK, available=left)

    def _skipped(self, at: int, size: int) -> int:
        """Pass over the rest of the last member; return where to go on."""
        step = min(self._skip, size - at)
        self._skip -= step
        return at + step


def read_members(data: bytes | bytearray | memoryview, max_size: int = 1 << 28) -> list[TarMember]:
    """The files of an archive that is given as a whole; DecodeError if it is damaged."""
    reader = TarReader(max_size)
    found, done = reader.read(data)
    reader.finish(len(data) - done)
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _octal(octets: cython.p_uchar, at: cython.Py_ssize_t, digits: cython.Py_ssize_t) -> cython.longlong:
    """The number in octal digits that a NUL or a space follows; -1 for anything else."""
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
    """The size in a plain header; -1 if it has another kind, a prefix, a wrong sum or unusual numbers."""
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
    """The name in a plain header; None if it is not ASCII."""
    if cython.compiled:
        name: bytes = PyBytes_FromString(cython.cast(cython.p_char, octets + at))
    else:
        name = bytes(octets[at : at + 100]).split(b"\0", 1)[0]
    return name.decode("ascii") if name.isascii() else None


@cython.cfunc
def _plain_members(view: Any, start: Any, most: Any, found: list[Any]) -> Any:
    """Append the plain and whole files from ``start`` on to ``found``; return where to go on."""
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
    # The lower half of Adler-32 is 1 plus the sum of the bytes, modulo 65521; an ASCII header's sum is smaller.
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
        raise InvalidValue(f"the size of a tar member must be an octal number, not {text!r}")
    return int(text, 8)


def _name_of(header: bytes) -> str:
    name = header[:100].split(b"\0", 1)[0]
    if header[345] and header[257:263] == b"ustar\0":
        name = header[345:500].split(b"\0", 1)[0] + b"/" + name
    return _text(name)


def _after(at: Any, length: Any) -> Any:
    return at + BLOCK + (length + BLOCK - 1) // BLOCK * BLOCK


def _values(kind: bytes, content: bytes, said: _Said) -> _Said:
    """Add a long name or pax values to what is known about the next member."""
    if kind == b"L":
        return said._replace(name=_text(content.split(b"\0", 1)[0]))
    while content:
        number, space, rest = content.partition(b" ")
        if not space or not number.isdigit() or len(number) > 5 or not len(number) + 1 < int(number) <= len(content):
            raise InvalidValue("the pax values of a tar member must be lines that begin with their lengths")
        line, content = rest[: int(number) - len(number) - 1], content[int(number) :]
        key, _, value = line.rstrip(b"\n").partition(b"=")
        if key in (b"path", b"GNU.sparse.name"):
            if key != b"path" or not said.is_sparse or said.name is None:
                said = said._replace(name=_text(value))
        elif key == b"size":
            if not value.isdigit() or len(value) > 20:
                raise InvalidValue(f"the size of a tar member must be a number, not {value[:24]!r}")
            said = said._replace(size=int(value))
        if key.startswith(b"GNU.sparse."):
            said = said._replace(is_sparse=True)
    return said


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


# Reads the headers of a tar archive and passes over its files, without the GIL.
#
# Theory of operation. Workers read the files of an archive themselves, each into its own buffer. To distribute the
# archive it is enough to know where the files are, with one small read for each. At a header that is not plain this
# stops, and the caller reads on in the ordinary way. Uncompiled no header is read here.

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING

else:
    read_from: Any = None


def plain_headers(file: Any, start: Any, end: Any, most: Any) -> list[TarMember]:
    """At most ``most`` plain files that lie between ``start`` and ``end``; their places count from the archive's start.

    ``file`` is a file descriptor.
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
    """Read headers and the places of their files; return how many were read."""
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


# Reads many small files into one buffer without the GIL.
#
# Theory of operation. ``os.open``, ``os.readv`` and ``os.close`` each release the GIL and take it back, which takes as
# long as reading when two threads work. Here a batch of files is one call. It never decides what is an error: a file
# that does not open, end or fit is left to the ordinary way. Uncompiled, that is every file.

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING
else:
    open_plain: Any = None
    read_plain: Any = None
    close_plain: Any = None


def read_files(paths: Any, buffer: Any, most: Any) -> list[int]:
    """Put files into ``buffer``, one behind the other; return where each ends, or -1 for a file that was left out.

    Empty paths and files of more than ``most`` bytes are left out.
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
    """Encode a path for the system; empty, which names no file, if that fails."""
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
