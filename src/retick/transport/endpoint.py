"""The five calls between a protocol and the code that drives it.

Time is an argument, in seconds on any clock that never goes back. An address is any hashable value. A driver that
wakes up receives first, then handles timeouts, then sends, then reads events: docs/guides/transport.md says why.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

Address: TypeAlias = Hashable
# The address to send to is one that the driver passed in before, so only the driver knows its type. The third part, if
# present, is the TTL: how many routers the datagram may pass. A driver that cannot set it ignores it.
Datagram: TypeAlias = tuple[bytes, Any] | tuple[bytes, Any, int]


class Endpoint(Protocol):
    """A protocol object that sends and receives datagrams without I/O."""

    def receive_datagram(self, data: bytes, address: Address, *, now: float) -> None:
        """Receive a datagram. Never raises, whatever the bytes are."""

    def datagrams_to_send(self, *, now: float) -> Sequence[Datagram]:
        """The datagrams to send now; each is returned once."""

    def next_timeout(self) -> float | None:
        """When to call ``handle_timeout``; None for never."""

    def handle_timeout(self, *, now: float) -> None:
        """Handle everything that is due by now. Calling it early does no harm."""

    def events(self) -> list[Any]:
        """The events since the last call, oldest first; each is returned once."""


@runtime_checkable
class Closes(Protocol):
    """An endpoint that can say goodbye to its peers, as sessions, clients, servers and links can."""

    def close(self) -> None:
        """Close all connections. ``next_timeout`` is None once every goodbye is answered or given up."""
