"""What a reader of recordings is willing to hold in memory."""

from dataclasses import dataclass

__all__ = ["ReadLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Bounds that are checked before anything is allocated; the defaults hold days of play."""

    max_bytes: int = 256 * 1024 * 1024
    """Bytes of a file, and bytes of all its content once decompressed."""
    max_records: int = 2 * 1024 * 1024
    """Checksums in a recording, and arrivals in a recording: each is a Python object in memory."""
