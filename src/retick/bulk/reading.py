"""Reads local files into the buffer of one worker, which is used again for each batch."""

import os
from collections.abc import Sequence

from retick.bulk.local_files import read_files
from retick.bulk.urls import is_url, read_url
from retick.replay import ReadLimits
from retick.replay.many.batch import Batch, Entry

__all__ = ["BATCH_BYTES", "BATCH_FILES", "RAY_BYTES", "FileReader", "Files"]

BATCH_FILES = 64
BATCH_BYTES = 1 << 20
"""Bytes of a buffer; a larger file makes it larger, for as long as its batch is there."""
RAY_BYTES = 8 << 20
"""Bytes of a batch for ray, whose tasks take longer to begin."""
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


class Files(list[Entry]):
    """Entries whose paths are files or URLs, to be read by whoever runs them."""


class FileReader:
    """Reads batches of files, one after the other."""

    def __init__(self, limits: ReadLimits | None = None) -> None:
        self._buffer = bytearray(BATCH_BYTES)
        self._most = (limits or ReadLimits()).max_bytes

    def read(self, files: Sequence[Entry]) -> Batch:
        """The files' bytes; the batch is good until the next call."""
        if len(self._buffer) > BATCH_BYTES:
            self._buffer = bytearray(BATCH_BYTES)
        paths = ["" if entry.problem or is_url(entry[0]) else entry[0] for entry in files]
        ends = read_files(paths, self._buffer, self._most)
        entries = []
        start, last = 0, max(0, *ends) if ends else 0
        for entry, end in zip(files, ends, strict=True):
            if end >= 0:
                entries.append(Entry(entry[0], start, end, entry[3], entry[4]))
                start = end
            else:
                entries.append(self._read_alone(entry, last))
                last = max(last, entries[-1].end)
        return Batch(self._buffer, entries)

    def _read_alone(self, entry: Entry, at: int) -> Entry:
        """The entry with its place from ``at`` on, or with what is wrong."""
        if entry.problem:
            return entry
        try:
            end = self._fetch(entry.path, at) if is_url(entry.path) else self._read_one(entry.path, at)
        except (OSError, ValueError) as error:  # ValueError: a NUL in its name
            return entry._replace(problem=getattr(error, "strerror", None) or str(error))
        if end - at > self._most:
            return entry._replace(problem=f"the file is over the limit of {self._most} bytes")
        return entry._replace(start=at, end=end)

    def _fetch(self, url: str, at: int) -> int:
        data = read_url(url, self._most + 1)
        self._buffer[at : at + len(data)] = data
        return at + len(data)

    def _read_one(self, path: str, at: int) -> int:
        """Where it ends in the buffer; reading stops soon after the limit."""
        end = at
        file = os.open(path, _FLAGS)
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
    """Where the system has no ``readv``."""
    data = os.read(file, len(rooms[0]))
    rooms[0][: len(data)] = data
    return len(data)


_readv = getattr(os, "readv", _copied)
