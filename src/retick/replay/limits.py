"""Limits the cost of reading one file: a budget of bytes and frames, spent before anything is expanded or kept.

Theory of operation. A file that compresses well may be honest (nobody pressed a button for an hour) or a trap. So a
small file may hold a fixed amount, and a larger one more, in proportion to its size, up to a hard limit. Every reader
asks its budget first: for the size that a block or an archive announces, for what each record takes in memory, and for
each frame, because running frames takes time. A file within a file (a recording in a bundle) spends the budget of the
outer one.
"""

from dataclasses import dataclass
from typing import Final, Literal, Self

from retick.errors import LimitExceeded

MIB: Final = 1024 * 1024
MAX_SEATS: Final = 16
"""The most players: an arrival may name each frame once per player."""

Kind = Literal["bytes", "frames", "frames in arrivals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Bounds that are checked before anything is allocated. The defaults are enough for days of play."""

    max_bytes: int = 256 * MIB
    """The most bytes of a file, and of its content in memory."""
    max_records: int = 2 * MIB
    """The most checksums, arrivals and notes of a recording, each counted separately."""
    max_frames: int = 20_000_000
    """The most frames of all recordings in a file."""
    free_bytes: int = 16 * MIB
    """How many bytes of content the smallest file may have."""
    free_frames: int = 1_000_000
    """How many frames the smallest file may have."""
    growth: int = 128
    """How many bytes of content, and frames, each byte of the file adds to these."""

    @classmethod
    def trusting(cls, max_bytes: int) -> Self:
        """Limits for a file known to be honest: up to ``max_bytes`` of content, however small the file is."""
        return cls(
            max_bytes=max_bytes,
            max_records=max_bytes,
            max_frames=max_bytes,
            free_bytes=max_bytes,
            free_frames=max_bytes,
        )


class Budget:
    """How much may still be read from a file of ``size`` bytes."""

    def __init__(self, limits: ReadLimits, size: int) -> None:
        self.limits = limits
        self.size = size
        frames = min(limits.max_frames, limits.free_frames + limits.growth * size)
        self._total: dict[Kind, int] = {
            "bytes": min(limits.max_bytes, limits.free_bytes + limits.growth * size),
            "frames": frames,
            "frames in arrivals": MAX_SEATS * frames,
        }
        self._spent: dict[Kind, int] = dict.fromkeys(self._total, 0)

    def left(self, kind: Kind) -> int:
        """How much of the budget is not spent yet."""
        return self._total[kind] - self._spent[kind]

    def spend(self, kind: Kind, amount: int, what: str) -> None:
        """Spend ``amount`` on ``what``, or raise LimitExceeded and spend nothing."""
        spent, total = self._spent[kind] + amount, self._total[kind]
        if spent > total:
            raise LimitExceeded(
                f"{what}: with it the content takes {spent} {kind}, and a file of {self.size} bytes may have {total}",
                what=what,
                limit=total,
                actual=spent,
            )
        self._spent[kind] = spent


def budget_for(limits: ReadLimits | Budget | None, size: int) -> Budget:
    """The outer file's budget if that was passed, else a new one for a file of ``size`` bytes."""
    return limits if isinstance(limits, Budget) else Budget(limits or ReadLimits(), size)
