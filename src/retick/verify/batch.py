"""A batch of recordings: one buffer of bytes, and what is where in it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from json.encoder import encode_basestring_ascii
from pickle import PickleBuffer
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args

from retick.errors import InvalidValue

__all__ = [
    "FIELDS",
    "VERDICTS",
    "Batch",
    "BatchEntry",
    "Row",
    "columns",
    "from_columns",
    "read_row",
    "row_line",
]


_T = TypeVar("_T", bound=tuple[Any, ...])


class BatchEntry(NamedTuple):
    """One recording of a batch, or the reason why there is none."""

    path: str
    start: int = 0
    end: int = 0
    seed: int | None = None
    """What the manifest says."""
    checksum: int | None = None
    """The final checksum that the manifest says."""
    problem: str = ""
    """Why it could not be read; then nothing of it is in the buffer."""
    is_manifests_fault: bool = False
    """Whether the problem is in the manifest's entry."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Recordings that travel together."""

    data: bytes | bytearray | memoryview
    entries: list[BatchEntry]
    done: Callable[[], None] | None = field(default=None, compare=False)
    """Called when the bytes are no longer needed, so that the next batch can be read to the same place."""

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """To another process goes what is needed; whoever can (ray) hands the bytes over without a further copy."""
        data = PickleBuffer(self.data) if protocol >= 5 else bytes(self.data)
        return _arrived, (data, columns(self.entries))


def columns(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Named tuples as plain columns, to be pickled: one by one, the pickler asks of each what it is."""
    return list(zip(*rows, strict=True))


def from_columns(kind: type[_T], parts: Sequence[tuple[Any, ...]]) -> list[_T]:
    """What :func:`columns` made into columns."""
    return list(map(partial(tuple.__new__, kind), zip(*parts, strict=True)))


def _arrived(data: Any, parts: Sequence[tuple[Any, ...]]) -> Batch:
    return Batch(data, from_columns(BatchEntry, parts))


# What came out for one recording: a row of results, and the same as a line of JSON.

Word = Literal["ok", "differs", "unknown", "corrupt", "unreadable", "failed", "manifest"]
VERDICTS: Final[tuple[str, ...]] = get_args(Word)


class Row(NamedTuple):
    """The result for one recording."""

    path: str
    """The file, URL, or ``archive!member``."""
    verdict: Word
    reason: str = ""
    """Why it is not ok."""
    seed: int | None = None
    frames: int | None = None
    checksum: int | None = None
    """Of the final state, as run here; None: it was not run."""
    expected: int | None = None
    """The final checksum that the manifest says."""
    compared: int = 0
    """Checksums that were compared, the expected one included."""
    first_bad_frame: int | None = None
    last_good_frame: int | None = None


FIELDS: Final = Row._fields
_NUMBERS = FIELDS[3:]


def row_line(row: Row) -> str:
    """The row as one line of JSON, without its line end."""
    numbers = ", ".join(
        f'"{name}": {"null" if value is None else value}' for name, value in zip(_NUMBERS, row[3:], strict=True)
    )
    path = encode_basestring_ascii(row.path)
    return f'{{"path": {path}, "verdict": "{row.verdict}", "reason": {encode_basestring_ascii(row.reason)}, {numbers}}}'


def read_row(text: str | bytes) -> Row:
    """The row in a line of JSON, or an InvalidValue."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    problem = _problem(found)
    if problem:
        raise InvalidValue(f"this is no row of results: {problem}")
    return Row(**found)


def _problem(found: Any) -> str | None:
    if not isinstance(found, dict):
        return "it is no JSON object"
    if set(found) != set(FIELDS):
        return f"its fields are not {', '.join(FIELDS)}"
    if not isinstance(found["path"], str) or not isinstance(found["reason"], str):
        return "path and reason must be text"
    if found["verdict"] not in VERDICTS:
        return f"the verdict must be one of {', '.join(VERDICTS)}"
    for name in _NUMBERS:
        value = found[name]
        if not (value is None and name != "compared") and (type(value) is not int or not 0 <= value < 1 << 63):
            return f"{name} must be a number"
    return None
