"""A batch of recordings: one buffer of bytes, and what is where in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
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

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process goes a copy of what is needed."""
        return Batch, (bytes(self.data), self.entries)
