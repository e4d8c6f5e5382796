"""Coming back: whoever shows the token of a seat gets that seat again, also while the others still wait for it.

Theory of operation. Every peer has told each other one the commitment of its seat token (``profiles``). One that was
lost asks for a seat with its token. The sponsor tells all players the token (RETURN), and each of them checks it by
itself: if it fits, that player stops hearing the old connection at once, as it would at the timeout. Then the drop is
agreed in the usual way, and the newcomer takes the seats. So nobody can throw another player out: the token is known
to its owner alone until it wants to come back. It is shown once; one that has come back has a new token.
"""

from typing import TYPE_CHECKING

from retick.link import Accept, Reason, Request
from retick.link.seat_token import NO_COMMITMENT, fits
from retick.rollback.match.match import Match
from retick.rollback.session.messages.profile import decode_return, encode_return
from retick.rollback.session.messages.reasons import RETURNED, describe
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import NO_ID, Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["Returns"]

LONGEST_RETURN = 12.0
"""Seconds from an acceptance until the seats must be free; then the one who comes back must try again."""
MOST_RETURNING = 8
"""Peers that may wait for their seats at a time."""


class Returns(SessionPart):
    """Those who come back."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._held: dict[tuple[int, ...], bytes] = {}
        """Seats whose peer was dropped, and the commitment of that peer."""
        self._expected: dict[Peer, float | None] = {}
        """Those who were promised their seats, and since when they wait for them; None until the next frame."""
        self._keeps_open = False
        """Whether the match would have ended, had nobody been about to come back."""

    @property
    def is_anybody_expected(self) -> bool:
        return bool(self._expected)

    @property
    def held_seats(self) -> set[int]:
        """Free seats whose last player may come back."""
        return {seat for seats in self._held for seat in seats}

    def peer_with(self, token: bytes) -> Peer | None:
        """The peer of the match, or of the lobby, whose token this is."""
        session = self._session
        return next(
            (
                peer
                for peer in session.peers.values()
                if peer.role in (Role.PLAYER, Role.JOINER) and fits(token, session.profiles.of(peer.peer_id).commitment)
            ),
            None,
        )

    def seats_with(self, token: bytes) -> tuple[int, ...]:
        """The free seats whose last player had this token; none if there are none."""
        free = set(self._session.gone)
        return next((seats for seats, held in self._held.items() if set(seats) <= free and fits(token, held)), ())

    def admit(self, request: Request, old: Peer, token: bytes) -> Accept | None:
        """One whose old connection still counts comes back: end that one, everywhere; None if too many do."""
        session = self._session
        if len(self._expected) >= MOST_RETURNING:
            return None
        peer = Peer(NO_ID, old.players, Role.NEWCOMER)
        peer.attach(request.connection)
        self._expected[peer] = None
        for other in session.heard_peers():
            if other is not old:
                other.send(encode_return(old.peer_id, token))
        self._end(old)
        return Accept(seats=peer.players)

    def _end(self, old: Peer) -> None:
        self._session.expel(old, describe(RETURNED), reason=RETURNED)

    def receive_return(self, peer: Peer, data: bytes) -> None:
        """A player says that another one comes back. If the token fits, that one wants it; else it means nothing.

        Nobody is blamed: one that told its commitment to others and another one to us would set us against each other.
        """
        session = self._session
        peer_id, token = decode_return(data)
        old = session.peers.get(peer_id)
        if old is not None and old is not peer and old.role is Role.PLAYER and self.peer_with(token) is old:
            self._end(old)
        elif peer.exchange is not None:
            peer.exchange.dropped["BadReturn"] += 1

    def waits(self, peer: Peer) -> bool:
        """Whether a newcomer whose link is up waits until its seats are free. Nothing is received from it meanwhile."""
        if peer not in self._expected or peer.connection is None:
            return False
        peer.connection.tag = None
        self._session.is_quiet = False
        return True

    def remember(self, peer: Peer) -> None:
        """A peer is lost: its seats are its own if it comes back before anybody else has them."""
        commitment = self._session.profiles.of(peer.peer_id).commitment
        if commitment != NO_COMMITMENT:
            self._held[peer.players] = commitment

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        taken = set(newcomer.players)
        self._held = {seats: held for seats, held in self._held.items() if not taken & set(seats)}

    def move(self, new_seats: dict[int, int]) -> None:
        """Seats are given out again: each old one with its new one."""
        self._held = {tuple(sorted(new_seats[seat] for seat in seats)): held for seats, held in self._held.items()}

    def keep_open(self) -> bool:
        """The match would end because nobody else is left: whether it must not, because somebody comes back."""
        self._keeps_open = self.is_anybody_expected
        return self._keeps_open

    def after_frame(self, match: Match, now: float) -> bool:
        """Let those in whose seats are free; send those away that wait too long."""
        session = self._session
        for peer, since in list(self._expected.items()):
            self._expected[peer] = since = now if since is None else since
            link = peer.connection
            if link is None or link.close_reason is not None:
                del self._expected[peer]
            elif now - since > LONGEST_RETURN:
                del self._expected[peer]
                link.close(Reason.DENIED, "the others have not let go of the seat in time: try again")
            elif link.is_connected and not session.sponsor.is_busy() and set(peer.players) <= set(session.gone):
                del self._expected[peer]
                peer.attach(link)
                session.on_connected(peer)
        if self._keeps_open and not self._expected and session.sponsor.newcomer is None:
            self._keeps_open = False
            if not session.players_peers() and session.running:
                session.end("everyone else has left")
        return bool(self._expected) or self._keeps_open
