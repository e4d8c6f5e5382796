"""The game's messages to one player: sent reliably, and each one that is not known to have arrived is reported.

A link delivers its messages or ends. When it ends, the first so many have been acknowledged; of the others nobody knows
whether they arrived. They are not sent again on the player's next connection, since they would then arrive twice.
"""

from collections import deque

from retick.link import Connection, Reason

__all__ = ["GameMessages", "send_control"]


def send_control(connection: Connection, data: bytes) -> None:
    """Send a control message. A client for which too many wait is disconnected: it keeps its seat and may rejoin.

    So no message that a client cannot do without is left out while the connection goes on.
    """
    if not connection.send_reliable(data):
        connection.close(Reason.TIMEOUT, "too many messages wait for this client")


class GameMessages:
    """What was sent to one player and is not acknowledged yet."""

    __slots__ = ("_bytes", "_limit", "_waiting")

    def __init__(self, limit: int) -> None:
        """``limit``: bytes that may wait. A message alone always has room."""
        self._limit = limit
        self._bytes = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        """How many messages the connection had sent with this one, and the message."""

    def send(self, connection: Connection | None, message: bytes) -> str | None:
        """Send one; the reason, in words, when it is dropped."""
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
        """The connection has ended: the messages that are not known to have arrived."""
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
