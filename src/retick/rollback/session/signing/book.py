"""What one peer has signed, as far as it is kept; what others have shown of it, and what they say they have."""

from collections import deque
from collections.abc import Iterator

from retick.rollback.desync.equivocation import Shown, SignedRange, difference
from retick.rollback.session.messages.ranges import SHORT, Seen

__all__ = ["KEPT", "Book"]

KEPT = 4
"""Ranges of a peer that are kept to be compared, of its own sending and of others' showing. Of shorter ones than usual,
as many as cover the frames of so many: who signs each frame apart is not forgotten sooner."""


class Book:
    """The ranges of one peer in one match."""

    def __init__(self, key: bytes, width: int, span: int = 0) -> None:
        """``span``: the frames of ``KEPT`` usual ranges."""
        self.key = key
        self._span = span
        self.width = width
        """Bytes of a frame's inputs."""
        self.end: int | None = None
        """The frame after the newest range; None before the first."""
        self.held: deque[SignedRange] = deque()
        """Received and not yet checked: inputs are missing here."""
        self.late_for = 0.0
        """Seconds for which a range has been due."""
        self._kept: deque[Shown] = deque()
        self._shown: deque[Shown] = deque(maxlen=KEPT)
        """By others."""
        self._claims: dict[int, Seen] = {}
        """What each other peer says it has, where we do not have it yet."""

    @property
    def newest(self) -> SignedRange | None:
        """The newest range that was checked."""
        return self._kept[-1].range if self._kept else None

    def newest_first(self) -> Iterator[Shown]:
        """What is kept of its own sending."""
        return reversed(self._kept)

    def has(self, found: SignedRange) -> bool:
        """Whether this very range was checked already: another copy says nothing new."""
        return any(each.range == found for each in (*self._kept, *self._shown))

    def keep(self, shown: Shown) -> tuple[list[tuple[int, Shown]], tuple[Shown, Shown] | None]:
        """A range that its peer has sent us: what is to be shown, for whose claim, and two ranges that disagree."""
        self._kept.append(shown)
        self.end = end = shown.range.end
        while len(self._kept) > KEPT and self._kept[0].range.end <= end - self._span:
            self._kept.popleft()
        claims, self._claims = self._claims, {}
        to_show = [(by, found) for by, seen in claims.items() for found in self.compare(by, seen)]
        return to_show, self._contradiction(shown, self._shown)

    def add_shown(self, shown: Shown) -> tuple[Shown, Shown] | None:
        """A range that another peer has of this one: two ranges that disagree, if this one makes them so."""
        found = self._contradiction(shown, self._kept)
        if found is None and all(each.range != shown.range for each in self._shown):
            self._shown.append(shown)
        return found

    def compare(self, by: int, seen: Seen) -> list[Shown]:
        """Another peer says which range it has: ours that are not the same, to be shown."""
        for shown in self._kept:
            if shown.range.first == seen.first:
                return [] if shown.range.digest[:SHORT] == seen.digest else [shown]
        if self.end is None or seen.first >= self.end:
            self._claims[by] = seen
            return []
        # One that begins within one of ours was cut in another way; older ones than we keep are not compared.
        return [shown for shown in self._kept if shown.range.first < seen.first < shown.range.end]

    def _contradiction(self, shown: Shown, others: deque[Shown]) -> tuple[Shown, Shown] | None:
        return next(((shown, other) for other in others if difference(shown, other, self.width) is not None), None)
