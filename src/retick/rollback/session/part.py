"""The base class of session parts, with the hooks that a session calls.

A session has one part for each job besides running frames: the lobby, drops, newcomers, spectators and so
on. It owns them in one tuple, ``session.parts``, and walks that tuple in order. Messages reach a part by the table in
``messages.routes``.
"""

from typing import TYPE_CHECKING

from retick.rollback.match.match import Match
from retick.rollback.session.peer import Peer

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class SessionPart:
    """Base class of session parts; every hook is optional."""

    def __init__(self, session: "SessionInside") -> None:
        self._session = session

    @property
    def _match(self) -> Match:
        """The match that runs; NotSynchronized before there is one."""
        match: Match | None = self._session.match
        if match is None:
            raise self._session.no_match_yet()
        return match

    def peer_connected(self, peer: Peer) -> None:
        """The link with a peer is up."""

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """The link with a peer has ended, or was never made; ``reason`` is in words."""

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """It is agreed from which frame on a newcomer plays."""

    def roster_agreed(self, match: Match) -> None:
        """A drop is agreed, or a newcomer was refused: all peers count the same players again."""

    def match_ending(self, match: Match) -> None:
        """Another match is about to follow this one."""

    def match_begun(self, match: Match) -> None:
        """A match has begun, the first or another."""

    def peer_id_given(self, peer_id: int) -> None:
        """A newcomer gets this id, which a peer that was dropped may have had: what that one said does not count."""

    def while_waiting(self, now: float) -> None:
        """There is no match yet: do what is due. Called whenever the session may send, at least once a second."""

    def after_frame(self, match: Match, now: float) -> bool:
        """Do what is due after a frame, or while the match waits. True: call again after the next frame."""
        return False
