"""Manifests: the expected seed and checksum of each recording, as CSV or Parquet; see docs/guides/many-replays.md."""

import csv
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from retick._regular_files import refuse_special, regular
from retick.errors import MissingExtra, UsageError
from retick.verify.batch import BatchEntry


def pyarrow(module: str = "pyarrow") -> Any:
    """Import pyarrow, or one of its modules."""
    return _imported(module, "Parquet needs pyarrow: pip install pyarrow")


def fsspec() -> Any:
    """Import fsspec."""
    return _imported("fsspec", "a URL needs fsspec: pip install fsspec")


def _imported(module: str, line: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra(line) from None


_PROTOCOL = re.compile(r"([A-Za-z0-9+.-]+)://")
_LOCAL = re.compile(r"^(file|local)://", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")


def is_url(source: str) -> bool:
    """Whether a source is a URL for fsspec; a drive letter is none."""
    return ":" in source and _URL.match(source) is not None


def _open_url(url: str) -> BinaryIO:
    """Open the file behind a URL; OSError if that fails."""
    library: Any = fsspec()
    for part in url.split("::"):  # a URL may name a local file, and how it is unpacked or kept
        path = _LOCAL.sub("", part)
        if "://" not in path and os.path.exists(path):
            refuse_special(path)
    try:
        file: BinaryIO = library.open(url, "rb").open()
    except Exception as error:  # each kind of URL has errors of its own
        raise OSError(unreachable(error, url)) from error
    return file


def open_source(name: str) -> BinaryIO:
    """Open a local file or a URL."""
    return _open_url(name) if is_url(name) else open(name, "rb", opener=regular)


def read_url(url: str, most: int) -> bytes:
    """Read up to ``most`` bytes behind a URL; OSError if that fails."""
    with _open_url(url) as file:
        try:
            return file.read(most)
        except Exception as error:  # each kind of URL has errors of its own
            raise OSError(unreachable(error, url)) from error


def unreachable(error: Exception, url: str) -> str:
    """The error of a library for some kind of URL in one line, with the install command if a package is missing."""
    said = _line(error)
    if isinstance(error.__cause__, Exception):  # such as "not found", because nobody answered
        said = f"{said} ({_line(error.__cause__)})"
    protocol = _PROTOCOL.search(url)
    if not isinstance(error, ImportError) or protocol is None:
        return said
    return f'{said}: pip install "fsspec[{"http" if protocol[1] == "https" else protocol[1]}]"'


def _line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


COLUMNS = ("path", "seed", "checksum")
Stated = tuple[int | None, int | None, str, bool]
_DIGITS = re.compile(r"[0-9]{1,10}").fullmatch
_PLAIN = re.compile(r"([1-9][0-9]{0,8}),(?:0[xX])?([0-9a-fA-F]{1,8})").fullmatch
_HEX = re.compile(r"\s*(?:0[xX])?([0-9a-fA-F]{1,8})\s*").fullmatch
NO_PATH = "the entry has no path"
"""The problem of an entry without a path; its own path is the manifest's, with the entry's number."""
NO_SOURCE = "no source has it"
"""The problem of an entry whose replay is in no source."""
ROWS_AT_A_TIME = 1 << 14
"""Rows of a manifest in Parquet that are held at once."""
LONGEST_LINE = 1 << 16
"""Most characters of one value in a CSV file."""


def entries_of(manifest: str | os.PathLike[str]) -> Iterator[BatchEntry]:
    """Read the entries one by one; a wrong entry has a problem."""
    path = Path(manifest)
    for number, (name, seed, checksum) in enumerate(_rows(path), 1):
        if isinstance(name, str) and name:
            yield BatchEntry(name, 0, 0, *stated(seed, checksum))
        else:
            yield BatchEntry(f"{path}:{number}", problem=NO_PATH, is_manifests_fault=True)


def stated(seed: Any, checksum: Any) -> Stated:
    """Parse a seed and a checksum: their numbers, what is wrong with them, and whether something is."""
    if type(seed) is str and type(checksum) is str and (plain := _PLAIN(f"{seed},{checksum}")):
        return int(plain[1]), int(plain[2], 16), "", False  # the fast path, for almost all entries
    try:
        return _seed(seed), _checksum(checksum), "", False
    except ValueError as error:
        return None, None, str(error), True


class Manifest:
    """All entries of a manifest, looked up by the paths of other sources."""

    def __init__(self, manifest: str | os.PathLike[str]) -> None:
        self.folder = os.path.join(os.path.abspath(os.path.dirname(os.fspath(manifest))), "")
        self._prefix = os.path.basename(self.folder.rstrip(os.sep)) + "/"
        """Prefix of the names in an archive that was made by ``tar cf season.tar matches/``."""
        self._entries: dict[str, tuple[Any, Any]] = {}
        """Seeds and checksums as they are written; they are parsed at the first lookup, while others run already."""
        self._seen: set[str] = set()
        for name, seed, checksum in _rows(Path(manifest)):
            if isinstance(name, str):
                # Almost all paths are plain, and normpath takes longer than the rest of this.
                is_plain = (os.sep == "/" and "./" not in name and "//" not in name) or is_url(name)
                self._entries[name if is_plain else os.path.normpath(name)] = (seed, checksum)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def entry(self, path: str, name: str, start: int = 0, end: int = 0) -> BatchEntry:
        """Make an entry with the seed and checksum of ``name``: an archive member, a URL or an absolute path."""
        found = self._entries.get(name)
        if found is None:
            name = name.removeprefix(self.folder if os.path.isabs(name) else self._prefix)
            found = self._entries.get(name)
            if found is None:
                return BatchEntry(path, start, end)
        self._seen.add(name)
        return BatchEntry(path, start, end, *stated(*found))

    def missing(self) -> Iterator[BatchEntry]:
        """The entries that no source has had, after all sources were read."""
        for name in sorted(self._entries.keys() - self._seen):
            problem = stated(*self._entries[name])[2]
            yield BatchEntry(name, problem=problem or NO_SOURCE, is_manifests_fault=bool(problem))


def _rows(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    return _parquet_rows(path) if path.suffix.lower() == ".parquet" else _csv_rows(path)


def _csv_rows(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    csv.field_size_limit(LONGEST_LINE)
    with open(path, newline="", encoding="utf-8-sig", opener=regular) as file:
        try:
            reader = csv.reader(file, strict=True)
            head = [name.strip().lower() for name in next(reader, [])]
            places = _places(path, head)
            for row in reader:
                if len(row) == 3 and places == [0, 1, 2]:
                    yield row[0], row[1], row[2]
                elif row:
                    yield tuple(row[at] if at is not None and at < len(row) else "" for at in places)  # type: ignore[misc]  # three of them
        except (csv.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is not a manifest: {error}") from None


def _places(path: Path, head: list[str]) -> list[int | None]:
    if "path" not in head:
        raise UsageError(f"{path} is not a manifest: its first line must name the columns {', '.join(COLUMNS)}")
    if twice := [name for name in COLUMNS if head.count(name) > 1]:
        raise UsageError(f"{path} is not a manifest: it has more than one column {twice[0]}")
    return [head.index(name) if name in head else None for name in COLUMNS]


def _parquet_rows(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    from retick.verify.parquet import check_types, parquet_file, parquet_parts  # it needs this module

    with open(path, "rb", opener=regular) as file:
        try:
            table = parquet_file(os.fspath(path), file)
            places = _places(path, list(table.schema_arrow.names))
            wanted = [name for name, at in zip(COLUMNS, places, strict=True) if at is not None]
            check_types(table.schema_arrow, wanted)
            for batch in parquet_parts(table, file, wanted, ROWS_AT_A_TIME):
                columns = [batch[name].to_pylist() if name in wanted else [None] * len(batch) for name in COLUMNS]
                yield from zip(*columns, strict=True)
        except UnicodeDecodeError:
            raise UsageError(f"{path} is not a manifest: it has text that is not UTF-8") from None
        except MemoryError:
            raise UsageError(f"{path} is not a manifest: there is too little memory for it") from None
        except (pyarrow("pyarrow.lib").ArrowException, OSError, ValueError) as error:
            raise UsageError(f"{path} is not a manifest: {error}") from None


def _seed(value: Any) -> int | None:
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, int) or (isinstance(value, str) and _DIGITS(value)) else 0
    if not 1 <= number <= 0xFFFFFFFF:
        raise ValueError(f"the manifest's seed must be from 1 to 4294967295, not {value!r}")
    return number


def _checksum(value: Any) -> int | None:
    if value is None or value == "":
        return None
    number = value if isinstance(value, int) else -1
    if isinstance(value, str) and (found := _HEX(value)):
        number = int(found[1], 16)
    if not 0 <= number <= 0xFFFFFFFF:
        raise ValueError(f"the manifest's checksum must be up to eight hex digits, not {value!r}")
    return number
