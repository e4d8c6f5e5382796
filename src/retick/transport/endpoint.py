"""The five calls: all that a protocol and the outside world say to each other.

Time is an argument, in seconds on any clock that never goes back. An address is any hashable value. A driver that
wakes up receives first, then handles time-outs, then sends, then reads events: see docs/transport.md for why.
"""

from collections.abc import Hashable
from typing import Any, Protocol, TypeAlias

__all__ = ["Address", "Datagram", "Endpoint"]

Address: TypeAlias = Hashable
# What comes out is whatever the driver put in, so its type is the driver's to know.
Datagram: TypeAlias = tuple[bytes, Any]


class Endpoint(Protocol):
    """One end of a conversation in datagrams, without I/O."""

    def receive_datagram(self, data: bytes, address: Address, *, now: float) -> None:
        """Take in a datagram. Whatever its bytes are, this does not raise."""

    def datagrams_to_send(self, *, now: float) -> list[Datagram]:
        """What is to go out now; each datagram is handed out once."""

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` wants to be called; None for never."""

    def handle_timeout(self, *, now: float) -> None:
        """Act on the time that has passed. Calling it early does no harm."""

    def events(self) -> list[Any]:
        """What happened since the last call, oldest first; each event is handed out once."""
