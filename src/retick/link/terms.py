"""What two ends agreed on, and what the way between them is like."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retick.link.connection import Connection

__all__ = ["LinkStats", "Request", "State", "Terms"]


class State(IntEnum):
    """Where a connection is in the state machine of docs/formats/link.md."""

    REQUESTING = 0
    PROPOSING = 1
    ACCEPTED = 2
    CONNECTED = 3
    CLOSING = 4
    CLOSED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The outcome of a handshake; the same on both sides but for whose data it is."""

    capabilities: int
    """Bits that both sides have."""
    tick_rate: int
    """Ticks a second; 0 when neither side minds."""
    seats: tuple[int, ...]
    """Seats of the side that dialled."""
    seed: int
    """64 bits that neither side chose alone."""
    peer_game_version: int
    peer_data: bytes
    """What the other side's application said in its hello or acceptance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Somebody at a proven address asks for a connection; the application answers with Accept or Refuse."""

    connection: "Connection"
    """What it would become; ``connection.tag`` is free for the application."""
    address: Hashable
    capabilities: int
    """All that the other side has, shared or not."""
    tick_rate: int
    seats: int
    """How many are wanted."""
    data: bytes
    """The other application's word, at most 256 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStats:
    """A connection at one moment; totals count from its beginning."""

    rtt: float
    """Seconds, smoothed; 0 before the first sample."""
    rtt_latest: float
    """Seconds."""
    rtt_least: float
    """Seconds."""
    jitter: float
    """Seconds: the mean deviation of the round trip, smoothed."""
    loss_in: float
    """Share of the other side's datagrams that did not arrive here, 0 to 1."""
    loss_out: float
    """Share of ours that did not arrive there, by the other side's reports."""
    packets_sent: int
    bytes_sent: int
    """UDP payload, everything included."""
    packets_received: int
    bytes_received: int
    queued_bytes: int
    """Reliable messages not yet acknowledged."""
    fragments_resent: int
    payloads_refused: int
    """send_unreliable said no: too many between two calls of datagrams_to_send."""
    silent_for: float
    """Seconds since a datagram arrived, as of the latest time that the endpoint was told."""
