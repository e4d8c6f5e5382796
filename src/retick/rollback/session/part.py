"""The base class of session parts, with the hooks that a session calls.

A session has one part for each job besides running frames: the lobby, drops, newcomers, spectators and so on. It holds
them in one tuple, ``session.parts``, and calls them in order. The table in ``messages.routes`` says which part receives
which message.
"""

from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.rollback.match.match import Match
from retick.rollback.session.peer import Peer

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


MOST_EARLY_BYTES = 1 << 20
"""The most bytes of one peer's messages that wait in one part: evidence of one alarm needs less."""


class EarlyMessages(dict[Peer, list[bytes]]):
    """Messages by sender that a part cannot handle yet; later they are received as if they had just come."""

    def __init__(self, session: "SessionInside", most: int) -> None:
        """``most``: how many one sender may have here; more are a violation."""
        super().__init__()
        self._session, self._most = session, most

    def keep(self, peer: Peer, data: bytes) -> None:
        for other in [other for other in self if not self._is_known(other)]:
            del self[other]
        kept = self.setdefault(peer, [])
        if len(kept) >= self._most or sum(map(len, kept)) + len(data) > MOST_EARLY_BYTES:
            raise InvalidValue(f"{len(kept)} messages of peer {peer.peer_id} came too early already")
        kept.append(data)

    def receive(self, *peers: Peer) -> None:
        """Receive what these have sent, as far as they are still heard."""
        for peer, messages in [(peer, self.pop(peer, ())) for peer in peers]:
            for data in messages:
                if self._is_known(peer) and self._session.running:
                    self._session.receive_message(peer, data)

    def _is_known(self, peer: Peer) -> bool:
        return self._session.peers.get(peer.peer_id) is peer and peer.is_heard


class SessionPart:
    """Base class of session parts; every hook is optional."""

    def __init__(self, session: "SessionInside") -> None:
        self._session = session

    @property
    def _match(self) -> Match:
        """The running match; raises NotSynchronized before there is one."""
        match: Match | None = self._session.match
        if match is None:
            raise self._session.no_match_yet()
        return match

    def peer_connected(self, peer: Peer) -> None:
        """Called when the link with a peer is up."""

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Called when the link with a peer has ended, or was never made; ``reason`` is in words."""

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        """Called when it is decided that a newcomer plays from ``frame`` on."""

    def frames_taken_back(self, first: int, match: Match) -> None:
        """Called when final frames from ``first`` on were run again: a lost player's last inputs were agreed anew."""

    def match_ending(self, match: Match) -> None:
        """Called before another match follows this one."""

    def match_begun(self, match: Match) -> None:
        """Called when a match has begun, the first or another."""

    def peer_id_given(self, peer_id: int) -> None:
        """Called when a newcomer gets this id: what a dropped peer with the same id has said no longer counts."""

    def while_waiting(self, now: float) -> None:
        """Do what is due before the first match. Called whenever the session may send, at least once a second."""

    def after_frame(self, match: Match, now: float) -> bool:
        """Do what is due after a frame, or while the match waits. Return True to be called after the next frame."""
        return False
