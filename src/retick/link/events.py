"""Events of a link. The two that come with every datagram are named tuples, which cost a third of a dataclass."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from retick.link.connection import Connection

__all__ = [
    "AddressChanged",
    "Connected",
    "Disconnected",
    "Interrupted",
    "LinkEvent",
    "MessageReceived",
    "QueueDrained",
    "Refused",
    "Resumed",
    "UnreliableReceived",
]


class UnreliableReceived(NamedTuple):
    """A payload arrived. Each arrives at most once, in any order."""

    connection: "Connection"
    data: bytes


class MessageReceived(NamedTuple):
    """A reliable message arrived. Each arrives once, in order."""

    connection: "Connection"
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The handshake is complete; ``connection.terms`` says what was agreed."""

    connection: "Connection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The peer refused our dial."""

    connection: "Connection"
    reason: int
    """A code of Reason as a plain int, or one of the peer's application."""
    text: str
    """For people to read; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """The connection is closed: the last event of each connection that was not refused."""

    connection: "Connection"
    reason: int
    """A code of Reason as a plain int, or one of an application."""
    text: str
    """For people to read; may be empty."""
    by_peer: bool
    """True when the peer closed the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """Nothing was received for ``quiet_after`` seconds. Resumed or Disconnected follows."""

    connection: "Connection"
    silent_for: float
    """Seconds since the last datagram."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A datagram arrived after Interrupted."""

    connection: "Connection"
    silent_for: float
    """Seconds between the two datagrams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressChanged:
    """The peer has proved that it has a new address."""

    connection: "Connection"
    old: Hashable
    new: Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDrained:
    """Half of the queue is free again after send_reliable returned False."""

    connection: "Connection"


LinkEvent: TypeAlias = (
    UnreliableReceived
    | MessageReceived
    | Connected
    | Refused
    | Disconnected
    | Interrupted
    | Resumed
    | AddressChanged
    | QueueDrained
)
