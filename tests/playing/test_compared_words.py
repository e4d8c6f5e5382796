"""When words are made, and for whom."""

from types import SimpleNamespace
from typing import Any

from retick.errors import UsageError
from retick.playing.story import words_after
from retick.rollback import MatchStarted, PeerConnected, PlayersReturned


class Session:
    """Peer 0 of three; the link to peer 2 is gone again."""

    roster = tuple(SimpleNamespace(peer_id=peer, players=(peer,)) for peer in range(3))

    def words(self, peer: int) -> tuple[str, ...]:
        if peer != 1:
            raise UsageError("no link")
        return ("apple", "bear")


def test_words_are_made_when_a_match_starts_or_goes_on_with_others() -> None:
    started: Any = object.__new__(MatchStarted)
    returned: Any = object.__new__(PlayersReturned)
    assert words_after(started, Session()) == words_after(returned, Session()) == {(1,): "apple bear"}


def test_strangers_who_connect_cost_no_words() -> None:
    assert words_after(PeerConnected(peer=1, players=(1,)), Session()) is None
