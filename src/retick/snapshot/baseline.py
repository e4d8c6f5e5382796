"""Baselines: the snapshots that deltas start from.

Both ends keep a ring of them. The sender keeps what each receiver must have made of its packets, the receiver what it
made of them. Acknowledgements are not part of the snapshot format: the caller's protocol carries them.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

from retick.errors import BaselineMissing, UsageError, with_code

__all__ = ["BaselineRing"]

T = TypeVar("T")


class BaselineRing(Generic[T]):
    """At most ``capacity`` values by ascending tick; a new one drops the oldest."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise UsageError(f"capacity must be at least 1, not {capacity}")
        self._capacity = capacity
        self._held: dict[int, T] = {}
        self._last: int | None = None

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def last_tick(self) -> int | None:
        """The newest tick ever inserted."""
        return self._last

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[int, T]]:
        """Pairs of tick and value, oldest first."""
        return iter(list(self._held.items()))

    def insert(self, tick: int, value: T, *, keep: int | None = None) -> None:
        """Keep a value. A tick that is not above every one before is a UsageError, and changes nothing.

        The value of tick ``keep`` is not dropped to make room; the next oldest is, if there is one.
        """
        if self._last is not None and tick <= self._last:
            raise with_code(UsageError(f"baselines come in order: tick {tick} after {self._last}"), "OutOfOrder")
        if len(self._held) == self._capacity:
            oldest = next(iter(self._held))
            del self._held[oldest if oldest != keep else next((held for held in self._held if held != keep), oldest)]
        self._held[tick] = value
        self._last = tick

    def drop_before(self, tick: int) -> None:
        """Drop every value older than ``tick``."""
        for held in list(self._held):
            if held >= tick:
                break
            del self._held[held]

    def get(self, tick: int) -> T | None:
        """The value of exactly this tick, if it is still held."""
        return self._held.get(tick)

    def require(self, tick: int) -> T:
        """The value of exactly this tick, or BaselineMissing: the receiver must ask for a full snapshot."""
        value = self._held.get(tick)
        if value is None:
            message = f"the snapshot of tick {tick} is not held: ask for a full one"
            raise with_code(BaselineMissing(message, tick=tick), "BaselineNotFound")
        return value

    def latest_at_or_before(self, tick: int) -> tuple[int, T] | None:
        """Tick and value of the newest that is not after ``tick``; None if no such one is held."""
        for held, value in reversed(self._held.items()):
            if held <= tick:
                return held, value
        return None
