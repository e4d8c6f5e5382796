"""Coming back: a peer that shows the token of a seat gets that seat again, even while the others still wait for it.

Theory of operation. Every peer has told every other one the commitment of its seat token (``profiles``). A peer that
was lost asks for a seat with its token. The sponsor tells all players the token (RETURN), and each of them checks it:
if it fits, that player stops hearing the old connection at once, as it would at the timeout. Then the drop is agreed in
the usual way, and the newcomer takes the seats. So nobody can throw another player out: only its owner knows the token
until it wants to come back. A token is shown once; a peer that has come back has a new one.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from retick.link import Accept, Connected, Disconnected, LinkEvent, Reason, Refuse, Refused, ReliableReceived, Request
from retick.link.request import NO_COMMITMENT, SEAT_TOKEN_SIZE, commitment_of, fits
from retick.rollback.desync.equivocation import KEY_SIZE, keys_of
from retick.rollback.events import Reconnecting
from retick.rollback.match.match import Match
from retick.rollback.session.joining.lobby import MOST_REDIRECTIONS
from retick.rollback.session.link_config import acceptance_fault
from retick.rollback.session.members import Hearing
from retick.rollback.session.messages.connect import ConnectRequest
from retick.rollback.session.messages.kinds import ASK_SPONSOR, GAVE_UP, NO_MATCH, RETURNED, describe
from retick.rollback.session.messages.profile import decode_return, encode_return
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import HOST_ID, NO_ID, Peer, Phase, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

LONGEST_RETURN = 12.0
"""Seconds from an acceptance until the seats must be free; then the returning peer must try again."""
MOST_RETURNING = 8
"""The most peers that may wait for their seats at a time."""


class Returns(SessionPart):
    """Peers that come back."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._held: dict[tuple[int, ...], bytes] = {}
        """Seats whose peer was dropped, with the commitment of that peer."""
        self._expected: dict[Peer, float | None] = {}
        """Peers that were promised their seats, and since when they wait; None until the next frame."""
        self._keeps_open = False
        """Whether the match stays open only because a peer is about to come back."""

    @property
    def is_anybody_expected(self) -> bool:
        return bool(self._expected)

    @property
    def held_seats(self) -> set[int]:
        """Free seats whose last player may come back."""
        return {seat for seats in self._held for seat in seats}

    def peer_with(self, token: bytes) -> Peer | None:
        """The peer of the match, or of the lobby, with this token."""
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
        """The free seats whose last player had this token; empty if there are none."""
        free = set(self._session.gone)
        return next((seats for seats, held in self._held.items() if set(seats) <= free and fits(token, held)), ())

    def admit(self, request: Request, old: Peer, token: bytes) -> Accept | None:
        """Let a peer return whose old connection still counts: end that one everywhere; None if too many return."""
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

        Nobody is blamed: a peer that told us and others different commitments would otherwise set us against each
        other.
        """
        session = self._session
        peer_id, token = decode_return(data)
        old = session.peers.get(peer_id)
        if old is not None and old is not peer and old.role is Role.PLAYER and self.peer_with(token) is old:
            self._end(old)
        elif peer.exchange is not None:
            peer.exchange.dropped["BadReturn"] += 1

    def waits(self, peer: Peer) -> bool:
        """Whether a linked newcomer waits until its seats are free. Meanwhile nothing is received from it."""
        if peer not in self._expected or peer.connection is None:
            return False
        peer.connection.tag = None
        self._session.is_quiet = False
        return True

    def remember(self, peer: Peer) -> None:
        """Remember a lost peer's seats, which it gets again if it comes back before anybody else has them."""
        commitment = self._session.profiles.of(peer.peer_id).commitment
        if commitment != NO_COMMITMENT:
            self._held[peer.players] = commitment

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        taken = set(newcomer.players)
        self._held = {seats: held for seats, held in self._held.items() if not taken & set(seats)}

    def move(self, new_seats: dict[int, int]) -> None:
        """Move seats that are given out again: each old one with its new one."""
        self._held = {tuple(sorted(new_seats[seat] for seat in seats)): held for seats, held in self._held.items()}

    def keep_open(self) -> bool:
        """Whether a match in which nobody else is left must not end, because somebody comes back."""
        self._keeps_open = self.is_anybody_expected
        return self._keeps_open

    def after_frame(self, match: Match, now: float) -> bool:
        """Let in peers whose seats are free; send away those that wait too long."""
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


