"""How the players of a match are called on the screen."""

import getpass
from collections import Counter
from collections.abc import Iterable, Mapping

from retick.rollback import RosterPeer

__all__ = ["fitting", "names_by_seat", "names_of", "own_name"]

LONGEST_NAME = 20
MOST_BYTES = 64
"""Letters of a name that have room on the screen, and bytes that a session sends."""


def fitting(name: str) -> str:
    """``name`` as a session takes it: printable, and not too long."""
    short = "".join(letter for letter in name if letter.isprintable())[:LONGEST_NAME]
    return short.encode(errors="ignore")[:MOST_BYTES].decode(errors="ignore").strip()


def own_name() -> str:
    """What the system calls the person at this computer."""
    try:
        return fitting(getpass.getuser())
    except (OSError, KeyError, ImportError):  # Windows without the variable has no module to ask
        return ""


def names_by_seat(roster: Iterable[RosterPeer]) -> dict[int, str]:
    """What to call whoever has each seat. Two people may have the same name: then the seat is in it."""
    peers = list(roster)
    count = Counter(peer.name for peer in peers)
    names = {}
    for peer in peers:
        for player in peer.players:
            again = f" ({player + 1})" if count[peer.name] > 1 else ""
            names[player] = f"{peer.name}{again}" if peer.name else f"player {player + 1}"
    return names


def names_of(players: Iterable[int], names: Mapping[int, str], *, me: Iterable[int] = ()) -> str:
    """Some players, for a sentence."""
    called = ("you" if player in me else names.get(player, f"player {player + 1}") for player in players)
    return " and ".join(dict.fromkeys(called)) or "somebody"
