"""Passing on the messages of peers that two others of the match do not receive from each other.

DROP, REMATCH, RESYNCED and PAUSE are sent by each peer to all, and may be received twice. Who receives one passes it on
to those that have said that they no longer hear its sender. A peer uses a message that was passed on only if it does
not hear the origin itself, and only if it is news: so passing on comes to an end.
"""

from typing import TYPE_CHECKING

from retick.errors import RetickError
from retick.rollback.match.match import Match
from retick.rollback.session.messages.drop import SERIAL_END, serial_of
from retick.rollback.session.messages.forward import FORWARDED, decode_forward, encode_forward
from retick.rollback.session.messages.kinds import Kind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer, Role

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

__all__ = ["Forwarding"]

WITH_SERIAL = (Kind.DROP, Kind.PAUSE)
"""Messages that begin with a match number and a serial."""
MOST_RESYNCED = 16
"""Different RESYNCED or REMATCH of one peer for one match that are passed on: honest peers send few."""


class Forwarding(SessionPart):
    """The newest messages of each peer, and to whom they must be passed on."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._newest: dict[tuple[int, int], bytes] = {}
        """By origin and kind."""
        self._waiting: dict[tuple[int, int, int], bytes] = {}
        """By peer, origin and kind: what is passed on when the link to that peer has room."""
        self._resynced: dict[int, list[bytes]] = {}
        """All RESYNCED of each peer for one match: of two for the same match none is older by its contents."""
        self._rematches: dict[int, list[bytes]] = {}
        """The same for REMATCH."""

    def received(self, origin: int, message: bytes) -> None:
        """A message has been received and was good: pass it on."""
        if message[0] not in FORWARDED:
            return
        self._newest[origin, message[0]] = message
        if message[0] not in WITH_SERIAL:
            seen = self._seen(message[0]).setdefault(origin, [])
            if seen and seen[0][1] != message[1]:
                seen.clear()
            if message not in seen and len(seen) < MOST_RESYNCED:
                seen.append(message)
        for peer in self._session.heard_peers():
            if origin in self._session.hearing.unheard_by(peer.peer_id):
                self._pass_on(peer, origin, message)

    def send_newest(self, origin: int, peer: Peer) -> None:
        """A peer no longer hears another one: pass on what that one said last."""
        if peer.is_heard:
            for (sender, _), message in self._newest.items():
                if sender == origin:
                    self._pass_on(peer, origin, message)

    def _pass_on(self, peer: Peer, origin: int, message: bytes) -> None:
        """Send it now if the link has room; else later, and then only the newest: a flood of them fills no queue."""
        if not peer.send_if_room(encode_forward(origin, message)):
            self._waiting[peer.peer_id, origin, message[0]] = message
            self._session.is_quiet = False

    def after_frame(self, match: Match, now: float) -> bool:
        waiting, self._waiting = self._waiting, {}
        for (peer_id, origin, _), message in waiting.items():
            peer = self._session.peers.get(peer_id)
            if peer is not None and peer.is_heard:
                self._pass_on(peer, origin, message)
        return bool(self._waiting)

    def receive_forward(self, peer: Peer, data: bytes) -> None:
        origin, message = decode_forward(data)
        session = self._session
        sender = session.peers.get(origin)
        if peer.role is not Role.PLAYER or sender is None or sender.role is not Role.PLAYER:
            return
        if sender.is_heard or not self._is_news(origin, message):
            return
        try:
            session.routes.receive(sender, message, session.phase)
        except RetickError:
            # The origin may be at fault, or who passed it on: nobody is blamed.
            if peer.exchange is not None:
                peer.exchange.dropped["BadForward"] += 1
            return
        self.received(origin, message)

    def _is_news(self, origin: int, message: bytes) -> bool:
        """Whether a message is newer than the newest of its kind; what is too short to say so is refused later."""
        known = self._newest.get((origin, message[0]))
        if known is None or len(message) < 2:
            return True
        if message[0] in WITH_SERIAL:
            return len(message) < SERIAL_END or serial_of(message) > serial_of(known)
        if message[1] != known[1]:
            return (message[1] - known[1]) % 256 < 128
        seen = self._seen(message[0]).get(origin, [])
        return message not in seen and len(seen) < MOST_RESYNCED

    def _seen(self, kind: int) -> dict[int, list[bytes]]:
        return self._resynced if kind == Kind.RESYNCED else self._rematches

    def peer_id_given(self, peer_id: int) -> None:
        self._newest = {key: message for key, message in self._newest.items() if key[0] != peer_id}
        self._resynced.pop(peer_id, None)
        self._rematches.pop(peer_id, None)

    def roster_agreed(self, match: Match) -> None:
        """Who was dropped has nothing more to say."""
        peers = self._session.peers
        self._newest = {key: message for key, message in self._newest.items() if key[0] in peers}
        self._resynced = {origin: seen for origin, seen in self._resynced.items() if origin in peers}
        self._rematches = {origin: seen for origin, seen in self._rematches.items() if origin in peers}
