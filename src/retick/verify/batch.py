"""A batch of recordings: one buffer of bytes and an entry for each recording."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pickle import PickleBuffer
from typing import Any, NamedTuple, TypeVar

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
