"""The figures of a connection."""

from dataclasses import dataclass

from retick.wire.plain import Plain

__all__ = ["LinkStats"]


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
