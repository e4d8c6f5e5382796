"""Reads a ZIP archive from a stranger: the few files of known names in it, within the budget of the whole file.

Theory of operation. ``zipfile`` makes an object for each entry of the directory, decompresses by any method it knows
(some take gigabytes by themselves), and lets entries share their bytes. So the directory is bounded before ``zipfile``
sees it, and then every entry is checked, all of them before the first is expanded. docs/formats/desync-bundle.md
numbers the checks.
"""

import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from retick.errors import BadMagic, InvalidValue, LimitExceeded
from retick.replay.limits import Budget

__all__ = ["read_archive"]

END: Final = struct.Struct("<4sHHHHIIH")
"""Signature, two disk numbers, entries here and in all, size and offset of the directory, size of the comment."""
END_MAGIC: Final = b"PK\5\6"
LARGE_MAGIC: Final = b"PK\6\7"
"""Stands before END in archives of more than 4 GiB."""
LARGE_SIZE: Final = 20
ENTRY_SIZE: Final = 512
"""Bytes of the directory for one entry, with its name and what archivers add."""
LOCAL: Final = struct.Struct("<4s22xHH")
"""Before the bytes of an entry: signature, sizes of the name and of the extra field."""
ENCRYPTED: Final = 1
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, OverflowError, UnicodeDecodeError)
"""What ``zipfile`` raises for an archive that is not one."""
METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_archive(data: bytes | bytearray, names: Mapping[str, int], most: int, budget: Budget) -> dict[str, bytes]:
    """The files by name. ``names`` has the largest size of each that may be there; ``most``: how many at most."""
    _check_end(data, most)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(data, entries, names)
            for entry in entries:
                budget.spend("bytes", entry.file_size, entry.filename)
            return {entry.filename: _expand(archive, entry) for entry in entries}
    except _DAMAGED as error:
        raise BadMagic(f"not a desync bundle: {error}") from None


def _check_end(data: bytes | bytearray, most: int) -> None:
    """The record at the end of the file is true about the directory, which is small."""
    if len(data) < END.size or data[-END.size :][:4] != END_MAGIC:
        raise BadMagic("not a desync bundle: it does not end as a ZIP archive without a comment")
    _, disk, first_disk, here, entries, size, offset, comment = END.unpack(data[-END.size :])
    before = len(data) - END.size
    large = data[max(before - LARGE_SIZE, 0) :][:4] == LARGE_MAGIC
    if disk or first_disk or here != entries or comment or large or offset + size != before:
        raise BadMagic("not a desync bundle: its directory is not right before its end")
    for what, actual, limit in (("files", entries, most), ("bytes of its directory", size, most * ENTRY_SIZE)):
        if actual > limit:
            raise LimitExceeded(
                f"{actual} {what} in a bundle, and at most {limit} are read", what=what, limit=limit, actual=actual
            )


def _check_entries(data: bytes | bytearray, entries: list[zipfile.ZipInfo], names: Mapping[str, int]) -> None:
    end = 0
    seen: set[str] = set()
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        name = entry.filename
        if name not in names:
            raise InvalidValue(f"a bundle has no file called {name[:100]!r}")
        if name in seen:
            raise InvalidValue(f"a bundle has each file once, and this one has {name!r} twice")
        seen.add(name)
        if entry.compress_type not in METHODS:
            raise InvalidValue(
                f"{name} is compressed by method {entry.compress_type}: only stored and deflate are read"
            )
        if entry.flag_bits & ENCRYPTED:
            raise InvalidValue(f"{name} is encrypted")
        if entry.file_size > names[name]:
            raise LimitExceeded(
                f"{entry.file_size} bytes of {name}, and at most {names[name]} are read",
                what=f"bytes of {name}",
                limit=names[name],
                actual=entry.file_size,
            )
        if entry.header_offset < end:
            raise InvalidValue(f"{name} shares its bytes with another file of the archive")
        end = _end_of(data, entry)


def _end_of(data: bytes | bytearray, entry: zipfile.ZipInfo) -> int:
    """The offset after an entry."""
    _, name_size, extra_size = LOCAL.unpack_from(data, entry.header_offset)
    return int(entry.header_offset + LOCAL.size + name_size + extra_size + entry.compress_size)


def _expand(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        # The size in the directory may be false: one byte more is never expanded.
        data = file.read(entry.file_size + 1)
    if len(data) != entry.file_size:
        raise InvalidValue(f"{entry.filename} has {len(data)} bytes, and the archive says {entry.file_size}")
    return data
