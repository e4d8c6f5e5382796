"""Continuing after a desync: everyone adopts one peer's state, and a new match begins from there.

Every application that wants to continue names the same peer. That peer states the size and checksum of its newest final
state (``membership``). A peer whose application has named it asks for the state (ASK), and only then is sent it:
unrequested states are never kept and never unpacked. Each peer that has the state states the same, and when all have,
the match continues from it under the next match number. A peer that does not agree keeps the others waiting until it
leaves. If the named peer is lost, the match continues as it was, and another one can be named.
"""

from typing import TYPE_CHECKING, Any

from retick.errors import InvalidValue, UsageError
from retick.rollback.match.alarm import AlarmState
from retick.rollback.match.match import Match
from retick.rollback.session.messages.agreement import OfferedState
from retick.rollback.session.messages.join import LARGEST_STATE, StateHeader, decode_chunk
from retick.rollback.session.messages.kinds import MessageKind, decode_byte, encode_byte
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.rollback.session.rematch import begin_next, next_number
from retick.rollback.session.state_transfer import PackedState, StateReceiver, StateSender
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class Resync(SessionPart):
    """Restarts a match from one peer's state."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.freeze_at: int | None = None
        """The frame at which this peer stands until the match goes on from a state; None if it does not."""
        self._forget()

    def _forget(self) -> None:
        self._source: int | None = None
        """The peer that this peer's application has named; None if none."""
        self._own: Any = None
        """The state that this peer offers."""
        self._sender: StateSender | None = None
        self._asked: set[Peer] = set()
        """Peers that have asked for our state."""
        self._receiver: StateReceiver | None = None
        """Receives the state of the named peer, once it was asked for."""
        self.offered: OfferedState | None = None
        """The state that is complete here, and from which this peer would go on."""

    def agree(self, peer_id: int) -> None:
        """Continue from the state of ``peer_id``, as this peer's application wants."""
        session, match = self._session, self._match
        if not isinstance(session.sim, PacksState):
            raise UsageError("this game's state cannot be sent: it has no pack_state and unpack_state")
        if peer_id != session.peer_id and peer_id not in session.peers:
            raise UsageError(f"there is no peer {peer_id} in this match")
        if peer_id != session.peer_id and not session.peers[peer_id].is_heard:
            raise UsageError(f"peer {peer_id} is not heard here, and its state cannot come: name another one")
        if self._source is not None:
            raise UsageError(f"peer {self._source} was named already")
        if peer_id == session.peer_id:
            self._offer(match)
        self._source = peer_id
        self._freeze(match.engine.frame, match)
        self._ask_when_stated(match)
        session.is_quiet = False

    def _freeze(self, frame: int | None, match: Match) -> None:
        self.freeze_at = frame
        self._session.membership.set_barrier(match)

    @property
    def people_decide(self) -> bool:
        """Whether people decide how to continue: a desync was reported, or applications have named a peer.

        One other peer alone cannot make us wait longer by saying so.
        """
        if self._match.alarm.state is AlarmState.REPORTED or self._source is not None:
            return True
        return sum(wishes.resync is not None for wishes in self._session.membership.wishes.values()) > 1

    def _offer(self, match: Match) -> None:
        self._own = match.engine.state_at(match.engine.final_state_frame)
        packed = PackedState(self._session.sim, self._own)
        self._sender = StateSender(b"", packed, next_number(match))
        self.offered = OfferedState(self._session.peer_id, *packed.header)

    def after_frame(self, match: Match, now: float) -> bool:
        if self._sender is not None:
            self._sender.pump()
        return self._source is not None

    def note_wishes(self, match: Match) -> None:
        """Look at what was decided: the named peer may have stated its state, or may be lost."""
        session = self._session
        if self._source is not None and self._source not in {session.peer_id, *session.peers}:
            self._forget()
            self._freeze(None, match)
        self._ask_when_stated(match)

    def _ask_when_stated(self, match: Match) -> None:
        """Ask the peer that we named for its state, once."""
        session = self._session
        source = session.peers.get(self._source) if self._source is not None else None
        wishes = session.membership.wishes.get(source.peer_id) if source is not None else None
        stated = wishes.resync if wishes is not None else None
        if source is None or stated is None or stated.peer_id != source.peer_id or self._receiver is not None:
            return
        if stated.size <= LARGEST_STATE:
            self._receiver = StateReceiver(session.sim, StateHeader(stated.size, stated.checksum))
            source.send(encode_byte(MessageKind.ASK, next_number(match)))

    def receive_ask(self, peer: Peer, data: bytes) -> None:
        """Send our state to a peer whose application has named us, once."""
        number = decode_byte(data)
        if self._sender is None or number != next_number(self._match):
            return
        if peer in self._asked:
            raise InvalidValue(f"peer {peer.peer_id} asks for a state that it was sent")
        self._asked.add(peer)
        self._sender.add(peer)
        self._sender.pump()

    def receive_state(self, peer: Peer, data: bytes) -> None:
        if decode_chunk(data).match != next_number(self._match):
            return  # on its way when another match began
        if self._receiver is None or peer.peer_id != self._source:
            raise InvalidValue("a state that was not asked for")
        if self._receiver.receive(data):
            self.offered = OfferedState(peer.peer_id, *self._receiver.header)
            self._session.is_quiet = False

    def begin(self, match: Match, state: OfferedState) -> None:
        """Begin the next match from the state that all have."""
        is_ours = state.peer_id == self._session.peer_id
        adopted = self._own if is_ours or self._receiver is None else self._receiver.state
        begin_next(self._session, match, match.seed, adopted)

    def match_ending(self, match: Match) -> None:
        self._forget()
        self.freeze_at = None
