"""What a relay, and what a member, tells its application."""

from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias

from retick.relay.packets import Refusal

__all__ = [
    "AddressSeen",
    "Entered",
    "FrameReceived",
    "LeftRoom",
    "MemberEntered",
    "MemberEvent",
    "MemberGone",
    "PresentChanged",
    "RelayBack",
    "RelayEvent",
    "RelaySilent",
    "RoomGone",
    "RoomOpened",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomOpened:
    """Of a relay: there is a new room, or one came back with a ticket."""

    room: int
    """Counts the rooms of the process; it is neither the code nor the id."""
    places: int
    returned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberEntered:
    """Of a relay: a member is there."""

    room: int
    member: int
    address: Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberGone:
    """Of a relay: a member left, or nothing was heard of it for too long."""

    room: int
    member: int
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomGone:
    """Of a relay: a room has no members any more."""

    room: int


RelayEvent: TypeAlias = RoomOpened | MemberEntered | MemberGone | RoomGone


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressSeen:
    """Of a member: from which address the relay sees it. Reported when it has changed."""

    host: IPv4Address | IPv6Address
    port: int
    other_port: int
    """The relay's second port; 0 if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """Of a member: it has a place in a room."""

    member: int
    code: bytes
    seconds: int
    """For which the code can be used; 65535 until the room is full, 0 not at all."""
    present: frozenset[int]
    """Who is there, itself included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentChanged:
    """Of a member: others came or went."""

    present: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReceived:
    """Of a member: something that another one has sent."""

    sender: int
    payload: bytes
    is_signal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySilent:
    """Of a member: the relay does not answer; the member goes on asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayBack:
    """Of a member: the relay answers again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftRoom:
    """Of a member: it is out, or never came in."""

    reason: Refusal | None
    """What the relay said; None if it never answered, or the member left by itself."""
    text: str
    """The same in words."""


MemberEvent: TypeAlias = AddressSeen | Entered | PresentChanged | FrameReceived | RelaySilent | RelayBack | LeftRoom
