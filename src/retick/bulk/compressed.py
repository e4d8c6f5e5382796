"""Compressed archives: all their bytes up to where they are cut off or damaged, and only then the error.

A decompressor that finds an error in a step drops what it had made in this step. So steps are small, and after an error
that step is done again byte by byte, which costs the last byte before the error at most.
"""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

__all__ = ["DAMAGE", "OPENERS", "Unpacked"]

STEP = 1 << 16
"""Bytes that are unpacked at once."""
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""What decompressors raise."""
OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    ".tar.gz": lambda file: gzip.GzipFile(fileobj=file),
    ".tgz": lambda file: gzip.GzipFile(fileobj=file),
    ".tar.bz2": bz2.BZ2File,
    ".tar.xz": lzma.LZMAFile,
}


class Unpacked:
    """The unpacked bytes of an open file."""

    def __init__(self, raw: BinaryIO, ending: str, *, can_go_back: bool) -> None:
        """``can_go_back``: it is cheap to read ``raw`` from its start again."""
        self._raw, self._open, self._can_go_back = raw, OPENERS[ending], can_go_back
        self._file = self._open(raw)
        self._given = 0
        self._bytewise = 0
        """So many bytes are to be unpacked one by one."""
        self._error: BaseException | None = None

    def readinto(self, room: memoryview) -> int:
        """How many bytes were put there: fewer than there is room for at the end, and before an error."""
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
        """Go back to where the failed step began, to do it byte by byte; unless nothing is to be gained."""
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
