"""The side of a machine that takes seats in a running match: a state, the inputs since then, and its first own frame.

``admission`` has the side of those who let it in, and the whole story.
"""

from typing import TYPE_CHECKING

from retick.errors import DecodeError, InvalidValue, UsageError
from retick.rollback.events import MatchStarted
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby
from retick.rollback.session.peer import Peer
from retick.rollback.session.transition import Turnover
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["LEVEL_SECONDS", "Newcomer"]

LEVEL_SECONDS = 0.75
"""How far behind a newcomer may be, travel time included, when the frame of its first input is agreed."""


class Newcomer(Turnover):
    """The one who comes."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._welcome: wire.Welcome | None = None
        self._state = bytearray()
        self._joined = False
        session.departures.parts.append(self)

    @property
    def has_state(self) -> bool:
        return self._session.match is not None

    def welcome(self, sponsor: Peer, welcome: wire.Welcome) -> None:
        if self._welcome is not None or not isinstance(self._session.sim, PacksState):
            raise InvalidValue("a WELCOME that was not asked for")
        session = self._session
        self._check_welcome(welcome)
        self._welcome = welcome
        del session.peers[sponsor.number]
        sponsor.number = welcome.sender
        session.number = session.newest_number = welcome.number
        session.token = welcome.token
        for member in welcome.members:
            if member.number == welcome.sender:
                sponsor.players = member.players
                session.peers[member.number] = sponsor
            else:
                session.meet(member)

    def _check_welcome(self, welcome: wire.Welcome) -> None:
        session = self._session
        seats = {member.number: member.players for member in welcome.members}
        groups = (*seats.values(), welcome.gone, session.local_players)
        taken = lobby.check_seats(groups, session.sim.num_players)
        if len(taken) != session.sim.num_players:
            raise InvalidValue("a WELCOME with a seat that nobody plays: it would be waited for")
        if welcome.sender not in seats or welcome.number in seats or len(session.local_players) != session.seats_asked:
            raise InvalidValue("a WELCOME without its sender, or with other seats than were asked for")

    def take_chunk(self, offset: int, part: bytes) -> None:
        welcome = self._welcome
        if welcome is None or offset != len(self._state) or offset + len(part) > welcome.state_size:
            raise InvalidValue("a part of a state that does not follow the one before")
        self._state += part
        if len(self._state) == welcome.state_size:
            self._enter(welcome)

    def _enter(self, welcome: wire.Welcome) -> None:
        session = self._session
        try:
            state = session.sim.unpack_state(bytes(self._state))
        except (DecodeError, UsageError) as error:
            raise InvalidValue(f"a state that does not decode: {error}") from error
        if session.sim.checksum(state) != welcome.checksum:
            raise InvalidValue("a state that does not have its checksum")
        self._state.clear()
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
            session.departures.decided[player] = welcome.frame
        session.run(match)
        for peer in session.peers.values():
            if peer.is_connected:
                session.exchange_with(peer, welcome.frame)
        self.report()

    def connected(self, peer: Peer) -> None:
        """A link with a member is up."""
        if self._welcome is not None and self.has_state:
            self._session.exchange_with(peer, self._welcome.frame)
        self.report()

    def report(self) -> None:
        """Tell the sponsor, once, that we have the state and all links, and have run what they brought."""
        welcome, session = self._welcome, self._session
        if welcome is None or self._joined or not self.has_state:
            return
        sponsor = session.peers.get(welcome.sender)
        if sponsor is None:
            return
        if all(peer.is_connected for peer in session.peers.values()) and self._is_level():
            self._joined = True
            sponsor.send(bytes((wire.JOINED,)))

    def _is_level(self) -> bool:
        """Whether we have come near to where the others are; where a link came up late, inputs are still missing."""
        match = self._session.match
        if match is None:
            return False
        newest = max((exchange.their_frame for exchange in match.exchanges.values()), default=-1)
        return newest - match.engine.frame <= LEVEL_SECONDS * match.config.tick_rate

    def is_brought_by(self, peer: Peer) -> bool:
        return self._welcome is not None and peer.number == self._welcome.sender

    def let_in(self, frame: int, match: Match) -> None:
        """Our sponsor is lost, and a survivor had its last word on us."""
        self.commit(frame, match)

    def commit(self, frame: int, match: Match) -> None:
        """The frame of our first own input is agreed: once, or another machine could silence ours at any time."""
        if match.joins_at is not None:
            return
        match.joins_at = frame
        for exchange in match.exchanges.values():
            exchange.acks_below = frame
        self._session.tell(MatchStarted(seed=match.seed, local_players=self._session.local_players, frame=frame))
