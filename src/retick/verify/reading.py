"""Reads local files into a worker's buffer, which is reused for each batch."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retick._regular_files import regular
from retick.replay import ReadLimits
from retick.verify.batch import Batch, BatchEntry
from retick.verify.kernel import read_files
from retick.verify.manifest import is_url, read_url

BATCH_FILES = 64
BATCH_BYTES = 1 << 20
"""Bytes of a buffer; it grows for a larger file, until that batch is done."""
SLOW_FILES, SLOW_BYTES = 8, 1 << 17
"""Smaller batches for games in Python, which take as long for one match as others for hundreds."""
RAY_BYTES = 8 << 20
"""Bytes of a batch for ray, whose tasks take longer to start."""
SIDE_BY_SIDE = 64
"""Matches that a kernel may play at once."""
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class AnotherFile(OSError):
    """The archive's name now belongs to another file than the one whose headers were read."""


class Identity(NamedTuple):
    """Distinguishes one version of a file from others."""

    device: int
    """Number of the disk; machines that share a disk number it differently."""
    inode: int
    size: int
    changed: int


class Files(list[BatchEntry]):
    """Entries whose paths are files or URLs; the worker that runs them reads them."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A part of a local archive with whole recordings; the worker that runs them reads it."""

    archive: str
    start: int
    identity: Identity
    """The archive whose headers were read; later, or on another machine, its name may belong to another file."""
    entries: list[BatchEntry]
    """The recordings; their offsets count from ``start``."""

    def parts(self) -> Iterator["ByteRange"]:
        """Split the part into pieces that fit a reader's buffer."""
        size = self.entries[-1].end - self.entries[0].start
        step = whole_rows(BATCH_BYTES, size // len(self.entries))
        if step >= len(self.entries):
            yield self
            return
        for at in range(0, len(self.entries), step):
            some = self.entries[at : at + step]
            base = some[0].start
            moved = [BatchEntry(e[0], e[1] - base, e[2] - base, *e[3:]) for e in some]
            yield ByteRange(self.archive, self.start + base, self.identity, moved)


def identity(file: int) -> Identity:
    """The identity of an open file, since its name may be given to another one at any time."""
    about = os.fstat(file)
    return Identity(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def whole_rows(piece: int, size: int) -> int:
    """About as many matches of ``size`` bytes as ``piece`` holds; a multiple of what a kernel plays side by side."""
    rows = max(1, piece // max(1, size))
    return rows if rows < SIDE_BY_SIDE else rows // SIDE_BY_SIDE * SIDE_BY_SIDE


class FileReader:
    """Reads batches of files, one after the other."""

    def __init__(self, limits: ReadLimits | None = None, *, is_elsewhere: bool = False) -> None:
        """``is_elsewhere``: this may be another machine than the one that read the archives' headers."""
        self._is_elsewhere = is_elsewhere
        self._buffer = bytearray(BATCH_BYTES)
        self._most = (limits or ReadLimits()).max_bytes

    def read(self, files: Sequence[BatchEntry]) -> Batch:
        """Read files; the batch is valid until the next call."""
        if len(self._buffer) > BATCH_BYTES:
            self._buffer = bytearray(BATCH_BYTES)
        paths = ["" if entry.problem or is_url(entry[0]) else entry[0] for entry in files]
        ends = read_files(paths, self._buffer, self._most)
        entries = []
        start, last = 0, max(0, *ends) if ends else 0
        for entry, end in zip(files, ends, strict=True):
            if end >= 0:
                entries.append(BatchEntry(entry[0], start, end, entry[3], entry[4]))
                start = end
            else:
                entries.append(self._read_alone(entry, last))
                last = max(last, entries[-1].end)
        return Batch(self._buffer, entries)

    def read_range(self, unit: ByteRange) -> Batch:
        """Read a part of an archive; the batch is valid until the next call.

        If the archive was replaced, the entries have a problem. With ``is_elsewhere`` AnotherFile is raised instead,
        since this machine may have no such archive, or an unrelated one.
        """
        size = max(entry.end for entry in unit.entries)
        if len(self._buffer) < size:
            self._buffer = bytearray(size)
        end, problem = 0, "it was cut off meanwhile"
        try:
            file = self._opened(unit)
            try:
                while end < size:
                    read = os.preadv(file, (memoryview(self._buffer)[end:size],), unit.start + end)
                    if not read:
                        break
                    end += read
            finally:
                os.close(file)
        except OSError as error:
            if isinstance(error, AnotherFile) and self._is_elsewhere:
                raise
            problem = error.strerror or str(error)
        if end < size:
            said = f"the archive cannot be read further: {problem}"
            return Batch(
                self._buffer, [e if e.end <= end or e.problem else e._replace(problem=said) for e in unit.entries]
            )
        return Batch(self._buffer, unit.entries)

    def _opened(self, unit: ByteRange) -> int:
        """Open the archive of a part, or raise AnotherFile. On the same machine, an archive may have grown."""
        try:
            file = regular(unit.archive, _FLAGS)
        except OSError as error:
            raise AnotherFile(error.errno, error.strerror) from None
        found = identity(file)
        if found[1:] != unit.identity[1:] if self._is_elsewhere else found[:2] != unit.identity[:2]:
            os.close(file)
            raise AnotherFile("the archive was replaced while it was read")
        return file

    def _read_alone(self, entry: BatchEntry, at: int) -> BatchEntry:
        """Read one entry to ``at``; return it with its place or its problem."""
        if entry.problem:
            return entry
        try:
            end = self._fetch(entry.path, at) if is_url(entry.path) else self._read_one(entry.path, at)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            return entry._replace(problem=getattr(error, "strerror", None) or str(error))
        except MemoryError:
            return entry._replace(problem="there is too little memory for it")
        if end - at > self._most:
            return entry._replace(problem=f"the file is over the limit of {self._most} bytes")
        return entry._replace(start=at, end=end)

    def _fetch(self, url: str, at: int) -> int:
        data = read_url(url, self._most + 1)
        self._buffer[at : at + len(data)] = data
        return at + len(data)

    def _read_one(self, path: str, at: int) -> int:
        """Read a file to ``at``; return where it ends. Reading stops soon after the limit."""
        end = at
        file = regular(path, _FLAGS)
        try:
            while end - at <= self._most:
                room = memoryview(self._buffer)[end:]
                read = _readv(file, (room,))
                if not read:
                    if room:
                        break
                    room.release()
                    self._buffer += bytes(len(self._buffer))
                end += read
        finally:
            os.close(file)
        return end


def _copied(file: int, rooms: tuple[memoryview]) -> int:
    """Stands in for ``readv`` on systems without it."""
    data = os.read(file, len(rooms[0]))
    rooms[0][: len(data)] = data
    return len(data)


_readv = getattr(os, "readv", _copied)
