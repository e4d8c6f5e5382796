"""What was said on the command line, for all rooms."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One studio."""

    game: str | None = None
    """The game of its user, as module:Class or file.py:Class; None for the fighter."""
    identity: Path | None = None
    """File with a lasting key of this machine, for matches with other programs."""
    keylog: Path | None = None
    """File to which the keys of all links to other programs are appended."""
