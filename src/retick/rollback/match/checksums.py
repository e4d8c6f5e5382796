"""Compares checksums of final states with those of one peer (a compiled kernel).

A state is final when every input before it is confirmed, so that no rollback can change it. Only checksums of final
states are written here, and a peer sends only those of its final states. So between peers that keep to the protocol two
checksums that differ mean that the states have diverged, never that one of them was a guess. A peer can still send a
checksum that is not true: whether an alarm was a true one is known only after the investigation (``alarm``).

Each side has a ring of pages, one for each compared frame: a new page takes the place of the one that is ``PAGES``
compared frames older, and a page that is older than the one in its place is passed over.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

__all__ = ["PAGES", "ChecksumBook"]

PAGES = 128
"""Checksums that are kept of each side."""


@cython.cclass
class ChecksumBook:
    """The final checksums of this side, and those that one peer sent. Frames fit 32 bits, and so do checksums."""

    if not cython.compiled:
        interval: int
        last_agreed: int
        compared: int
        judged: int
        pages: int
        our_frames: list[int]
        their_frames: list[int]
        our_sums: list[int]
        their_sums: list[int]

    def __init__(self, interval: cython.longlong) -> None:
        self.interval = interval
        """Frames from one compared frame to the next."""
        self.last_agreed = -1
        """The newest frame whose states were compared and equal."""
        self.compared = 0
        """How many frames were compared."""
        self.judged = -1
        self.pages = PAGES
        if not cython.compiled:
            self.our_frames, self.their_frames = [0] * PAGES, [0] * PAGES
            self.our_sums, self.their_sums = [0] * PAGES, [0] * PAGES
        page: cython.int
        for page in range(PAGES):
            self.our_frames[page] = self.their_frames[page] = -1

    def write(self, frame: cython.longlong, checksum: cython.longlong) -> tuple[int, int, int] | None:
        """Note our final checksum; returns the frame, ours and theirs if they differ."""
        page: cython.longlong = frame // self.interval % self.pages
        if frame < self.our_frames[page]:
            return None
        self.our_frames[page] = frame
        self.our_sums[page] = checksum
        return self.compare(page, frame)

    def claim(self, frame: cython.longlong, checksum: cython.longlong) -> tuple[int, int, int] | None:
        """Note a checksum that the peer sent; returns the frame, ours and theirs if they differ."""
        if frame % self.interval or frame <= self.judged:
            return None
        page: cython.longlong = frame // self.interval % self.pages
        if frame < self.their_frames[page]:
            return None
        self.their_frames[page] = frame
        self.their_sums[page] = checksum
        return self.compare(page, frame)

    def compare(self, page: cython.longlong, frame: cython.longlong) -> tuple[int, int, int] | None:
        """If both sides have the page, compare them."""
        if self.our_frames[page] != frame or self.their_frames[page] != frame:
            return None
        if frame > self.judged:
            self.judged = frame
        self.compared += 1
        if self.our_sums[page] != self.their_sums[page]:
            return frame, self.our_sums[page], self.their_sums[page]
        if frame > self.last_agreed:
            self.last_agreed = frame
        return None
