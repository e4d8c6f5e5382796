"""Continuing after a desync: everyone adopts one peer's state, and a new match begins from there.

Every application that wants to continue names the same peer. That peer announces its newest final state (RESYNC). A
peer whose application has named it asks for the state (ASK), and only then is sent it: unrequested states are never
kept and never unpacked. Each peer that has the state says so (RESYNCED), and when all have, the match continues from it
under the next match number. A peer that does not agree keeps the others waiting until it leaves. If the named peer is
lost, the match continues as it was, and another one can be named.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from retick.errors import InvalidValue, UsageError
from retick.rollback.match.alarm import AlarmState
from retick.rollback.match.match import Match
from retick.rollback.session.messages.join import StateHeader, decode_resync, encode_resync
from retick.rollback.session.messages.kinds import (
    MessageKind,
    decode_byte,
    decode_byte_and_number,
    encode_byte,
    encode_byte_and_number,
)
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.rollback.session.rematch import begin_next, is_ahead, may_begin_next, next_number
from retick.rollback.session.state_transfer import PackedState, StateReceiver, StateSender
from retick.sim.contract import PacksState

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class Resync(SessionPart):
    """Restarts a match from one peer's state."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._source: int | None = None
        """The peer that this peer's application has named; None if none."""
        self._own: tuple[Any, int] | None = None
        """The state that this peer offers, and its checksum."""
        self._announcement = b""
        self._sender: StateSender | None = None
        self._asked: set[Peer] = set()
        """Peers that have asked for our state."""
        self._announced: dict[tuple[int, int], StateHeader] = {}
        """The announcements of peers, by peer id and number of the match that is to begin."""
        self._receiver: StateReceiver | None = None
        """Receives the state of the named peer, once it was asked for."""
        self._unwanted: set[int] = set()
        """Peers whose requested state is no longer wanted: chunks on the way are ignored."""
        self._agreed: dict[int, tuple[int, int]] = {}
        """The number of the match that each peer is ready for, and the checksum of its first state."""

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
        match.barrier = match.engine.frame
        self._ask_when_announced(match)
        self._report_when_ready(match, session.players_peers())

    @property
    def people_decide(self) -> bool:
        """Whether people decide how to continue: a desync was reported, or an application has named a peer."""
        if self._match.alarm.state is AlarmState.REPORTED:
            return True
        number = next_number(self._match)
        return (
            self._source is not None
            or any(agreed == number for agreed, _ in self._agreed.values())
            or any(announced == number for _, announced in self._announced)
        )

    def _offer(self, match: Match) -> None:
        state = match.engine.state_at(match.engine.final_state_frame)
        packed = PackedState(self._session.sim, state)
        self._own = (state, packed.header.checksum)
        self._announcement = encode_resync(next_number(match), packed.header)
        self._sender = StateSender(b"", packed)
        self._announce(self._session.players_peers())

    def _announce(self, peers: Iterable[Peer]) -> None:
        if self._sender is not None:
            for peer in peers:
                peer.send(self._announcement)

    def after_frame(self, match: Match, now: float) -> bool:
        if self._sender is not None:
            self._sender.pump()
        return self._source is not None

    def receive_resync(self, peer: Peer, data: bytes) -> None:
        """Receive a peer's announcement of its state: ask for it only if our application has named that peer."""
        number, header = decode_resync(data)
        self._unwanted.discard(peer.peer_id)
        if (peer.peer_id, number) in self._announced:
            raise InvalidValue(f"peer {peer.peer_id} announces a second state for match {number}")
        # For any match but the next two it comes too late.
        if is_ahead(number, self._match):
            self._announced[peer.peer_id, number] = header
            self._ask_when_announced(self._match)

    def _ask_when_announced(self, match: Match) -> None:
        """Ask the peer that we named for its state, once."""
        source = self._session.peers.get(self._source) if self._source is not None else None
        header = self._announced.get((source.peer_id, next_number(match))) if source is not None else None
        if source is not None and header is not None and self._receiver is None:
            self._receiver = StateReceiver(self._session.sim, header)
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
        if peer.peer_id in self._unwanted:
            return
        if self._receiver is None or peer.peer_id != self._source:
            raise InvalidValue("a state that was not asked for")
        if self._receiver.receive(data):
            self._report_when_ready(self._match, self._session.players_peers())

    def receive_resynced(self, peer: Peer, data: bytes) -> None:
        """Note that another peer would continue from the state with this checksum."""
        match = self._match
        number, checksum = decode_byte_and_number(data)
        if is_ahead(number, match):
            self._agreed[peer.peer_id] = (number, checksum)
            self._begin_when_all_agree(match)

    def _report_when_ready(self, match: Match, peers: Iterable[Peer]) -> None:
        """Tell these peers that we have agreed and have the state of the peer that we named."""
        named = self._named_state(match)
        if named is None:
            return
        self._agreed[self._session.peer_id] = (next_number(match), named[1])
        for peer in peers:
            peer.send(encode_byte_and_number(MessageKind.RESYNCED, next_number(match), named[1]))
        self._begin_when_all_agree(match)

    def _named_state(self, match: Match) -> tuple[Any, int] | None:
        """The state of the peer that we named and its checksum, once it is complete."""
        if self._source is None:
            return None
        if self._source == self._session.peer_id:
            return self._own
        offer = self._receiver
        return (offer.state, offer.header.checksum) if offer is not None and offer.is_complete else None

    def _begin_when_all_agree(self, match: Match) -> None:
        session = self._session
        named = self._named_state(match)
        if named is None or session.match is not match or not may_begin_next(session):
            return
        peer_ids = [session.peer_id, *(peer.peer_id for peer in session.players_peers())]
        if all(self._has_agreed(peer_id, named[1], match) for peer_id in peer_ids):
            self._source = None
            begin_next(session, match, session.drop_agreement.carried_over(), match.seed, named[0])

    def _has_agreed(self, peer_id: int, checksum: int, match: Match) -> bool:
        number, agreed = self._agreed.get(peer_id, (match.number, 0))
        if number == next_number(match):
            return agreed == checksum
        # It is ready for the match after the next: so it has already begun the next.
        return is_ahead(number, match)

    def newcomer_became_player(self, newcomer: Peer, match: Match) -> None:
        """Tell the newcomer about the state that we offer, and whether we are ready."""
        if self._source is None:
            return
        match.barrier = match.engine.frame
        self._announce([newcomer])
        self._report_when_ready(match, [newcomer])

    def peer_id_given(self, peer_id: int) -> None:
        self._agreed.pop(peer_id, None)
        self._unwanted.discard(peer_id)
        self._announced = {key: header for key, header in self._announced.items() if key[0] != peer_id}

    def roster_agreed(self, match: Match) -> None:
        session = self._session
        if self._source is None or session.match is not match:
            return
        is_lost = self._source != session.peer_id and self._source not in session.peers
        if is_lost and not session.drop_agreement.undecided:
            self._source = self._receiver = None
            self._agreed.pop(session.peer_id, None)
            match.barrier = None
            return
        if not is_lost:
            match.barrier = match.engine.frame
        self._begin_when_all_agree(match)

    def match_ending(self, match: Match) -> None:
        """Keep only what others have sent about the match after the next."""
        after_next = (match.number + 2) % 256
        if self._source is not None and self._receiver is not None and not self._receiver.is_complete:
            self._unwanted.add(self._source)
        self._source = self._own = self._sender = self._receiver = None
        self._asked = set()
        self._announced = {key: header for key, header in self._announced.items() if key[1] == after_next}
        self._agreed = {peer_id: agreed for peer_id, agreed in self._agreed.items() if agreed[0] == after_next}
