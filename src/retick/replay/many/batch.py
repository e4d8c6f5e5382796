"""A batch of recordings: one buffer of bytes, and what is where in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pickle import PickleBuffer
from typing import Any, NamedTuple, TypeVar

__all__ = ["Batch", "Entry", "columns", "from_columns"]

_T = TypeVar("_T", bound=tuple[Any, ...])


class Entry(NamedTuple):
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
    entries: list[Entry]
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
    return Batch(data, from_columns(Entry, parts))
