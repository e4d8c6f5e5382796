"""Who has connected, in words: the name and the fingerprint of each peer, for people to compare.

A peer sends its name right after its link is up, so its line waits for that. A joiner's roster also names peers
without a link; they get a line when they connect.
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
        """Peers that have connected and did not get a line yet."""

    def lines_after(self, event: MatchEvent, session: Any) -> list[str]:
        """A line for each peer about which everything is known after this event."""
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
    """Describe a peer in one line."""
    seats = " and ".join(str(player + 1) for player in peer.players)
    name = f" ({peer.name})" if peer.name else ""
    proved = f", fingerprint {peer.fingerprint}" if peer.fingerprint else ""
    return f"connected: player {seats}{name}{proved}"


def words_after(event: MatchEvent, session: Any) -> dict[tuple[int, ...], str] | None:
    """The words to compare with each other peer, by its seats; None if this event does not change them.

    People compare them in an open match, where no secret shows that nobody sits between them.
    """
    # Not for each connection: words are slow to make, and strangers may connect to an open host as often as they like.
    if not isinstance(event, MatchStarted | PlayersReturned):
        return None
    found = {}
    for peer in session.roster:
        with suppress(UsageError):  # ourselves, or a peer that is gone again
            found[peer.players] = " ".join(session.words(peer.peer_id))
    return found
