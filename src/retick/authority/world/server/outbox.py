"""The application's messages to one client: each arrives, or client and application are told that it did not."""

from collections import deque

from retick.authority.server.game_messages import GameMessages
from retick.authority.world.messages import MOST_LOST, Gone, Lost, Message, encode_message
from retick.link import Connection

__all__ = ["Outbox"]


class Outbox:
    """What was sent to one client, and what was lost."""

    __slots__ = ("_lost", "_messages", "_told")

    def __init__(self, limit: int) -> None:
        """``limit``: bytes that may wait."""
        self._messages = GameMessages(limit)
        self._lost = dict.fromkeys(Gone, 0)
        """Of which the client does not know."""
        self._told: deque[tuple[int, Lost]] = deque()
        """How many messages the connection had sent with each LOST that is not acknowledged yet, and the LOST."""

    def send(self, connection: Connection | None, data: bytes) -> str | None:
        """Send one; the reason, in words, when it is dropped."""
        why = self._messages.send(connection, encode_message(Message(data)))
        if why is not None:
            self._lost[Gone.TOO_LONG if connection is None else Gone.TOO_MANY] += 1
        return why

    def refuse(self, why: str) -> str:
        """One is not sent at all, for a reason in words."""
        self._lost[Gone.TOO_LONG] += 1
        return why

    def lose(self, connection: Connection | None) -> list[bytes]:
        """The connection has ended: the messages that are not known to have arrived."""
        self._forget_delivered(connection)
        for _, (reason, count) in self._told:
            self._lost[reason] += count
        self._told.clear()
        lost = [packet[1:] for packet in self._messages.lose(connection)]
        self._lost[Gone.TOO_LONG] += len(lost)
        return lost

    def tell_losses(self, connection: Connection) -> None:
        """Tell the client how many messages will never come, as soon as there is room for that."""
        self._forget_delivered(connection)
        for reason, count in self._lost.items():
            lost = Lost(reason, min(count, MOST_LOST))
            if count and connection.send_reliable(encode_message(lost)):
                self._told.append((connection.messages_sent, lost))
                self._lost[reason] -= lost.messages

    def _forget_delivered(self, connection: Connection | None) -> None:
        while connection is not None and self._told and self._told[0][0] <= connection.messages_delivered:
            self._told.popleft()
