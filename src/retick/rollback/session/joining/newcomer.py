"""A newcomer's side of joining a running match: receives a state, the inputs since then, and its first own frame.

``sponsor`` explains the whole protocol and has the sponsor's side.
"""

from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link import Reason
from retick.rollback.events import MatchStarted
from retick.rollback.match.match import Match
from retick.rollback.session.messages.join import Welcome, decode_welcome, encode_joined
from retick.rollback.session.messages.kinds import NO_INPUTS
from retick.rollback.session.messages.roster import check_reachable, check_seats
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import LAST_PEER_ID, Peer, Role
from retick.rollback.session.state_transfer import StateReceiver
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

LEVEL_SECONDS = 0.75
"""Seconds that a newcomer may be behind, travel time included, when the frame of its first input is agreed."""
NOT_LET_IN = "the others did not let us in: try again"
LONGEST_DOUBT = 3.0
"""Seconds after COMMIT in which all players must have acknowledged our inputs; then ours are used in any case."""
LONGEST_WAIT = 35.0
"""Seconds after WELCOME in which a newcomer must have become a player; its sponsor gives it up after 30."""


class Newcomer(SessionPart):
    """This peer as a newcomer."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._welcome: Welcome | None = None
        self._receiver: StateReceiver | None = None
        self._has_joined = False
        self._since: float | None = None
        """When we first waited after WELCOME."""
        self._taken_since: float | None = None
        """When we first waited after COMMIT."""
        self._denied_at = 0.0
        """When a player last refused us."""
        self._denied: set[int] = set()
        """Players of the WELCOME that have closed the link to us, or with whom no inputs were exchanged."""

    def receive_welcome(self, sponsor: Peer, data: bytes) -> None:
        """Receive who plays, and the announcement of a state: call the others."""
        session = self._session
        welcome = decode_welcome(data)
        if not isinstance(session.sim, PacksState):
            raise InvalidValue("a WELCOME for a game whose state cannot be sent")
        self._check_welcome(welcome)
        for entry in welcome.entries:
            if entry.peer_id != welcome.sender and sponsor.connection is not None:
                check_reachable(entry.address, sponsor.connection.address)
        self._welcome = welcome
        self._receiver = StateReceiver(session.sim, welcome.state)
        del session.peers[sponsor.peer_id]
        session.profiles.renumber(sponsor.peer_id, welcome.sender)
        sponsor.peer_id, sponsor.role = welcome.sender, Role.PLAYER
        session.peer_id = welcome.peer_id
        session.token = welcome.token
        session.joins.peer_id_given(welcome.peer_id)
        # Any id may have been given before we came.
        session.newest_peer_id = LAST_PEER_ID
        for entry in welcome.entries:
            if entry.peer_id == welcome.sender:
                sponsor.players = entry.players
                session.peers[entry.peer_id] = sponsor
            else:
                session.call(entry)

    def _check_welcome(self, welcome: Welcome) -> None:
        session = self._session
        seats = {entry.peer_id: entry.players for entry in welcome.entries}
        groups = (*seats.values(), welcome.gone, session.local_players)
        taken = check_seats(groups, session.sim.num_players)
        if len(taken) != session.sim.num_players:
            raise InvalidValue("a WELCOME with a seat that nobody plays: it would be waited for")
        if welcome.sender not in seats or welcome.peer_id in seats or len(session.local_players) != session.seats_asked:
            raise InvalidValue("a WELCOME without its sender, or with other seats than were asked for")

    def receive_state(self, peer: Peer, data: bytes) -> None:
        """Receive a chunk of the state; with the last one, this peer's match begins."""
        if self._receiver is None or self._welcome is None or not self.is_sponsored_by(peer):
            raise InvalidValue("a state that was not announced")
        if self._receiver.receive(data):
            receiver, self._receiver = self._receiver, None
            self._begin(self._welcome, receiver.state)

    def _begin(self, welcome: Welcome, state: object) -> None:
        session = self._session
        match = Match(
            session.sim,
            seed=welcome.seed,
            local_players=session.local_players,
            config=session.config,
            state=state,
            start_frame=welcome.frame,
            joins_at=None,
            number=welcome.match,
        )
        for player in welcome.gone:
            match.engine.drop_player(player, welcome.frame)
            session.drop_agreement.decided[player] = welcome.frame
        session.begin(match, welcome.frame)
        session.catch_up(match, session.now)
        self._report_when_level(match)

    def peer_connected(self, peer: Peer) -> None:
        """Exchange inputs with a peer of the match, whose link is up, from the state's frame on."""
        match = self._session.match
        if self._welcome is not None and match is not None and not self._has_joined:
            self._session.exchange_with(peer, self._welcome.frame)
            self._report_when_level(match)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Give up if we lose a peer before we are in: we cannot agree on drops with the others.

        Also give up if most players, or all that are left, say that we were not let in: our sponsor has deceived us, or
        was lost before its COMMIT had reached the others.
        """
        session, welcome = self._session, self._welcome
        if not session.running or session.match is None or welcome is None:
            return
        if session.match.joins_at is None:
            session.end(reason)
            return
        if peer.connection is not None and peer.connection.close_reason in (Reason.DENIED, NO_INPUTS):
            self._denied.add(peer.peer_id)
            self._denied_at = session.now
        is_alone = all(other is peer for other in session.heard_peers())
        if self._denied and (is_alone or 2 * len(self._denied) > len(welcome.entries)):
            session.end(NOT_LET_IN)

    def roster_agreed(self, match: Match) -> None:
        """Ignore what peers dropped since have said about us."""
        self._denied &= self._session.peers.keys()

    def while_waiting(self, now: float) -> None:
        """Give up on a sponsor that is alive but does not let us in, after the longest time that a join can take."""
        if self._welcome is None:
            return
        if self._since is None:
            self._since = now
        if now - self._since > LONGEST_WAIT:
            self._session.end(NOT_LET_IN)

    def after_frame(self, match: Match, now: float) -> bool:
        if match.is_taken_in:
            return False
        if match.joins_at is None:
            self.while_waiting(now)
            self._report_when_level(match)
        else:
            self._take_part_when_acknowledged(match.joins_at, match, now)
        return True

    def _take_part_when_acknowledged(self, first: int, match: Match, now: float) -> None:
        """Use our players' own inputs once everybody acknowledges our inputs, and so has let us in.

        A sponsor may have told only some of them. If one that has refused us stays in the match, we leave: our inputs
        were neutral, and nobody can tell whether we were there. A peer that merely does not acknowledge is not waited
        for.
        """
        session = self._session
        self._taken_since = self._taken_since or now
        others = session.heard_peers()
        if any(session.hearing.hears(other.peer_id, peer_id) for peer_id in self._denied for other in others):
            if now > self._denied_at + LONGEST_DOUBT:
                session.end(NOT_LET_IN)
            return
        is_acknowledged = all(exchange.acknowledged >= first for exchange in match.exchanges)
        if is_acknowledged or now > self._taken_since + LONGEST_DOUBT:
            match.is_taken_in = True

    def _report_when_level(self, match: Match) -> None:
        """Tell the sponsor, once, that we have the state and all links, and have run what they brought."""
        welcome, session = self._welcome, self._session
        sponsor = session.peers.get(welcome.sender) if welcome is not None else None
        if sponsor is None or self._has_joined:
            return
        if all(peer.is_connected for peer in session.peers.values()) and self._is_level(match):
            self._has_joined = True
            sponsor.send(encode_joined())

    @staticmethod
    def _is_level(match: Match) -> bool:
        """Whether we have nearly caught up with the others; if a link came up late, inputs are still missing."""
        newest = max((exchange.their_frame for exchange in match.exchanges), default=-1)
        return newest - match.engine.frame <= LEVEL_SECONDS * match.config.tick_rate

    @property
    def sponsor(self) -> int | None:
        """The id of our sponsor; None if we did not come in as a newcomer."""
        return None if self._welcome is None else self._welcome.sender

    def is_sponsored_by(self, peer: Peer) -> bool:
        return self._welcome is not None and peer.peer_id == self._welcome.sender

    def commit(self, frame: int, match: Match) -> None:
        """Accept the frame of our first own input: only once, or another peer could silence ours at any time."""
        if match.joins_at is not None:
            return
        level = round(LEVEL_SECONDS * match.config.tick_rate)
        if frame > match.engine.frame + 3 * match.config.history + level:
            raise InvalidValue(f"a COMMIT of frame {frame}, at frame {match.engine.frame}")
        match.joins_at = frame
        self._session.tell(MatchStarted(seed=match.seed, local_players=self._session.local_players, frame=frame))
