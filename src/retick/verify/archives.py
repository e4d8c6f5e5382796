"""Reads archives in large pieces from start to end: tar (also compressed), and Parquet."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

from retick.errors import DecodeError, Truncated
from retick.replay import ReadLimits
from retick.verify.batch import Batch, BatchEntry
from retick.verify.kernel import BLOCK, TarMember, TarReader, TarRefused, plain_headers
from retick.verify.manifest import LONGEST_LINE, is_url, open_source, pyarrow, stated
from retick.verify.parquet import check_types, parquet_file, parquet_parts
from retick.verify.reading import SIDE_BY_SIDE, ByteRange, identity, whole_rows
from retick.verify.xz import XZ_MEMORY, XzFile

# A damaged archive is read up to the damage, and only then the error is raised. A decompressor that finds an error
# drops what it made in that step. So steps are small, and a failed step is done again byte by byte: at most the last
# byte before the error is lost.

STEP = 1 << 16
"""Bytes that are unpacked in one step."""
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""Exceptions of decompressors."""
OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".tar.gz": lambda file: gzip.GzipFile(fileobj=file),
    ".tgz": lambda file: gzip.GzipFile(fileobj=file),
    ".tar.bz2": bz2.BZ2File,
    ".tar.xz": XzFile,
}


class Unpacked:
    """Unpacks an open file."""

    def __init__(self, raw: BinaryIO, ending: str, *, can_go_back: bool, memory: int = XZ_MEMORY) -> None:
        """``can_go_back``: reading ``raw`` again from its start is cheap. ``memory`` is the most that xz may take."""
        opener = OPENERS[ending]
        self._raw, self._can_go_back = raw, can_go_back
        self._open = partial(XzFile, memory=memory) if opener is XzFile else opener
        self._file = self._open(raw)
        self._given = 0
        self._bytewise = 0
        """Number of bytes that are still to be unpacked one by one."""
        self._error: BaseException | None = None

    def readinto(self, room: memoryview) -> int:
        """Fill ``room`` and return the number of bytes, which is smaller at the end and before an error."""
        size = 0
        while size < len(room) and self._error is None:
            try:
                read = self._file.readinto1(room[size : size + (1 if self._bytewise else STEP)])
            except DAMAGE as error:
                self._begin_again(error)
                continue
            if not read:
                return size
            size += read
            self._given += read
            self._bytewise = max(0, self._bytewise - read)
        if self._error is not None and not size:
            raise self._error
        return size

    def _begin_again(self, error: BaseException) -> None:
        """Go back to the start of the failed step to do it byte by byte, unless that gains nothing."""
        if self._bytewise or not self._can_go_back or isinstance(error, EOFError):
            self._error = error
            return
        try:
            self._raw.seek(0)
            self._file, left = self._open(self._raw), self._given
            while left and (passed := len(self._file.read1(min(left, STEP)))):
                left -= passed
        except DAMAGE:
            self._error = error
        self._bytewise = STEP


ENDINGS = (".rplk", ".rtk")
"""File endings of replays in folders and archives."""
COLUMNS = ("path", "replay", "seed", "checksum")
Look = Callable[[str, str, int, int], BatchEntry]
"""Makes the entry of a path; a manifest is asked by the name in the archive."""


def is_tar(name: str) -> bool:
    return _ending(name) is not None


def is_parquet(name: str) -> bool:
    return name.lower().endswith(".parquet")


def _ending(name: str) -> str | None:
    return next((ending for ending in (".tar", *OPENERS) if name.lower().endswith(ending)), None)


def tar_batches(name: str, look: Look, piece: int, limits: ReadLimits) -> Iterator[Batch | ByteRange]:
    """Read the replays of a tar archive; a damaged archive ends with an entry that has a problem."""
    try:
        with open_source(name) as raw:
            ending, is_file = _ending(name), not is_url(name) and os.path.isfile(name)
            if ending in OPENERS:
                unpacked = Unpacked(raw, ending, can_go_back=is_file, memory=limits.free_bytes)
                yield from _members(name, unpacked, look, piece, _inside(raw, limits) if is_file else limits)
            else:
                yield from _members(name, raw, look, piece, limits)
    except (DecodeError, MemoryError, *DAMAGE) as error:
        yield Batch(b"", [BatchEntry(name, problem=_words(error))])


def _inside(packed: BinaryIO, limits: ReadLimits) -> ReadLimits:
    """Bound a member of a compressed archive by the archive's size, as the content of any other file."""
    size = os.fstat(packed.fileno()).st_size
    return replace(limits, max_bytes=min(limits.max_bytes, limits.free_bytes + limits.growth * size))


