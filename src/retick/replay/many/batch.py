"""A batch of recordings: one buffer of bytes, and what is where in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pickle import PickleBuffer
from typing import Any, NamedTuple

__all__ = ["Batch", "Entry"]


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
        return Batch, (PickleBuffer(self.data) if protocol >= 5 else bytes(self.data), self.entries)
