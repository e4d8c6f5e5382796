"""Files of results, as JSON lines or Parquet. Recordings that a file has already are not run again."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from retick._regular_files import regular
from retick.errors import DecodeError, UsageError
from retick.verify.manifest import pyarrow
from retick.verify.rows import FIELDS, TEXTS, Row, read_row, row_line

ROWS_IN_A_GROUP = 4096
_START = b'{"path": "'
"""The beginning of every line, so that a foreign file without a final newline is not mistaken for a torn line."""
NAMED = 3
"""Number of failed paths that are kept to be named."""


class ResultFile:
    """Writes rows as they come; an existing file is continued, and its paths and verdicts are read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """UsageError if the file exists and is not a file of results."""
        self.path = Path(path)
        self.paths: set[str] = set()
        """Paths that the file had already, which need no run."""
        self.verdicts: Counter[str] = Counter()
        """Number of rows of each verdict in the file."""
        self.not_ok: list[str] = []
        """The first paths that the file had already with another verdict than ok."""
        ending = self.path.suffix.lower()
        if ending not in _FORMS:
            raise UsageError(f"a file of results must end in .jsonl or .parquet, not {self.path.name}")
        self._file: _Lines | _Parquet = _FORMS[ending](self.path)
        try:
            for row in self._file.rows():
                self.paths.add(row.path)
                self.verdicts[row.verdict] += 1
                if row.verdict != "ok" and len(self.not_ok) < NAMED:
                    self.not_ok.append(row.path)
            self._file.begin()
        except DecodeError as error:
            self._file.close()
            raise UsageError(f"{self.path} is not a file of results: {error}") from None
        except BaseException:
            self._file.close()
            raise

    def write(self, rows: Sequence[Row]) -> None:
        """Append rows. The system has them when this returns; they are on the disk at the end."""
        self._file.write(rows)
        self.verdicts.update(row.verdict for row in rows)

    def close(self) -> None:
        """Complete the file, however the run ended."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


class _Lines:
    """JSON lines, appended to the file itself."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "a+b", buffering=0, opener=regular)  # noqa: SIM115 - closed by close()
        self._good = 0

    def rows(self) -> Iterable[Row]:
        self._file.seek(0)
        with open(self._file.fileno(), "rb", closefd=False) as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n") and (line.startswith(_START) or _START.startswith(line)):
                    return  # a torn line: the machine stopped while it was written
                try:
                    yield read_row(line)
                except DecodeError as error:
                    raise DecodeError(f"line {number}: {error}") from None
                self._good += len(line)

    def begin(self) -> None:
        self._file.truncate(self._good)

    def write(self, rows: Sequence[Row]) -> None:
        data = memoryview("".join(f"{row_line(row)}\n" for row in rows).encode("ascii"))
        while data:  # a nearly full disk may take only a part
            data = data[self._file.write(data) or 0 :]

    def close(self) -> None:
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


class _Parquet:
    """Parquet has its index at the end, so a new file is written beside the old one and replaces it when closed."""

    def __init__(self, path: Path) -> None:
        self._arrow, self._parquet = pyarrow(), pyarrow("pyarrow.parquet")
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._writer: Any = None
        self._waiting: list[Row] = []
        self._schema = self._arrow.schema(
            [(name, self._arrow.string() if name in TEXTS else self._arrow.int64()) for name in FIELDS]
        )

    def rows(self) -> Iterable[Row]:
        for batch in self._old_batches():
            yield from map(Row._make, zip(*(batch[name].to_pylist() for name in FIELDS), strict=True))

    def _old_batches(self) -> Iterable[Any]:
        if not self._path.exists():
            return
        with open(self._path, "rb", opener=regular) as file:
            try:
                table = self._parquet.ParquetFile(file)
                if table.schema_arrow.remove_metadata() != self._schema:
                    raise DecodeError(f"its columns are not {', '.join(FIELDS)}")
                yield from table.iter_batches(ROWS_IN_A_GROUP)
            except self._arrow.lib.ArrowException as error:
                raise DecodeError(str(error)) from None

    def begin(self) -> None:
        self._writer = self._parquet.ParquetWriter(str(self._part), self._schema)
        for batch in self._old_batches():
            self._writer.write_batch(batch)

    def write(self, rows: Sequence[Row]) -> None:
        self._waiting += rows
        if len(self._waiting) >= ROWS_IN_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        columns = [list(column) for column in zip(*self._waiting, strict=True)]
        self._waiting = []
        if columns:
            self._writer.write_table(self._arrow.table(columns, schema=self._schema))

    def close(self) -> None:
        if self._writer is None:
            return
        writer, self._writer = self._writer, self._writer
        self._flush()
        writer.close()
        self._writer = None
        os.replace(self._part, self._path)


_FORMS: dict[str, type[_Lines] | type[_Parquet]] = {".jsonl": _Lines, ".parquet": _Parquet}
