"""What an application says to play over the internet."""

from collections.abc import Hashable
from dataclasses import dataclass

from retick.errors import UsageError
from retick.relay.codes import parse_code
from retick.wire.relay import MAX_PLACES

__all__ = ["Online"]

MOST_OWN: int = 8
"""Addresses of this machine that are told to others."""


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
        if self.relay_only and (self.own or self.mapped):
            raise UsageError("with relay_only no address is told to others: give no own and no mapped ones")

    @property
    def relay_text(self) -> str:
        """The relay as it stands in an invite."""
        if self.relay_name or not isinstance(self.relay, tuple):
            return self.relay_name
        host = f"[{self.relay[0]}]" if ":" in str(self.relay[0]) else self.relay[0]
        return f"{host}:{self.relay[1]}"
