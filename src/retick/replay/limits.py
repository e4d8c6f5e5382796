"""How much memory reading a recording may use."""

from dataclasses import dataclass

__all__ = ["ReadLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Bounds that are checked before anything is allocated. The defaults are enough for days of play."""

    max_bytes: int = 256 * 1024 * 1024
    """Bytes of a file, and bytes of all its content after decompression."""
    max_records: int = 2 * 1024 * 1024
    """Number of checksums, of arrivals and of notes in a recording, each counted for itself."""
