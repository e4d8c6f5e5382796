"""Seeds of agents' libraries for our games: theirs begin at 0 and have no end, ours are from 1 to 4294967295."""

from retick.errors import UsageError

__all__ = ["HIGHEST_SEED", "game_seed"]

HIGHEST_SEED = 0xFFFFFFFF


def game_seed(number: int) -> int:
    """``number`` itself where it is a seed of a game; others go round, and 0 becomes the highest seed."""
    if not isinstance(number, int) or number < 0:
        raise UsageError(f"seed must be an integer of 0 or more, not {number!r}")
    return number % (HIGHEST_SEED + 1) or HIGHEST_SEED
