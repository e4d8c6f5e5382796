"""Ends a connection that this side closes: messages first, then BYE until it is answered.

A connection holds its goodbye while it is CLOSING.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from retick.link.packets import encode_bye

if TYPE_CHECKING:
    from retick.link.connection import Connection

MAX_BYES = 5
"""How many BYEs are sent without an answer before the connection is forgotten."""
LONGEST_WAIT = 0.5
"""The most seconds between two BYEs."""


class Goodbye:
    """What one connection sends at its end, and when it repeats it."""

    __slots__ = ("_byes", "_connection", "_linger", "_linger_until", "_next_at", "_reason", "_text")

    def __init__(self, connection: "Connection", reason: int, text: str, linger: float) -> None:
        self._connection = connection
        self._reason = reason
        self._text = text
        self._linger = linger
        """Seconds that queued messages have to arrive."""
        self._linger_until: float | None = None
        self._byes = 0
        self._next_at = 0.0

    def deadline(self) -> float:
        """When ``drain`` is next needed; time starts with the connection's first drain."""
        if self._linger_until is None:
            return float("inf")
        return self._next_at if self._byes else self._linger_until

    def drain(self, now: float, out: list[tuple[bytes, Hashable]]) -> None:
        """Append BYE to ``out`` if it is due."""
        connection = self._connection
        if self._linger_until is None:
            self._linger_until = now + self._linger
        if now < self._linger_until and connection._has_messages:
            return
        if self._byes and now < self._next_at:
            return
        if self._byes >= MAX_BYES:
            self.finish()
            return
        self._byes += 1
        sequences = connection._sequences
        self._next_at = now + min(sequences.round_trip.retransmit_after, LONGEST_WAIT)
        sequence = sequences.number(0, now)
        data = encode_bye(connection.remote_id, sequence, sequences.newest, self._reason, self._text)
        sequences.bytes_sent += len(data)
        out.append((connection._sealed(data), connection.address))

    def finish(self) -> None:
        """End the goodbye: the peer knows, or does not answer."""
        self._connection._end(self._reason, self._text, by_peer=False)
