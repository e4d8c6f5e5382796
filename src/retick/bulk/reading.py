"""Reads local files into the buffer of one worker, which is used again for each batch."""

import os
from collections.abc import Sequence

from retick.bulk.urls import is_url, read_url
from retick.replay import ReadLimits
from retick.replay.many.batch import Batch, Entry

__all__ = ["BATCH_BYTES", "BATCH_FILES", "FileReader", "Files"]

BATCH_FILES = 64
BATCH_BYTES = 1 << 20
"""Bytes of a buffer; a larger file makes it larger, for as long as its batch is there."""
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
        entries = []
        at = 0
        for entry in files:
            if entry.problem:
                entries.append(entry)
                continue
            try:
                path = entry[0]
                end = self._fetch(path, at) if is_url(path) else self._read_one(path, at)
            except OSError as error:
                entries.append(entry._replace(problem=error.strerror or str(error)))
            except ValueError as error:  # a NUL in its name
                entries.append(entry._replace(problem=str(error)))
            else:
                if end - at > self._most:
                    entries.append(entry._replace(problem=f"the file is over the limit of {self._most} bytes"))
                    continue
                entries.append(Entry(entry[0], at, end, entry[3], entry[4]))
                at = end
        return Batch(self._buffer, entries)

    def _fetch(self, url: str, at: int) -> int:
        data = read_url(url, self._most + 1)
        self._buffer[at : at + len(data)] = data
        return at + len(data)

    def _read_one(self, path: str, at: int) -> int:
        """Where it ends in the buffer; reading stops soon after the limit."""
        start = at
        file = os.open(path, _FLAGS)
        try:
            while True:
                if len(self._buffer) - at < 4096:
                    self._buffer += bytes(len(self._buffer))
                with memoryview(self._buffer) as view, view[at:] as room:
                    read = os.readv(file, (room,)) if hasattr(os, "readv") else _copied(file, room)
                if not read:
                    return at
                at += read
                if at - start > self._most:
                    return at
        finally:
            os.close(file)


def _copied(file: int, room: memoryview) -> int:
    """Where the system has no ``readv``."""
    data = os.read(file, len(room))
    room[: len(data)] = data
    return len(data)
