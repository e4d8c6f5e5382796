"""Who has connected, in words: the name and the fingerprint of each peer, for people to compare.

A peer says its name right after its link is there, so its line waits for that. A joiner's list names peers without a
link, too: they have a line when they are connected.
"""

from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from retick.errors import UsageError
from retick.rollback.events import (
    MatchEvent,
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    PlayersReturned,
    RosterChanged,
    RosterPeer,
)

__all__ = [
    "Arrivals",
    "in_words",
    "words_after",
]


class Arrivals:
    """Follows the events of one session."""

    def __init__(self) -> None:
        self._connected: set[Hashable] = set()
        """Peers that have connected and have no line yet."""

    def lines_after(self, event: MatchEvent, session: Any) -> list[str]:
        """A line for each peer of which this event was the last that was needed."""
        if isinstance(event, PeerConnected):
            self._connected.add(event.peer)
        elif isinstance(event, PeerDisconnected):
            self._connected.discard(event.peer)
        elif self._connected and isinstance(event, RosterChanged | MatchStarted | PlayersReturned):
            found = [each for each in session.roster if each.peer_id in self._connected]
            self._connected -= {each.peer_id for each in found}
            return [in_words(each) for each in found]
        return []


def in_words(peer: RosterPeer) -> str:
    """One line."""
    seats = " and ".join(str(player + 1) for player in peer.players)
    name = f" ({peer.name})" if peer.name else ""
    proved = f", fingerprint {peer.fingerprint}" if peer.fingerprint else ""
    return f"connected: player {seats}{name}{proved}"


# The words that people compare in an open match, where no secret shows that nobody sits between them.
#
# They are made when a match starts and when a player comes back, and not for each one that connects: words are slow to
# make, and strangers may connect to an open host as often as they like.


def words_after(event: MatchEvent, session: Any) -> dict[tuple[int, ...], str] | None:
    """The words with each other peer, by its seats; None if they are what they were before this event."""
    if not isinstance(event, MatchStarted | PlayersReturned):
        return None
    found = {}
    for peer in session.roster:
        with suppress(UsageError):  # ourselves; or one that is gone again
            found[peer.players] = " ".join(session.words(peer.peer_id))
    return found
