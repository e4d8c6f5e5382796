"""Names of players, as they fit on the screen and into a session."""

import getpass
from collections.abc import Iterable, Mapping
from typing import Self

LONGEST_NAME = 20
MOST_BYTES = 64
"""Most letters of a name on the screen, and most bytes in a session."""


class Seats(tuple[int, ...]):
    """The seats that are played here, as a tuple; ``names`` has the name of the player of each seat of the match."""

    names: tuple[str, ...] = ()

    @classmethod
    def named(cls, here: Iterable[int], count: int, names: Mapping[int, str]) -> Self:
        """Make the seats of a match with ``count`` seats; a player without a name is called by the seat's number."""
        made = cls(here)
        made.names = tuple(names.get(player, f"player {player + 1}") for player in range(count))
        return made


def fitting(name: str) -> str:
    """Shorten ``name`` and remove what cannot be printed, so that a session accepts it."""
    short = "".join(letter for letter in name if letter.isprintable())[:LONGEST_NAME]
    return short.encode(errors="ignore")[:MOST_BYTES].decode(errors="ignore").strip()


def own_name() -> str:
    """The system's name for the user of this computer; empty if it has none."""
    try:
        return fitting(getpass.getuser())
    except (OSError, KeyError, ImportError):  # on Windows without the variable, getpass has no module to ask
        return ""