def _members(name: str, file: Any, look: Look, piece: int, limits: ReadLimits) -> Iterator[Batch | ByteRange]:
    reader = TarReader(limits.max_bytes)
    ranges = _Ranges(name, file, look, min(piece, limits.max_bytes)) if _can_be_shared_out(name) else None
    free: list[bytearray] = []
    left, wanted, is_empty = b"", piece, True
    while not reader.at_end:
        if ranges is not None and reader.is_between:
            at = file.tell() - len(left)
            for unit in ranges.read(at):
                at, left, is_empty = ranges.end, b"", False
                if unit.entries:
                    yield unit
            file.seek(at + len(left))
        needed = max(piece, 2 * len(left))
        buffer = free.pop() if free and len(free[-1]) >= needed else bytearray(needed)
        buffer[: len(left)] = left
        stop = wanted if wanted > len(left) else needed
        size = len(left) + file.readinto(memoryview(buffer)[len(left) : stop])
        if size == len(left):
            if is_empty:
                raise Truncated("it is empty", needed=BLOCK, available=0)
            reader.finish(size)
            return
        is_empty = False
        view = memoryview(buffer)[:size]
        members, done = reader.read(view)
        left = bytes(view[done:])
        if members:
            wanted = whole_rows(piece, done // len(members)) * (done // len(members))
        entries = _entries(name, members, look) if not reader.refused else _all(name, members, reader.refused, look)
        if entries:
            yield Batch(view, entries, lambda buffer=buffer: free.append(buffer))  # type: ignore[misc]  # bound now
        else:
            free.append(buffer)
        if reader.error is not None:
            raise reader.error


def _entries(name: str, members: list[TarMember], look: Look, base: int = 0) -> list[BatchEntry]:
    prefix = f"{name}!"
    return [
        look(prefix + inside, inside.removeprefix("./"), start - base, end - base)
        for inside, start, end in members
        if inside.endswith(ENDINGS)
    ]


def _all(name: str, members: list[TarMember], refused: list[TarRefused], look: Look) -> list[BatchEntry]:
    """The entries of all members, read or refused, in the order of the archive."""
    entries, at = list[BatchEntry](), 0
    for before, inside, problem in refused:
        entries += _entries(name, members[at:before], look)
        for entry in _entries(name, [TarMember(inside, 0, 0)], look):
            entries.append(entry if entry.problem else BatchEntry(entry.path, problem=problem))
        at = before
    return entries + _entries(name, members[at:], look)


def _can_be_shared_out(name: str) -> bool:
    """Whether workers can read parts of the archive: it is a local file, not compressed, and the system has preadv."""
    return _ending(name) == ".tar" and not is_url(name) and hasattr(os, "preadv") and os.path.isfile(name)


class _Ranges:
    """Finds the plain members of a local archive by their headers alone, for workers to read."""

    def __init__(self, name: str, file: BinaryIO, look: Look, piece: int) -> None:
        self._name, self._file, self._look, self._piece = name, file, look, piece
        self._path = os.path.abspath(name)
        self._identity = identity(file.fileno())
        self._most = SIDE_BY_SIDE
        self.end = 0
        """Offset in the archive after the last part."""

    def read(self, at: int) -> Iterator[ByteRange]:
        """Split the archive from ``at`` on into parts, up to the first header that is not plain."""
        number, size = self._file.fileno(), self._identity.size
        while True:
            if hasattr(os, "posix_fadvise"):  # reading headers alone looks like random access
                os.posix_fadvise(number, at, self._piece, os.POSIX_FADV_WILLNEED)
            members = plain_headers(number, at, min(size, at + self._piece), self._most)
            if len(members) < SIDE_BY_SIDE:
                return
            del members[len(members) // SIDE_BY_SIDE * SIDE_BY_SIDE :]
            base, at = at, (members[-1].end + BLOCK - 1) // BLOCK * BLOCK
            self._most = max(SIDE_BY_SIDE, whole_rows(self._piece, (at - base) // len(members)))
            self.end = at
            yield ByteRange(self._path, base, self._identity, _entries(self._name, members, self._look, base))


def parquet_batches(name: str, look: Look, piece: int, limits: ReadLimits) -> Iterator[Batch]:
    """Read the replays of a Parquet file with the columns path and replay, and perhaps seed and checksum."""
    errors = pyarrow("pyarrow.lib").ArrowException
    try:
        with open_source(name) as raw:
            table = parquet_file(name, raw, piece)
            names = table.schema_arrow.names
            if not {"path", "replay"} <= set(names):
                raise DecodeError("a Parquet file of replays must have the columns path and replay")
            if twice := [each for each in COLUMNS if names.count(each) > 1]:
                raise DecodeError(f"it has more than one column {twice[0]}")
            wanted = [each for each in COLUMNS if each in names]
            check_types(table.schema_arrow, wanted)
            for part in parquet_parts(table, raw, wanted, _rows_in(table, piece), limits):
                yield _parquet_batch(name, part, names, look, limits)
    except (DecodeError, MemoryError, OSError, errors, TypeError, ValueError) as error:
        yield Batch(b"", [BatchEntry(name, problem=_words(error))])


def _rows_in(table: Any, piece: int) -> int:
    about = table.metadata
    size: int = sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups))
    return min(4096, whole_rows(piece, size // max(1, about.num_rows)))


def _parquet_batch(name: str, part: Any, names: list[str], look: Look, limits: ReadLimits) -> Batch:
    column = part["replay"]
    wide = column.type in (pyarrow().large_binary(), pyarrow().large_string())
    _, places, content = column.buffers()
    ends = memoryview(places).cast("B").cast("q" if wide else "i")[column.offset : column.offset + len(column) + 1]
    seeds = part["seed"].to_pylist() if "seed" in names else None
    sums = part["checksum"].to_pylist() if "checksum" in names else None
    entries = []
    paths = part["path"].to_pylist()
    if any(path is not None and len(path) > LONGEST_LINE for path in paths):
        raise DecodeError(f"a path in it has more than {LONGEST_LINE} characters")
    for at, path in enumerate(paths):
        start, end = ends[at], ends[at + 1]
        entry = look(f"{name}!{path}", str(path), start, end)
        if end - start > limits.max_bytes:
            entry = BatchEntry(entry.path, problem=f"it is over the limit of {limits.max_bytes} bytes")
        elif entry.checksum is None and entry.seed is None and not entry.problem:
            entry = BatchEntry(entry[0], start, end, *stated(seeds and seeds[at], sums and sums[at]))
        entries.append(entry)
    return Batch(memoryview(content) if content is not None else b"", entries)


def _words(error: BaseException) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "the archive cannot be read further: it has text that is not UTF-8"
    if isinstance(error, MemoryError):
        return "the archive cannot be read further: there is too little memory for it"
    text = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0]
    return f"the archive cannot be read further: {text}"
