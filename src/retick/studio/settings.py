"""What was said on the command line, for all rooms."""

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One studio."""

    game: str | None = None
    """The game of its user, as module:Class or file.py:Class; None for the fighter."""
