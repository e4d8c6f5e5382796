"""The words that people compare in an open match, where no secret shows that nobody sits between them.

They are made when a match starts and when a player comes back, and not for each one that connects: words are slow to
make, and strangers may connect to an open host as often as they like.
"""

from contextlib import suppress
from typing import Any

from retick.errors import UsageError
from retick.rollback.events import MatchEvent, MatchStarted, PlayersReturned

__all__ = ["words_after"]


def words_after(event: MatchEvent, session: Any) -> dict[tuple[int, ...], str] | None:
    """The words with each other peer, by its seats; None if they are what they were before this event."""
    if not isinstance(event, MatchStarted | PlayersReturned):
        return None
    found = {}
    for peer in session.roster:
        with suppress(UsageError):  # ourselves; or one that is gone again
            found[peer.players] = " ".join(session.words(peer.peer_id))
    return found
