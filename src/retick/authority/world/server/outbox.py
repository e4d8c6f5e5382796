"""The application's messages to one client: each arrives, or client and application are told that it did not."""

from retick.authority.server.game_messages import GameMessages
from retick.authority.world.messages import Gone, Lost, Message, encode_message
from retick.link import Connection

__all__ = ["Outbox"]


class Outbox:
    """What was sent to one client, and what was lost."""

    __slots__ = ("_lost", "_messages")

    def __init__(self, limit: int) -> None:
        """``limit``: bytes that may wait."""
        self._messages = GameMessages(limit)
        self._lost = dict.fromkeys(Gone, 0)

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
        lost = [packet[1:] for packet in self._messages.lose(connection)]
        self._lost[Gone.TOO_LONG] += len(lost)
        return lost

    def tell_losses(self, connection: Connection) -> None:
        """Tell the client how many messages will never come, as soon as there is room for that."""
        for reason, count in self._lost.items():
            if count and connection.send_reliable(encode_message(Lost(reason, count))):
                self._lost[reason] = 0
