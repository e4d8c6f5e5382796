"""What reading one file may cost: a budget of bytes and frames, spent before anything is expanded or kept.

Theory of operation. A file that compresses well may be honest (nobody pressed a button for an hour) or a trap. So a
small file may hold a fixed amount, and a larger one more, in proportion to its size; a hard limit is above both. Every
reader asks its budget first: for the size that a block or an archive announces, for each record at what it takes in
memory, and for each frame, because frames cost time when they are run. A file within a file (a recording in a bundle)
spends the budget of the outer one.
"""

from dataclasses import dataclass
from typing import Final, Literal, Self

from retick.errors import LimitExceeded

__all__ = ["Budget", "ReadLimits", "budget_for"]

MIB: Final = 1024 * 1024
MAX_SEATS: Final = 16
"""An arrival may name each frame once for each player."""

Kind = Literal["bytes", "frames", "frames in arrivals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Bounds that are checked before anything is allocated. The defaults are enough for days of play."""

    max_bytes: int = 256 * MIB
    """Bytes of a file, and bytes that its content takes in memory."""
    max_records: int = 2 * MIB
    """Number of checksums, of arrivals and of notes in a recording, each counted for itself."""
    max_frames: int = 20_000_000
    """Frames of all recordings in a file."""
    free_bytes: int = 16 * MIB
    """Bytes of content that the smallest file may have."""
    free_frames: int = 1_000_000
    """Frames that the smallest file may have."""
    growth: int = 128
    """Bytes of content, and frames, that each byte of the file adds to these."""

    @classmethod
    def trusting(cls, max_bytes: int) -> Self:
        """For a file that is known to be honest: content of so many bytes, however small the file is."""
        return cls(
            max_bytes=max_bytes,
            max_records=max_bytes,
            max_frames=max_bytes,
            free_bytes=max_bytes,
            free_frames=max_bytes,
        )


class Budget:
    """What may still be read from one file of ``size`` bytes."""

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
        """What is not spent yet."""
        return self._total[kind] - self._spent[kind]

    def spend(self, kind: Kind, amount: int, what: str) -> None:
        """Take ``amount`` for ``what``, or raise a LimitExceeded and take nothing."""
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
    """A new budget for a file of ``size`` bytes; that of the outer file if there is one."""
    return limits if isinstance(limits, Budget) else Budget(limits or ReadLimits(), size)
