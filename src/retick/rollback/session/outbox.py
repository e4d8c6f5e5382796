"""Messages for all machines that wait until each one's link takes them."""

from collections import deque
from collections.abc import Iterable

from retick.rollback.session.peer import Peer

__all__ = ["Outbox", "offer"]

ROOM = 192 * 1024
"""Bytes that may wait in a link before more of a long story is held back: a word on who is lost must always fit."""


def offer(peer: Peer, message: bytes) -> bool:
    """Send a part of something long; False if its link has enough to carry already."""
    connection = peer.connection
    return connection is not None and connection.queued_bytes + len(message) <= ROOM and peer.send(message)


class Outbox:
    """One queue a machine: a slow link holds up nobody else, and nobody gets a message twice."""

    def __init__(self) -> None:
        self._queues: dict[Peer, deque[bytes]] = {}

    def __bool__(self) -> bool:
        return any(self._queues.values())

    def post(self, peers: Iterable[Peer], messages: Iterable[bytes]) -> None:
        for peer in peers:
            self._queues.setdefault(peer, deque()).extend(messages)

    def pump(self) -> None:
        """Send what the links take; what was meant for a machine that is gone is forgotten."""
        for peer in [peer for peer, queue in self._queues.items() if not queue or not peer.is_connected]:
            del self._queues[peer]
        for peer, queue in self._queues.items():
            while queue and offer(peer, queue[0]):
                queue.popleft()
