"""What an engine counts."""

from typing import NamedTuple

__all__ = ["EngineStats"]


class EngineStats(NamedTuple):
    """What rolling back has cost so far."""

    rollbacks: int
    """How often frames were resimulated."""
    resimulated_frames: int
    """Frames that were resimulated, all rollbacks together."""
    deepest_rollback: int
    """The most frames that one rollback resimulated."""
