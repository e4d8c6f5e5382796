"""Compares checksums of final states with those of one peer.

A state is final when every input before it is confirmed, so that no rollback can change it. Only checksums of final
states are written here, and a peer sends only those of its final states. So between peers that keep to the protocol two
checksums that differ mean that the states have diverged, never that one of them was a guess. A peer can still send a
checksum that is not true: whether an alarm was a true one is known only after the investigation (``alarm``).
Both books are bounded: the oldest entries are forgotten.
"""

__all__ = ["ChecksumBook"]

PAGES = 128
"""Checksums that are kept of each side."""


class ChecksumBook:
    """The final checksums of this side, and those that one peer sent."""

    def __init__(self, interval: int) -> None:
        self.interval = interval
        """Frames from one compared frame to the next."""
        self.last_agreed = -1
        """The newest frame whose states were compared and equal."""
        self.compared = 0
        """How many frames were compared."""
        self._judged = -1
        self._ours: dict[int, int] = {}
        self._theirs: dict[int, int] = {}

    def write(self, frame: int, checksum: int) -> tuple[int, int, int] | None:
        """Note our final checksum; returns the frame, ours and theirs if they differ."""
        self._ours[frame] = checksum
        _forget_oldest(self._ours)
        return self._compare(frame)

    def claim(self, frame: int, checksum: int) -> tuple[int, int, int] | None:
        """Note a checksum that the peer sent; returns the frame, ours and theirs if they differ."""
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
