"""How the players of a match are called on the screen."""

from collections.abc import Iterable

__all__ = ["names_of"]


def names_of(players: Iterable[int], *, me: tuple[int, ...] = ()) -> str:
    """The names of some seats, for a sentence."""
    names = ["you" if player in me else f"player {player + 1}" for player in players]
    return " and ".join(names) or "somebody"
