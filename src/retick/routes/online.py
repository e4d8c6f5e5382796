"""What an application says to play over the internet."""

from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from retick.errors import UsageError
from retick.link.sealing.invite import Invite
from retick.relay.packets import MAX_PLACES, parse_code
from retick.routes.path import PathKind

__all__ = [
    "Online",
    "OnlineEnded",
    "OnlineEvent",
    "OnlineReady",
    "PathChanged",
    "RelayChanged",
    "check_own",
]


MOST_OWN: Final = 7
"""Addresses of this machine that are told to others, beside the one that the relay sees."""


def check_own(address: Any) -> None:
    """UsageError unless it is (host, port), with an IP address without a scope."""
    try:
        host, port = address
        is_good = 1 <= port <= 65535 and "%" not in host and bool(ip_address(host))
    except (TypeError, ValueError):
        is_good = False
    if not is_good:
        raise UsageError(f"an own or mapped address is (IP address, port) without a scope, not {address!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Online:
    """Meet at a relay. Without a ``code`` a room is opened there, and ``OnlineReady`` tells its code."""

    relay: Hashable
    """The relay's address as the socket has it: ``socket.resolve(host, port)``."""
    code: str | None = None
    """Of the room to join, as somebody typed it; None: open a room."""
    relay_only: bool = False
    """True: everything goes through the relay, no address of this machine is told to others, and none is tried."""
    own: tuple[tuple[str, int], ...] = ()
    """Where this machine's socket is reached without a router: its addresses on the local network and of IPv6."""
    mapped: tuple[tuple[str, int], ...] = ()
    """Outside addresses that a router forwards to the socket; ``Routes.add_mapped`` adds one later."""
    relay_name: str = ""
    """How the relay is written in an invite, HOST:PORT; the address itself if nothing is given."""
    places: int | None = None
    """Of a room that is opened, this machine and spectators included, 2 to 64; None: enough for the match."""

    def __post_init__(self) -> None:
        if self.code is not None:
            parse_code(self.code)
        if self.places is not None and not 2 <= self.places <= MAX_PLACES:
            raise UsageError(f"places are 2 to {MAX_PLACES}, not {self.places}")
        if len(self.own) + len(self.mapped) > MOST_OWN:
            raise UsageError(f"at most {MOST_OWN} own and mapped addresses are told to others")
        for address in (*self.own, *self.mapped):
            check_own(address)
        Invite(f"00000000@{self.relay_text}", bytes(16))  # raises if an invite cannot name this relay
        if self.relay_only and (self.own or self.mapped):
            raise UsageError("with relay_only no address is told to others: give no own and no mapped ones")

    @property
    def relay_text(self) -> str:
        """The relay as it stands in an invite."""
        if self.relay_name or not isinstance(self.relay, tuple):
            return self.relay_name
        host = f"[{self.relay[0]}]" if ":" in str(self.relay[0]) else self.relay[0]
        return f"{host}:{self.relay[1]}"


# What playing online tells an application, among the events of its session.


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
