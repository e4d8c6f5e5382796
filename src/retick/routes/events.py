"""What playing online tells an application, among the events of its session."""

from dataclasses import dataclass

from retick.link.sealing.invite import Invite
from retick.routes.path import PathKind

__all__ = ["OnlineEnded", "OnlineEvent", "OnlineReady", "PathChanged", "RelayChanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineEvent:
    """The base class of these events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineReady(OnlineEvent):
    """There is a place in a room at the relay: others can join by its code."""

    code: str
    """Eight characters."""
    invite: Invite | None
    """Code, relay and secret in one, where the session has a secret; ``invite.text()`` is the line to paste."""
    seconds: int
    """For which the code can be used if nobody joins; 65535: until the room is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathChanged(OnlineEvent):
    """What is sent to another member goes another way from now on."""

    member: int
    """Its number in the room; its address in rosters is ``member-`` and this number."""
    kind: PathKind
    round_trip: float | None
    """Seconds, of a direct path."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayChanged(OnlineEvent):
    """The relay fell silent, answers again, or does not know us any more. Direct paths go on."""

    is_reachable: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineEnded(OnlineEvent):
    """There is no place at the relay, and there was none before: the session ends."""

    text: str
    """Why, in words."""