# Coming back automatically: a session that has lost all others through silence asks them for its seats again.
#
# Theory of operation. The session that is alone keeps its match, stands still, and asks the peers that it has lost, in
# turn, as a newcomer with its seat token would. At the same time they may come back to it. If both have a match, the
# one with the lower id keeps it (``refusal``). If several are alone they must not meet in pairs: each asks all others
# first, and lets somebody in only if it found none that takes precedence (``_may_keep``). Its own match is given up
# only when the other one, which has let us in, sends its first message. From then on this is a newcomer like any other,
# with new parts, and keeps asking if it is not let in. docs/guides/rollback-sessions.md draws the states.

MOST_ASKED = 8
"""How many addresses of lost peers are remembered; beyond that, the oldest is forgotten."""
DIAL_SECONDS = 3.0
"""Seconds for which one of them is asked before the next one."""
ANSWER_SECONDS = 15.0
"""Seconds that a peer which has accepted us may stay silent; it waits 12 s for the others to free our seats."""
FIRST_WAIT = 0.5
"""Seconds after the first round of asking, at least half of them, by chance; doubled after each round."""
LONGEST_WAIT = 4.0
"""The most seconds between two rounds."""
NEWS_SECONDS = 30.0
"""Seconds without a request after which the next one is the first sign of the others again."""
LOOK_EVERY = 0.1
"""Seconds between two checks of what is due."""
NOBODY = "everyone else was lost, and nobody was found again"


class LostPeer(NamedTuple):
    """A peer that was lost through silence."""

    peer_id: int
    commitment: bytes
    """The commitment of its seat token."""
    token: bytes
    """The token of our own seats that it knows."""
    at: float


