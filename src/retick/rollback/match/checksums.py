"""Compares checksums of final states with those of another machine: an alarm is never a false one.

A state is final when every input before it is confirmed, so that no rollback can change it. Only final states are
written down here, and what the other side sends is of its final states too; so two that differ mean that the
simulations themselves have parted. Both books are bounded: what is too old to matter is forgotten.
"""

__all__ = ["ChecksumBook"]

PAGES = 128


class ChecksumBook:
    """The final checksums of this side, and those that one other side claims."""

    def __init__(self, interval: int) -> None:
        self.interval = interval
        self.last_agreed = -1
        """The newest frame whose states were compared and equal."""
        self.compared = 0
        """How many frames were compared."""
        self._judged = -1
        self._ours: dict[int, int] = {}
        self._theirs: dict[int, int] = {}

    def write(self, frame: int, checksum: int) -> tuple[int, int, int] | None:
        """Note our final checksum; a frame and two checksums that differ, if they do."""
        self._ours[frame] = checksum
        _forget_oldest(self._ours)
        return self._compare(frame)

    def claim(self, frame: int, checksum: int) -> tuple[int, int, int] | None:
        """Note what the other side claims; a frame and two checksums that differ, if they do."""
        if frame % self.interval or frame <= self._judged:
            return None
        self._theirs[frame] = checksum
        _forget_oldest(self._theirs)
        return self._compare(frame)

    def _compare(self, frame: int) -> tuple[int, int, int] | None:
        ours, theirs = self._ours.get(frame), self._theirs.get(frame)
        if ours is None or theirs is None:
            return None
        self._judged = max(self._judged, frame)
        self.compared += 1
        if ours != theirs:
            return frame, ours, theirs
        self.last_agreed = max(self.last_agreed, frame)
        return None


def _forget_oldest(book: dict[int, int]) -> None:
    while len(book) > PAGES:
        del book[min(book)]
