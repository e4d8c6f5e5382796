"""Events that a relay, and a member, report to their application."""

from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias

from retick.relay.packets import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomOpened:
    """Reported by a relay: a room was opened, or reopened with a ticket."""

    room: int
    """The number of the room within this process; neither the code nor the id."""
    places: int
    returned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberEntered:
    """Reported by a relay: a member came in."""

    room: int
    member: int
    address: Hashable


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberGone:
    """Reported by a relay: a member left, or was silent for too long."""

    room: int
    member: int
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomGone:
    """Reported by a relay: the last member of a room is gone."""

    room: int


RelayEvent: TypeAlias = RoomOpened | MemberEntered | MemberGone | RoomGone


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressSeen:
    """Reported by a member, when it changes: the address from which the relay sees it."""

    host: IPv4Address | IPv6Address
    port: int
    other_port: int
    """The relay's second port; 0 if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """Reported by a member: it has a place in a room."""

    member: int
    code: bytes
    seconds: int
    """Seconds for which the code is valid; 65535 until the room is full, 0 if it is not valid."""
    present: frozenset[int]
    """The numbers of the members present, itself included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentChanged:
    """Reported by a member: other members came or went."""

    present: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReceived:
    """Reported by a member: another member sent this."""

    sender: int
    payload: bytes
    is_signal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySilent:
    """Reported by a member: the relay does not answer; the member keeps asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayBack:
    """Reported by a member: the relay answers again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftRoom:
    """Reported by a member: it left the room, or never got in."""

    reason: Refusal | None
    """The relay's reason; None if it never answered, or the member left on its own."""
    text: str
    """The reason in words."""


MemberEvent: TypeAlias = AddressSeen | Entered | PresentChanged | FrameReceived | RelaySilent | RelayBack | LeftRoom
