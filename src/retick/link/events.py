"""Events of a link. The two that come with every datagram are named tuples, which cost a third of a dataclass."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from retick.wire.values import Plain

if TYPE_CHECKING:
    from retick.link.connection import Connection

__all__ = [
    "AddressChanged",
    "Connected",
    "Disconnected",
    "Interrupted",
    "LinkEvent",
    "LinkResumed",
    "LinkStats",
    "QueueDrained",
    "Refused",
    "ReliableReceived",
    "UnreliableReceived",
    "stats_of",
]


class UnreliableReceived(NamedTuple):
    """A payload arrived. Each arrives at most once, in any order."""

    connection: "Connection"
    data: bytes


class ReliableReceived(NamedTuple):
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
class LinkResumed:
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
    | ReliableReceived
    | Connected
    | Refused
    | Disconnected
    | Interrupted
    | LinkResumed
    | AddressChanged
    | QueueDrained
)


# The figures of a connection.


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStats(Plain):
    """A connection at one moment; totals count from its beginning."""

    rtt: float
    """Round-trip time in seconds, smoothed; 0 before the first sample."""
    rtt_latest: float
    """Seconds."""
    rtt_least: float
    """Seconds."""
    jitter: float
    """Seconds: the mean deviation of the round-trip time, smoothed."""
    loss_in: float
    """Share of the peer's datagrams that did not arrive here, 0 to 1."""
    loss_out: float
    """Share of our datagrams that did not arrive there, 0 to 1, by the peer's reports."""
    packets_sent: int
    """Datagrams."""
    bytes_sent: int
    """UDP payload, all of it."""
    packets_received: int
    """Datagrams, without duplicates."""
    bytes_received: int
    """UDP payload, all of it."""
    queued_bytes: int
    """Bytes of reliable messages that are not acknowledged yet."""
    fragments_resent: int
    """Fragments of reliable messages that were sent again."""
    payloads_refused: int
    """Payloads for which send_unreliable returned False: too many between two calls of datagrams_to_send."""
    silent_for: float
    """Seconds since a datagram arrived, at the latest time that the endpoint was given."""


def stats_of(connection: "Connection") -> LinkStats:
    """The connection's figures at this moment."""
    sequences, sender = connection._sequences, connection._sender
    silent_for = connection._endpoint._now - sequences.heard_at if sequences.received else 0.0
    return LinkStats(
        rtt=sequences.round_trip.mean,
        rtt_latest=sequences.round_trip.latest,
        rtt_least=sequences.round_trip.least,
        jitter=sequences.round_trip.variation,
        loss_in=sequences.loss_in.rate,
        loss_out=sequences.loss_out.rate,
        packets_sent=sequences.sent,
        bytes_sent=sequences.bytes_sent,
        packets_received=sequences.received,
        bytes_received=sequences.bytes_received,
        queued_bytes=sender.queued_bytes,
        fragments_resent=sender.resent,
        payloads_refused=connection._refused_payloads,
        silent_for=max(0.0, silent_for),
    )
