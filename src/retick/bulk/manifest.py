"""Manifests: what each recording should be. CSV with a head line, or Parquet; docs/scale.md has the columns."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retick.bulk.extras import pyarrow
from retick.errors import UsageError
from retick.replay.many.batch import Entry

__all__ = ["COLUMNS", "Manifest", "entries_of", "stated"]

COLUMNS = ("path", "seed", "checksum")
LONGEST_LINE = 1 << 16
"""Characters of one value of a CSV file."""


def entries_of(manifest: str | os.PathLike[str]) -> Iterator[Entry]:
    """Each entry as the manifest has it, read as it is used; one that is wrong says so."""
    path = Path(manifest)
    rows = _parquet_rows(path) if path.suffix.lower() == ".parquet" else _csv_rows(path)
    for number, (name, seed, checksum) in enumerate(rows, 1):
        if not isinstance(name, str) or not name:
            yield Entry(f"{path}:{number}", problem="the entry has no path", is_manifests_fault=True)
            continue
        yield stated(name, seed, checksum)


def stated(path: str, seed: Any, checksum: Any) -> Entry:
    """An entry with a seed and a checksum as they were written; one that is wrong says so."""
    try:
        return Entry(path, 0, 0, _seed(seed), _checksum(checksum))
    except ValueError as error:
        return Entry(path, problem=str(error), is_manifests_fault=True)


class Manifest:
    """All entries of a manifest, to look them up by the paths of other sources."""

    def __init__(self, manifest: str | os.PathLike[str]) -> None:
        self.folder = os.path.join(os.path.abspath(os.path.dirname(os.fspath(manifest))), "")
        self._entries = {
            os.path.normpath(entry.path): (entry.seed, entry.checksum, entry.problem)
            for entry in entries_of(manifest)
        }

    def of_file(self, entry: Entry, absolute: str) -> Entry:
        """An entry with what is said of a local file."""
        return self.of_name(entry, absolute.removeprefix(self.folder))

    def of_name(self, entry: Entry, name: str) -> Entry:
        """An entry with what is said of a name: of a member of an archive, or a URL."""
        found = self._entries.get(name)
        if found is None:
            return entry
        seed, checksum, problem = found
        if problem:
            return Entry(entry.path, problem=problem, is_manifests_fault=True)
        return entry._replace(seed=seed, checksum=checksum)


def _csv_rows(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    csv.field_size_limit(LONGEST_LINE)
    with path.open(newline="", encoding="utf-8-sig") as file:
        try:
            reader = csv.reader(file, strict=True)
            head = [name.strip().lower() for name in next(reader, [])]
            places = _places(path, head)
            for row in reader:
                if row:
                    yield tuple(row[at] if at is not None and at < len(row) else "" for at in places)  # type: ignore[misc]  # three of them
        except (csv.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{path} is no manifest: {error}") from None


def _places(path: Path, head: list[str]) -> list[int | None]:
    if "path" not in head:
        raise UsageError(f"{path} is no manifest: its first line must name the columns {', '.join(COLUMNS)}")
    return [head.index(name) if name in head else None for name in COLUMNS]


def _parquet_rows(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    parquet = pyarrow("pyarrow.parquet")
    with path.open("rb") as file:
        try:
            table = parquet.ParquetFile(file)
            places = _places(path, list(table.schema_arrow.names))
            wanted = [name for name, at in zip(COLUMNS, places, strict=True) if at is not None]
            for batch in table.iter_batches(columns=wanted):
                columns = [batch[name].to_pylist() if name in wanted else [None] * len(batch) for name in COLUMNS]
                yield from zip(*columns, strict=True)
        except pyarrow("pyarrow.lib").ArrowException as error:
            raise UsageError(f"{path} is no manifest: {error}") from None


def _seed(value: Any) -> int | None:
    if value is None or value == "":
        return None
    number = value if isinstance(value, int) else int(value) if str(value).isascii() and str(value).isdigit() else 0
    if not 1 <= number <= 0xFFFFFFFF:
        raise ValueError(f"the manifest's seed must be from 1 to 4294967295, not {value!r}")
    return number


def _checksum(value: Any) -> int | None:
    if value is None or value == "":
        return None
    number = value if isinstance(value, int) else -1
    if isinstance(value, str):
        digits = value.strip().removeprefix("0x").removeprefix("0X")
        if 1 <= len(digits) <= 8 and not digits.strip("0123456789abcdefABCDEF"):
            number = int(digits, 16)
    if not 0 <= number <= 0xFFFFFFFF:
        raise ValueError(f"the manifest's checksum must be up to eight hex digits, not {value!r}")
    return number
