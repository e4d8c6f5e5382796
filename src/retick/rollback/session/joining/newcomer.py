"""A newcomer's side of joining a running match: receives a state, the inputs since then, and its first own frame.

``sponsor`` explains the whole protocol and has the sponsor's side.
"""

from collections import Counter
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link.addresses import check_reachable
from retick.rollback.events import MatchStarted
from retick.rollback.match.match import Match
from retick.rollback.session.agreement import most_liars
from retick.rollback.session.link_config import check_disconnect_after
from retick.rollback.session.messages.agreement import Taken, decode_taken
from retick.rollback.session.messages.join import Welcome, decode_welcome, encode_joined
from retick.rollback.session.messages.roster import check_seats
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.state_transfer import StateReceiver
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

LEVEL_SECONDS = 0.75
"""Seconds that a newcomer may be behind, travel time included, when the frame of its first input is agreed."""
NOT_LET_IN = "the others did not let us in: try again"
SAY_EVERY = 0.5
"""Seconds from one JOINED to the next."""
LONGEST_DOUBT = 4.0
"""Seconds in which enough players must tell us alike that we are members: for those that do, all wait for us."""
LONGEST_WAIT = 35.0
"""Seconds after WELCOME in which a newcomer must have become a player; its sponsor gives it up after 30."""


class Newcomer(SessionPart):
    """This peer as a newcomer."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._welcome: Welcome | None = None
        self._receiver: StateReceiver | None = None
        self._joined_at: float | None = None
        """When we last told the players that we have the state and all links."""
        self._since: float | None = None
        """When we first waited after WELCOME."""
        self._taken: dict[int, Taken] = {}
        """What each player has told us of the decision to let us in."""
        self._taken_at: float | None = None
        """When the first of them did."""

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
        session.token, session.match_count = welcome.token, welcome.match
        session.set_disconnect_after(welcome.disconnect_after)
        session.joins.peer_id_given(welcome.peer_id)
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
        check_disconnect_after(welcome.disconnect_after, session.config)

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
            number=welcome.match % 256,
        )
        for player in welcome.gone:
            match.engine.drop_player(player, welcome.frame)
            session.membership.free[player] = welcome.frame
        session.begin(match, welcome.frame)
        session.catch_up(match, session.now)
        self._report_when_level(match)

    def peer_connected(self, peer: Peer) -> None:
        """Exchange inputs with a peer of the match, whose link is up, from the state's frame on."""
        match = self._session.match
        if self._welcome is not None and match is not None and self._joined_at is None:
            self._session.exchange_with(peer, self._welcome.frame)
            self._report_when_level(match)

    def peer_gone(self, peer: Peer, reason: str) -> None:
        """Give up if we lose a peer before we are in: we have no part in what the others decide about it."""
        session = self._session
        if session.running and session.match is not None and session.match.joins_at is None:
            session.end(reason)

    def while_waiting(self, now: float) -> None:
        """Give up on a sponsor that is alive but does not let us in, after the longest time that a join can take."""
        if self._welcome is None:
            return
        if self._since is None:
            self._since = now
        is_in_doubt = self._taken_at is not None and now - self._taken_at > LONGEST_DOUBT
        if is_in_doubt or now - self._since > LONGEST_WAIT:
            self._session.end(NOT_LET_IN)

    def after_frame(self, match: Match, now: float) -> bool:
        if match.joins_at is not None:
            return False
        self.while_waiting(now)
        self._report_when_level(match)
        match.barrier = max(
            self._newest(match), match.engine.start_frame
        )  # where the others pause, this peer pauses too
        return True

    @staticmethod
    def _newest(match: Match) -> int:
        """The newest frame that any player has told us to be at."""
        return max((exchange.their_frame for exchange in match.exchanges), default=-1)

    def _report_when_level(self, match: Match) -> None:
        """Tell all players, now and then, that we have the state and all links, and have run what they brought.

        A player to whom we were not announced yet reads nothing of us.
        """
        peers, now = self._session.peers.values(), self._session.now
        if self._joined_at is not None and now < self._joined_at + SAY_EVERY:
            return
        if all(peer.is_connected for peer in peers) and self._is_level(match):
            self._joined_at = now
            for peer in peers:
                peer.send(encode_joined())

    @staticmethod
    def _is_level(match: Match) -> bool:
        """Whether we have nearly caught up with the others; if a link came up late, inputs are still missing."""
        return Newcomer._newest(match) - match.engine.frame <= LEVEL_SECONDS * match.config.tick_rate

    @property
    def sponsor(self) -> int | None:
        """The id of our sponsor; None if we did not come in as a newcomer."""
        return None if self._welcome is None else self._welcome.sender

    def is_sponsored_by(self, peer: Peer) -> bool:
        return self._welcome is not None and peer.peer_id == self._welcome.sender

    def receive_taken(self, peer: Peer, data: bytes) -> None:
        """Receive a player's word that we are a member: it counts once enough others have said the same."""
        match, taken = self._match, decode_taken(data)
        if match.joins_at is not None or peer.peer_id in self._taken:
            return
        self._taken[peer.peer_id] = taken
        self._taken_at = self._session.now if self._taken_at is None else self._taken_at
        alike = [told for told in self._taken.values() if told[:-1] == taken[:-1]]
        others = len(self._session.players_peers())
        if len(alike) > most_liars(others) and 2 * len(alike) > others:
            # A pause may have ended for some of them by its own limit.
            [(pause_at, _)] = Counter(told.pause_at for told in alike).most_common(1)
            self._take_part(taken._replace(pause_at=pause_at), match)

    def _take_part(self, taken: Taken, match: Match) -> None:
        session = self._session
        level = round(LEVEL_SECONDS * match.config.tick_rate)
        is_near = match.engine.start_frame <= taken.frame <= match.engine.frame + 3 * match.config.history + level
        if not is_near or not session.membership.take_part(taken, match):
            session.end(NOT_LET_IN)
            return
        match.joins_at, match.pause_at, match.barrier = taken.frame, taken.pause_at, None
        session.tell(MatchStarted(seed=match.seed, local_players=session.local_players, frame=taken.frame))
        session.membership.receive_early()
