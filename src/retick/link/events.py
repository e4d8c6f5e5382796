"""What a link reports. The two that come with every datagram are named tuples, which cost a third of a dataclass."""

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
    """A payload arrived; each at most once, in any order."""

    connection: "Connection"
    data: bytes


class MessageReceived(NamedTuple):
    """A reliable message arrived; each once, in order."""

    connection: "Connection"
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """Both sides know of each other; ``connection.terms`` says what was agreed."""

    connection: "Connection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The other side turned our dial down."""

    connection: "Connection"
    reason: int
    """A code of Reason, or the other application's own."""
    text: str
    """To be shown; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """The connection is over: the last event of each that was dialled or admitted and not refused."""

    connection: "Connection"
    reason: int
    """A code of Reason, or an application's own."""
    text: str
    """To be shown; may be empty."""
    by_peer: bool
    """True when the other side said goodbye."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """Nothing was heard for a while. It may be over in a moment, or end in Disconnected."""

    connection: "Connection"
    silent_for: float
    """Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The other side is heard again."""

    connection: "Connection"
    silent_for: float
    """Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressChanged:
    """The other side has proved that it is now to be found elsewhere."""

    connection: "Connection"
    old: Hashable
    new: Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDrained:
    """After send_reliable said no, half of the queue is free again."""

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
