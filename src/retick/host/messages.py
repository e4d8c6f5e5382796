"""The game's messages to one player: sent reliably, and reported if they may not have arrived.

A link delivers its messages or ends. When it ends, those acknowledged have arrived; the others may have. They are not
sent again on the player's next connection, since they could then arrive twice.
"""

from collections import deque

from retick.link import Connection, Reason


def send_control(connection: Connection, data: bytes) -> None:
    """Send a control message. A client with too many waiting is disconnected: it keeps its seat and may rejoin.

    So no message that a client needs is left out while the connection lasts.
    """
    if not connection.send_reliable(data):
        connection.close(Reason.TIMEOUT, "too many messages wait for this client")


class GameMessages:
    """The messages sent to one player and not acknowledged yet."""

    __slots__ = ("_bytes", "_limit", "_waiting")

    def __init__(self, limit: int) -> None:
        """``limit``: the most bytes that may wait. A single message always fits."""
        self._limit = limit
        self._bytes = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        """Each message, with the number of messages that the connection had sent including it."""

    def send(self, connection: Connection | None, message: bytes) -> str | None:
        """Send a message; returns the reason, in words, if it is dropped."""
        if connection is None:
            return "the player's connection is lost"
        self._forget_delivered(connection)
        if self._waiting and self._bytes + len(message) > self._limit:
            return f"{self._bytes} bytes of messages wait for the player, and message_queue is {self._limit}"
        if not connection.send_reliable(message):
            return "the player's connection has ended, or its queue is full"
        self._bytes += len(message)
        self._waiting.append((connection.messages_sent, message))
        return None

    def lose(self, connection: Connection | None) -> list[bytes]:
        """End the connection; returns the messages that may not have arrived."""
        if connection is not None:
            self._forget_delivered(connection)
        lost = [message for _, message in self._waiting]
        self._waiting.clear()
        self._bytes = 0
        return lost

    def _forget_delivered(self, connection: Connection) -> None:
        waiting, delivered = self._waiting, connection.messages_delivered
        while waiting and waiting[0][0] <= delivered:
            self._bytes -= len(waiting.popleft()[1])