class Reconnect(SessionPart):
    """Asks lost peers, and decides who may come back here. This part outlives the match that is given up."""

    def __init__(self, session: "SessionInside", *, is_wanted: bool) -> None:
        super().__init__(session)
        self._is_wanted = is_wanted
        self._lost: dict[Hashable, LostPeer] = {}
        """Lost peers by their last address."""
        self._until: float | None = None
        """When the last try may begin; None while nothing is tried."""
        self._asked: Peer | None = None
        """The peer that is asked now; None if there is none."""
        self._since = 0.0
        """When it was asked, or has answered."""
        self._round: list[Hashable] = []
        """The addresses still to be asked in this round."""
        self._next_at = 0.0
        self._wait = FIRST_WAIT
        self._redirections = 0
        self._address: Hashable = None
        """The address of the peer that is asked."""
        self._rounds = 0
        """Rounds of asking since somebody was heard of again."""
        self._found: dict[Hashable, int] = {}
        """Addresses that have answered, other than that they have no match, with the round."""
        self._news_at: float | None = None
        """When somebody last wanted to come back here."""

    @property
    def is_trying(self) -> bool:
        return self._until is not None

    @property
    def is_accepted(self) -> bool:
        """Whether the link with a peer that lets us in is up: nobody else may come in here now."""
        return self._asked is not None and self._asked.is_connected

    def remember(self, peer: Peer) -> None:
        """Note the address of a lost peer, if it was lost through silence."""
        session, link = self._session, peer.connection
        reason = session.hearing.unheard_by(session.peer_id).get(peer.peer_id)
        if not self._is_wanted or link is None or reason != Reason.TIMEOUT:
            return
        self._lost.pop(link.address, None)
        commitment = session.profiles.of(peer.peer_id).commitment
        self._lost[link.address] = LostPeer(peer.peer_id, commitment, session.seat_token, session.now)
        if len(self._lost) > MOST_ASKED:
            del self._lost[next(iter(self._lost))]

    def left_alone(self) -> bool:
        """Decide, when nobody else is left, whether to try to come back: only if the last peer fell silent."""
        session = self._session
        if not any(lost.at == session.now for lost in self._lost.values()):
            return False
        self._drop_asked()
        seconds = session.config.longest_reconnect
        self._until, self._next_at, self._wait = session.now + seconds, session.now, FIRST_WAIT
        self._round, self._redirections, self._news_at = [], 0, None
        session.is_quiet, session.wakes_at = False, session.now
        peers = tuple(sorted(lost.peer_id for lost in self._lost.values()))
        session.tell(Reconnecting(peers=peers, seconds=seconds))
        return True

    def refusal(self, wanted: ConnectRequest) -> Refuse | None:
        """Refuse a request for seats here if this session itself tries to come back; None to let it in."""
        session = self._session
        if self._until is None:
            return None
        if self.is_accepted or session.match is None or session.match.joins_at is None:
            return Refuse(reason=Reason.DENIED, text="comes back to another peer: try again in a moment")
        owner = next((lost for lost in self._lost.values() if fits(wanted.seat_token, lost.commitment)), None)
        if not session.returns.seats_with(wanted.seat_token):
            return Refuse(reason=Reason.DENIED, text="waits for those who played here")
        if not self._may_keep():
            return Refuse(reason=Reason.DENIED, text="asks the others first: try again in a moment")
        if wanted.keeps_match and owner is not None and owner.peer_id < session.peer_id:
            return Refuse(reason=Reason.DENIED, text="the peer with the lower id keeps the match")
        return None

    def _may_keep(self) -> bool:
        """Whether we keep our match and others return to us.

        With one lost peer: yes. With more: only after a full round of asking in which nobody let us in, because they
        may be together. If one of them has a lower id, only after two rounds, the last of which has found none of
        those with lower ids, because they have precedence.
        """
        session = self._session
        if len(self._lost) < 2:
            return True
        if self._news_at is None or session.now > self._news_at + NEWS_SECONDS:
            self._round, self._next_at, self._wait = [], session.now, FIRST_WAIT
            # The peer that is asked now was asked before.
            self._rounds, self._found = -(self._asked is not None), {}
        self._news_at = session.now
        lower = [address for address, lost in self._lost.items() if lost.peer_id < session.peer_id]
        if any(self._found.get(address, -2) >= self._rounds - 1 for address in lower):
            return False
        return self._rounds >= (2 if lower else 1)

    def takes(self, peer: Peer, event: LinkEvent) -> bool:
        """Whether an event of a link is only for this part, because it is about the peer that is asked."""
        session = self._session
        if peer is not self._asked:
            return False
        if isinstance(event, ReliableReceived):
            self._return_to(peer)
            return False
        if isinstance(event, Connected):
            self._since = session.now
            terms = peer.connection.terms if peer.connection is not None else None
            if terms is None or acceptance_fault(terms.peer_data, session.config) is not None:
                self._drop_asked()
        elif isinstance(event, Refused) and event.reason == ASK_SPONSOR and self._redirections < MOST_REDIRECTIONS:
            self._redirections += 1
            self._since = session.now
            if not session.lobby.follow_redirection(peer, event.text):
                self._drop_asked()
        elif isinstance(event, Refused | Disconnected):
            if event.reason not in (NO_MATCH, Reason.NO_ANSWER):
                self._found[self._address] = self._rounds
            self._drop_asked()
        return True

    def _drop_asked(self) -> None:
        """Stop asking the present peer; ask the next one soon, or the first one after a wait."""
        session, asked = self._session, self._asked
        if asked is None:
            return
        self._asked = None
        if asked.connection is not None:
            asked.connection.tag = None
            asked.connection.close(Reason.GOODBYE, "asks somebody else")
        if not self._round:
            self._rounds += 1
            chance = int.from_bytes(session.entropy(1), "little") / 255
            self._next_at = session.now + self._wait * (1 + chance) / 2
            self._wait = min(2 * self._wait, LONGEST_WAIT)

    def _ask(self, now: float) -> None:
        """Ask the next peer, or check whether the present one has had its time."""
        session = self._session
        if self._asked is not None:
            if now > self._since + (ANSWER_SECONDS if self.is_accepted else DIAL_SECONDS):
                self._drop_asked()
        elif now >= self._next_at and len(session.link.connections) < session.link.config.max_connections:
            self._round = self._round or sorted(self._lost, key=lambda address: self._lost[address].peer_id)
            self._address = self._round.pop(0)
            self._asked, self._since = Peer(HOST_ID, (), Role.HOST), now
            session.shown_token = self._lost[self._address].token
            if session.link.config.sealed:
                session.next_keys = keys_of(session.entropy(KEY_SIZE))
            session.dial_to_play(self._asked, self._address)

    def _return_to(self, peer: Peer) -> None:
        """Return to the peer that has let us in: give up our own match, and be a newcomer there."""
        session = self._session
        self._asked, self._since = None, session.now
        self._start_over(peer)
        if session.phase is Phase.GATHERING:
            session.peers[HOST_ID] = peer
            # Take the seats it was accepted with; until now an application could still draw from its old ones.
            session.local_players = ()
            session.on_connected(peer)

    def _start_over(self, sponsor: Peer | None = None) -> None:
        """Start over without a match, knowing only the peer that lets us in; the last picture can still be drawn."""
        session, match = self._session, self._session.match
        if match is not None:
            for part in session.parts:
                part.match_ending(match)
            if session.phase is Phase.ENDED:
                return
            session.happened += match.events()
            if match.joins_at is not None:
                session.last_match = match
        for link in list(session.link.connections.values()):
            if sponsor is None or link is not sponsor.connection:
                link.tag = None
                link.close(GAVE_UP)
        session.peers, session.match, session.phase = {}, None, Phase.GATHERING
        session.hearing = Hearing()
        if session.next_keys is not None:
            (session.sign, session.public_key), session.next_keys = session.next_keys, None
        session.peer_id = HOST_ID
        session.token, session.is_host = b"", False
        session.seat_token = session.entropy(SEAT_TOKEN_SIZE)
        session.make_parts(session.profiles.own._replace(commitment=commitment_of(session.seat_token)))

    def asks_on(self) -> bool:
        """Whether a session that was not let in must not end, because there is time to ask others."""
        session, match = self._session, self._session.match
        is_in = match is not None and match.joins_at is not None
        if self._until is None or is_in or session.now > self._until:
            return False
        self._start_over()
        self._next_at, session.wakes_at = session.now + FIRST_WAIT, session.now
        return session.phase is not Phase.ENDED

    def peer_connected(self, peer: Peer) -> None:
        """A newcomer is here: stay."""
        if peer.role is Role.NEWCOMER:
            self._drop_asked()

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        if newcomer.connection is not None:
            self._lost.pop(newcomer.connection.address, None)
        self._stop(match)

    def _stop(self, match: Match) -> None:
        """Stop trying: we are no longer alone, or will remain so."""
        session = self._session
        if self._until is not None:
            self._until = match.pause_at = session.wakes_at = session.last_match = None
            self._drop_asked()

    def while_waiting(self, now: float) -> None:
        """Do what is due while returning, without a match."""
        session = self._session
        if self._until is None or session.phase is not Phase.GATHERING:
            return
        session.wakes_at = now + LOOK_EVERY
        if session.peers:
            if session.newcomer.sponsor is None and now > self._since + ANSWER_SECONDS:
                session.end("was accepted, and not let in")
        elif self._asked is None and now > self._until:
            session.end(NOBODY)
        else:
            self._ask(now)

    def after_frame(self, match: Match, now: float) -> bool:
        """Do what is due while standing with our own match, or while catching up with another one."""
        session = self._session
        if self._until is None:
            return False
        session.wakes_at = now + LOOK_EVERY
        if session.players_peers():
            if match.joins_at is not None:
                self._stop(match)
        elif session.sponsor.newcomer is None and not session.returns.is_anybody_expected:
            self._stand(match, now)
        return self._until is not None

    def _stand(self, match: Match, now: float) -> None:
        session = self._session
        # Behind the last inputs of the lost peers: before that no newcomer gets a state.
        match.pause_at = max((match.engine.frame, *session.membership.free.values()))
        if self._asked is not None or self._until is None or now <= self._until:
            self._ask(now)
            return
        self._stop(match)
        if session.config.end_when_alone:
            session.end(NOBODY)
