"""The application's own messages between peers: reliable, whole, in order."""

from retick.errors import UsageError
from retick.rollback.events import MessageReceived
from retick.rollback.session.messages.kinds import Kind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer

__all__ = ["ApplicationMessages"]


class ApplicationMessages(SessionPart):
    """Sends messages of the application, and passes received ones to it as events."""

    def send(self, data: bytes, peer_id: int | None, *, spectators: bool) -> bool:
        """To one peer, to all that play, or to our spectators; False if a queue is full, or nobody is connected."""
        session = self._session
        if peer_id is not None and peer_id not in session.peers:
            raise UsageError(f"there is no peer {peer_id} in this match: there are {sorted(session.peers)}")
        if peer_id is not None and spectators:
            raise UsageError(f"a message goes to peer {peer_id} or to the spectators: send it twice")
        message = bytes((Kind.APPLICATION,)) + data
        everyone = session.spectator_feed.peers() if spectators else session.players_peers()
        targets = everyone if peer_id is None else [session.peers[peer_id]]
        sent = [target.send_if_room(message) for target in targets if target.is_connected]
        return bool(sent) and all(sent)

    def receive(self, peer: Peer, data: bytes) -> None:
        self._session.tell(MessageReceived(peer=peer.peer_id, data=data[1:]))
