"""Events of a link. Those that come with every datagram are named tuples, at a third of a dataclass's cost."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from retick.wire.values import Plain

if TYPE_CHECKING:
    from retick.link.connection import Connection


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
    """The reason, for people; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """The connection is closed: the last event of every connection that was not refused."""

    connection: "Connection"
    reason: int
    """A code of Reason as a plain int, or one of an application."""
    text: str
    """The reason, for people; may be empty."""
    by_peer: bool
    """True if the peer closed the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """Nothing was received for ``quiet_after`` seconds. LinkResumed or Disconnected follows."""

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
    """A connection's figures at one moment; totals count from its start."""

    rtt: float
    """The smoothed round-trip time in seconds; 0 before the first sample."""
    rtt_latest: float
    """The last round-trip time, in seconds."""
    rtt_least: float
    """The shortest round-trip time, in seconds."""
    jitter: float
    """The smoothed mean deviation of the round-trip time, in seconds."""
    loss_in: float
    """The share of the peer's datagrams that did not arrive here, 0 to 1."""
    loss_out: float
    """The share of our datagrams that did not arrive at the peer, by its reports, 0 to 1."""
    packets_sent: int
    """How many datagrams were sent."""
    bytes_sent: int
    """Bytes of UDP payload sent, everything included."""
    packets_received: int
    """How many datagrams arrived, without duplicates."""
    bytes_received: int
    """Bytes of UDP payload received, everything included."""
    queued_bytes: int
    """Bytes of reliable messages not acknowledged yet."""
    fragments_resent: int
    """Fragments of reliable messages sent again."""
    payloads_refused: int
    """Payloads that send_unreliable refused: too many between two calls of datagrams_to_send."""
    silent_for: float
    """Seconds since a datagram arrived, as of the latest time given to the endpoint."""


def stats_of(connection: "Connection") -> LinkStats:
    """The connection's figures now."""
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
