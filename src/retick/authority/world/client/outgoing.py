"""The application's messages to the server: no faster than the server takes them, and each loss is counted.

Theory of operation. The server takes ``rate`` messages a second on average and four seconds of them at once; it ends a
connection that brings more. A network may hold messages back and deliver them together, and so may a server that stands
still. So the client sends two seconds of messages at once, nine tenths of the rate after that, and has one second of
them unacknowledged at most: whatever the network does, 2 + 1 seconds of them arrive together, and one more second of
them before the server has run its next tick.

A link delivers its messages or ends. When it ends, those that are not acknowledged and those that wait are lost; the
server is told how many on the next connection, if the seat is the same.
"""

# retick: floats -- seconds of the network

from collections import deque
from typing import Final

from retick.authority.config import LARGEST_MESSAGE
from retick.authority.world.messages import MOST_LOST, Gone, Lost, Message, encode_message
from retick.errors import EncodeError
from retick.link import Connection

__all__ = ["Outgoing"]

MOST_WAITING: Final = 1024
"""Messages that may wait until the server takes them."""
MOST_BYTES: Final = 262_144
"""Bytes of these."""
BURST_SECONDS: Final = 2.0
"""Seconds of messages that are sent at once."""
SHARE: Final = 0.9
"""Of the server's rate: two clocks never agree."""


class Outgoing:
    """What waits and what was lost, of one client."""

    __slots__ = ("_burst", "_bytes", "_credit", "_earned_at", "_in_flight", "_rate", "_tells", "_untold", "_waiting")

    def __init__(self, rate: float) -> None:
        """``rate``: messages that the server takes in a second."""
        self._rate = rate * SHARE
        self._burst = max(1.0, rate * BURST_SECONDS)
        self._in_flight = max(1, int(rate))
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._credit = self._burst
        self._earned_at = 0.0
        self._untold = 0
        """Lost messages of which the server does not know."""
        self._tells = False
        """The first message of this connection is a LOST."""

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self, connection: Connection, now: float, *, is_new_seat: bool) -> None:
        """The connection is up, and the server's limit begins anew."""
        self._credit, self._earned_at = self._burst, now
        if is_new_seat:
            self._untold = 0
        self._tells = self._untold > 0
        if self._tells:
            self._credit -= 1.0
            connection.send_reliable(encode_message(Lost(Gone.TOO_LONG, min(self._untold, MOST_LOST))))

    def offer(self, connection: Connection, data: bytes, now: float) -> bool:
        """Send this as soon as the server takes it; False if too much waits, or nobody is connected."""
        packet = encode_message(Message(data))
        if len(packet) > LARGEST_MESSAGE:
            raise EncodeError(f"a message is at most {LARGEST_MESSAGE} bytes, not {len(packet)}")
        if not connection.is_connected or len(self._waiting) >= MOST_WAITING or self._bytes + len(packet) > MOST_BYTES:
            return False
        self._waiting.append(packet)
        self._bytes += len(packet)
        self.flush(connection, now)
        return True

    def flush(self, connection: Connection, now: float) -> None:
        """Hand over to the link what may be sent now."""
        if now > self._earned_at:
            self._credit = min(self._burst, self._credit + (now - self._earned_at) * self._rate)
            self._earned_at = now
        while self._waiting and self._credit > 1.0 - 1e-6 and self._has_room(connection):
            if not connection.send_reliable(self._waiting[0]):
                return
            self._credit -= 1.0
            self._bytes -= len(self._waiting.popleft())

    def next_at(self, connection: Connection) -> float | None:
        """When ``flush`` has something to do by the time alone; an acknowledgement may come earlier."""
        if not self._waiting or not connection.is_connected or not self._has_room(connection):
            return None
        return self._earned_at + max(0.0, 1.0 - self._credit) / self._rate

    def _has_room(self, connection: Connection) -> bool:
        return connection.messages_sent - connection.messages_delivered < self._in_flight

    def end(self, connection: Connection) -> int:
        """The connection has ended: how many messages of the application are not known to have arrived."""
        delivered = connection.messages_delivered
        if self._tells and delivered:
            self._untold = 0
        lost = connection.messages_sent - max(delivered, int(self._tells)) + len(self._waiting)
        self._tells = False
        self._waiting.clear()
        self._bytes = 0
        self._untold += lost
        return lost
