"""A batch of recordings: one buffer of bytes and an entry for each recording, and the rows of results."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from json.encoder import encode_basestring_ascii
from pickle import PickleBuffer
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args

from retick.errors import InvalidValue

_T = TypeVar("_T", bound=tuple[Any, ...])


class BatchEntry(NamedTuple):
    """One recording of a batch, or the reason why it could not be read."""

    path: str
    start: int = 0
    """Offset of its first byte in the buffer."""
    end: int = 0
    seed: int | None = None
    """The seed that the manifest expects."""
    checksum: int | None = None
    """The final checksum that the manifest expects."""
    problem: str = ""
    """Why it could not be read; then the buffer has none of its bytes."""
    is_manifests_fault: bool = False
    """Whether the problem is in the manifest's entry."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Recordings that travel to a worker together."""

    data: bytes | bytearray | memoryview
    entries: list[BatchEntry]
    done: Callable[[], None] | None = field(default=None, compare=False)
    """Called when the bytes are no longer needed, so that the buffer can be used again."""

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle without ``done``; with protocol 5, ray hands the bytes over without another copy."""
        data = PickleBuffer(self.data) if protocol >= 5 else bytes(self.data)
        return _arrived, (data, columns(self.entries))


def columns(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Turn named tuples into plain columns, which are pickled faster than the tuples one by one."""
    return list(zip(*rows, strict=True))


def from_columns(kind: type[_T], parts: Sequence[tuple[Any, ...]]) -> list[_T]:
    """Make the named tuples that :func:`columns` turned into columns."""
    return list(map(partial(tuple.__new__, kind), zip(*parts, strict=True)))


def _arrived(data: Any, parts: Sequence[tuple[Any, ...]]) -> Batch:
    return Batch(data, from_columns(BatchEntry, parts))


Word = Literal["ok", "differs", "unknown", "corrupt", "unreadable", "failed", "manifest"]
VERDICTS: Final[tuple[str, ...]] = get_args(Word)


class Row(NamedTuple):
    """The result for one recording."""

    path: str
    """The file, URL, or ``archive!member``."""
    verdict: Word
    reason: str = ""
    """Why the verdict is not ok; empty if it is."""
    seed: int | None = None
    frames: int | None = None
    checksum: int | None = None
    """Checksum of the final state in this run; None if it was not run."""
    expected: int | None = None
    """The final checksum that the manifest expects."""
    compared: int = 0
    """Number of checksums that were compared, including the expected one."""
    first_bad_frame: int | None = None
    last_good_frame: int | None = None


FIELDS: Final = Row._fields
_NUMBERS = FIELDS[3:]


def row_line(row: Row) -> str:
    """Write the row as one line of JSON, without a line end."""
    numbers = ", ".join(
        f'"{name}": {"null" if value is None else value}' for name, value in zip(_NUMBERS, row[3:], strict=True)
    )
    path = encode_basestring_ascii(row.path)
    return f'{{"path": {path}, "verdict": "{row.verdict}", "reason": {encode_basestring_ascii(row.reason)}, {numbers}}}'


def read_row(text: str | bytes) -> Row:
    """Read the row in a line of JSON; InvalidValue if it is wrong."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    problem = _problem(found)
    if problem:
        raise InvalidValue(f"not a row of results: {problem}")
    return Row(**found)


def _problem(found: Any) -> str | None:
    if not isinstance(found, dict):
        return "it is not a JSON object"
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
