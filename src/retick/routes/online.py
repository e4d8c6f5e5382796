"""How an application asks to play over the internet, and the events it gets.

There is no I/O here: playing/online.py opens the socket for such a request and prints the events.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from retick.errors import UsageError
from retick.link.sealing.invite import Invite
from retick.relay.packets import MAX_PLACES, parse_code
from retick.routes.path import PathKind

MOST_OWN: Final = 7
"""The most addresses of this machine that are told to others, besides the one that the relay sees."""


def check_own(address: Any) -> None:
    """Raise a UsageError unless this is (host, port), with an IP address without a scope."""
    try:
        host, port = address
        is_good = 1 <= port <= 65535 and "%" not in host and bool(ip_address(host))
    except (TypeError, ValueError):
        is_good = False
    if not is_good:
        raise UsageError(f"an own or mapped address is (IP address, port) without a scope, not {address!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Online:
    """Meet at a relay. Without a ``code``, opens a room there, and ``OnlineReady`` brings its code."""

    relay: Hashable
    """The relay's address as the socket has it: ``socket.resolve(host, port)``."""
    code: str | None = None
    """The code of the room to join, as typed; None opens a room."""
    relay_only: bool = False
    """True sends everything through the relay: this machine's addresses are told to no one, and no path is tried."""
    own: tuple[tuple[str, int], ...] = ()
    """Addresses at which this machine's socket is reached without a router: on the local network, and IPv6."""
    mapped: tuple[tuple[str, int], ...] = ()
    """Outside addresses that a router forwards to the socket; ``Routes.add_mapped`` adds one later."""
    relay_name: str = ""
    """How an invite names the relay, HOST:PORT; the address itself by default."""
    places: int | None = None
    """The size of an opened room, this machine and spectators included, 2 to 64; None is enough for the match."""

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
            raise UsageError("with relay_only no address is told to others: leave out own and mapped")

    @property
    def relay_text(self) -> str:
        """The relay as an invite names it."""
        if self.relay_name or not isinstance(self.relay, tuple):
            return self.relay_name
        host = f"[{self.relay[0]}]" if ":" in str(self.relay[0]) else self.relay[0]
        return f"{host}:{self.relay[1]}"


# Events of playing online, among those of the session.


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineEvent:
    """The base class of the events of playing online."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineReady(OnlineEvent):
    """This machine has a place in a room at the relay: others can join by its code."""

    code: str
    """The code of the room, eight characters."""
    invite: Invite | None
    """Code, relay and secret in one, if the session has a secret; ``invite.text()`` is the line to paste."""
    seconds: int
    """Seconds for which the code is valid if nobody joins; 65535 until the room is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathChanged(OnlineEvent):
    """From now on, another member is reached by another path."""

    member: int
    """The member's number in the room; its address in rosters is ``member-`` and this number."""
    kind: PathKind
    round_trip: float | None
    """The round trip of a direct path, in seconds; None through the relay."""
    text: str
    """The path in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayChanged(OnlineEvent):
    """The relay fell silent, answers again, or has forgotten this machine. Direct paths continue."""

    is_reachable: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineEnded(OnlineEvent):
    """This machine got no place at the relay, so the session ends."""

    text: str
    """The reason, in words."""
