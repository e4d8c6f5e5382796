"""Long messages that wait until each peer's link has room for them."""

from collections import deque
from collections.abc import Iterable

from retick.rollback.session.peer import Peer

__all__ = ["Outbox"]


class Outbox:
    """One queue for each peer, so that a slow link does not delay the others."""

    def __init__(self) -> None:
        self._queues: dict[Peer, deque[bytes]] = {}

    def __bool__(self) -> bool:
        return any(self._queues.values())

    def post(self, peers: Iterable[Peer], messages: Iterable[bytes]) -> None:
        for peer in peers:
            self._queues.setdefault(peer, deque()).extend(messages)

    def pump(self) -> None:
        """Send what the links have room for; what was meant for a peer that is gone is forgotten."""
        for peer in [peer for peer, queue in self._queues.items() if not queue or not peer.is_connected]:
            del self._queues[peer]
        for peer, queue in self._queues.items():
            while queue and peer.send_if_room(queue[0]):
                queue.popleft()
