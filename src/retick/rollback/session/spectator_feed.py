"""Spectators at a machine that plays: they get a final state, and from there on every final frame's inputs.

Only final inputs are sent, reliably and in order, so a spectator never predicts and never rolls back. Each watches
at its own pace; one that falls too far behind to be fed is let go, and can come again for a fresh state.
"""

import struct
from typing import TYPE_CHECKING

from retick.errors import HistoryEvicted
from retick.link import Accept, Reason, Refuse, Request
from retick.rollback.match.match import Match
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby
from retick.rollback.session.outbox import offer
from retick.rollback.session.peer import Peer, Phase, Role
from retick.rollback.session.transition import Turnover
from retick.sim.contract import PacksState, input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.session import RollbackSession

__all__ = ["FROM_A_STATE", "WATCH", "Audience", "watch_request"]

WATCH = b"WATCH"
FROM_A_STATE = 0xFFFFFFFF
"""In place of the frame to go on from: the spectator has nothing yet."""
SPECTATOR_NUMBER = 255
FEED_EVERY = 6
"""Frames that are sent together."""
FEED_MOST = 256
"""Frames in one message at most."""
CHUNK = 32768

NOT_YET_PLAYED = 600
"""Frames by which a spectator may be ahead of its new source: that one was stopped for a while, and will get there."""

_REQUEST = struct.Struct("<5sIB")


def watch_request(next_frame: int, match: int = 0) -> bytes:
    """The data of a spectator's call: the frame it wants to go on from, or FROM_A_STATE, and of which match."""
    return _REQUEST.pack(WATCH, next_frame, match)


class Seat:
    """One spectator: the frame it needs next, and the parts of the state that it still has to get."""

    __slots__ = ("match", "next_frame", "peer", "roster", "state")

    def __init__(self, peer: Peer, next_frame: int, match: int) -> None:
        self.peer = peer
        self.next_frame = next_frame
        self.match = match
        self.state: list[bytes] = []
        self.roster: tuple[lobby.Member, ...] = ()


class Audience(Turnover):
    """All who watch through this machine."""

    def __init__(self, session: "RollbackSession") -> None:
        self._session = session
        self._seats: dict[Peer, Seat] = {}
        session.departures.parts.append(self)

    @property
    def size(self) -> int:
        return len(self._seats)

    def admit(self, request: Request) -> Accept | Refuse:
        session = self._session
        if len(request.data) != _REQUEST.size or not isinstance(session.sim, PacksState):
            return Refuse(reason=Reason.DENIED, text="this game cannot be watched from its middle")
        if session.phase is Phase.ENDED:
            return Refuse(reason=Reason.DENIED, text="the match is over here")
        if session.match is None or not session.running or session.match.joins_at is None:
            return Refuse(reason=Reason.DENIED, text="the match has not begun: try again in a moment")
        if len(self._seats) >= session.config.max_spectators:
            return Refuse(reason=Reason.FULL, text="no more spectators are taken here")
        peer = Peer(SPECTATOR_NUMBER, (), Role.SPECTATOR)
        peer.connection = request.connection
        request.connection.tag = peer
        _, frame, number = _REQUEST.unpack(request.data)
        self._seats[peer] = Seat(peer, frame, number)
        return Accept()

    def connected(self, peer: Peer) -> None:
        """The link is up: send a state to begin with, unless the spectator goes on from a frame that is held."""
        match, seat = self._session.match, self._seats.get(peer)
        if match is None or seat is None:
            return
        if seat.match != match.number or not self._can_go_on(seat.next_frame, match):
            self._begin(seat, match)

    def _can_go_on(self, frame: int, match: Match) -> bool:
        if frame >= match.engine.frame:
            return frame <= match.engine.frame + NOT_YET_PLAYED
        try:
            match.engine.inputs_at(frame)
        except HistoryEvicted:
            return False
        return True

    def _begin(self, seat: Seat, match: Match) -> None:
        session = self._session
        frame = match.engine.final_state_frame
        data = session.sim.pack_state(match.engine.state_at(frame))
        seat.next_frame, seat.match = frame, match.number
        seat.state = [wire.encode_chunk(at, data[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
        welcome = wire.Welcome(
            sender=session.number,
            number=SPECTATOR_NUMBER,
            token=bytes(lobby.TOKEN_SIZE),
            seed=match.seed,
            match=match.number,
            frame=frame,
            checksum=match.engine.checksum_at(frame),
            state_size=len(data),
            gone=session.gone,
            members=self._roster(),
        )
        seat.state.insert(0, wire.encode_welcome(welcome))

    def _roster(self) -> tuple[lobby.Member, ...]:
        session = self._session
        return (lobby.Member(session.number, session.local_players, "here"), *session.members())

    def feed(self, match: Match, least: int = FEED_EVERY) -> None:
        """Send everyone what has become final since the last time, if that is at least so many frames."""
        if not self._seats:
            return
        final = match.engine.final_state_frame
        roster = self._roster()
        made: dict[int, bytes] = {}
        for seat in list(self._seats.values()):
            while seat.state and offer(seat.peer, seat.state[0]):
                del seat.state[0]
            if seat.state or not seat.peer.is_connected or final - seat.next_frame < least:
                continue
            try:
                self._send_rows(seat, match, final, roster, made)
            except HistoryEvicted:
                self._dismiss(seat)

    def _send_rows(
        self, seat: Seat, match: Match, final: int, roster: tuple[lobby.Member, ...], made: dict[int, bytes]
    ) -> None:
        first, end = seat.next_frame, min(final, seat.next_frame + FEED_MOST)
        if first not in made:
            size = input_size_of(self._session.sim)
            frames = (match.engine.inputs_at(frame) for frame in range(first, end))
            made[first] = b"".join(value.to_bytes(size, "little") for row in frames for value in row)
        news = () if seat.roster == roster else roster
        if seat.peer.send(wire.encode_feed(wire.Feed(first, made[first], news))):
            seat.next_frame = end
            seat.roster = roster

    def _dismiss(self, seat: Seat) -> None:
        if seat.peer.connection is not None:
            seat.peer.connection.close(Reason.DENIED, "too far behind: come again")
        self._seats.pop(seat.peer, None)

    def leave(self, peer: Peer) -> None:
        self._seats.pop(peer, None)

    def ending(self, match: Match) -> None:
        """Everyone gets the last final frames of a match before the first of the next."""
        self.feed(match, least=1)

    def restart(self) -> None:
        """A new match begins: everyone gets its first state."""
        for seat in self._seats.values():
            seat.next_frame = FROM_A_STATE
            if self._session.match is not None:
                self._begin(seat, self._session.match)
