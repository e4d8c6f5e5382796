"""A match at a relay: its socket, the addresses that others are told, and its status in words for people.

The request that this makes, and the events that it puts into words, are in routes/online.py.
"""

import socket as sockets
from collections.abc import Callable, Collection, Hashable
from contextlib import suppress

from retick.errors import NetworkUnavailable, UsageError
from retick.playing.way_in import NO_RELAY, RELAY_PORT, address_text, relay_address, shown_code
from retick.routes import (
    Online,
    OnlineEnded,
    OnlineEvent,
    OnlineReady,
    PathChanged,
    PathKind,
    RelayChanged,
    member_name,
)
from retick.transport import UdpSocket, open_udp
from retick.transport.discovery import own_address, own_address_v6

USABLE_TILL_FULL = 65535
"""The lifetime, in seconds, that stands for "until the room is full"."""


def chosen_relay(named: str | None, in_text: tuple[str, int] | None = None) -> tuple[str, int]:
    """The relay named by an option, the pasted text or the environment; UsageError says how to get one."""
    found = relay_address(named, {}) or in_text or relay_address(None)
    if found is None:
        raise UsageError(NO_RELAY)
    return found


def open_online(
    relay: tuple[str, int], *, port: int = 0, code: str | None = None, relay_only: bool = False
) -> tuple[UdpSocket, Online]:
    """Open a socket that reaches the relay; return it with the session's argument, or raise NetworkUnavailable.

    IPv4 is used if the relay has such an address, so that it sees the address that routers translate to. A machine's
    IPv6 address needs no such help.
    """
    own_v6 = own_address_v6()
    v4 = _v4_of(relay)
    socket = _open(port, wants_v6=own_v6 is not None or v4 is None)
    try:
        address = socket.resolve(v4 or relay[0], relay[1])
    except NetworkUnavailable as error:
        socket.close()
        raise NetworkUnavailable(f"the relay cannot be reached: {error}") from None
    bound = socket.address[1]
    own: list[tuple[str, int]] = []
    if not relay_only:
        hosts = (own_address(), own_v6 if socket.family == sockets.AF_INET6 else None)
        own = [(host, bound) for host in hosts if host is not None]
    name = address_text(*relay, usual_port=RELAY_PORT)
    return socket, Online(relay=address, code=code, relay_only=relay_only, own=tuple(own), relay_name=name)


def _v4_of(relay: tuple[str, int]) -> str | None:
    with suppress(OSError, UnicodeError):
        found = sockets.getaddrinfo(*relay, family=sockets.AF_INET, type=sockets.SOCK_DGRAM)
        return str(found[0][4][0])
    return None


def _open(port: int, *, wants_v6: bool) -> UdpSocket:
    if wants_v6:
        with suppress(NetworkUnavailable):
            return open_udp("::", port)
    return open_udp("0.0.0.0", port)


class OnlineStatus:
    """Follows a session's events about relay and paths. ``lines`` drains what is new, for a terminal or a log."""

    def __init__(
        self, online: Online | None = None, *, present: Callable[[], Collection[Hashable]] | None = None
    ) -> None:
        """``online`` is the session's argument; None for a match without a relay, which has no such events.

        ``present`` returns the addresses of those who play; paths to others, such as spectators, are not counted.
        """
        self.ready: OnlineReady | None = None
        """Set once the relay has given us a place in a room."""
        self.ended = ""
        """Why the relay gives us no place any more; empty otherwise."""
        self._online = online
        self._present = present
        self._paths: dict[int, PathChanged] = {}
        self._relay_words = ""
        self._lines: list[str] = []

    def event(self, event: OnlineEvent) -> None:
        """Note an event of the session."""
        if isinstance(event, OnlineReady):
            self.ready = event
            self._lines += self.invitation() or ["in the room at the relay"]
        elif isinstance(event, OnlineEnded):
            self.ended = event.text
        elif isinstance(event, RelayChanged):
            self._relay_words = "" if event.is_reachable else event.text
            self._lines.append(event.text)
        elif isinstance(event, PathChanged):
            self._paths[event.member] = event
            self._lines.append(f"path to member {event.member}: {event.text}")

    @property
    def code(self) -> str:
        """The code of the room that was opened here, as it is shown; empty before that, and for a joiner."""
        if self.ready is None or self._online is None or self._online.code is not None:
            return ""
        return shown_code(self.ready.code)

    def invitation(self) -> list[str]:
        """The lines that a host gives to others; none before there is a room, and none for a joiner."""
        if not self.code or self.ready is None or self._online is None:
            return []
        if self.ready.seconds == USABLE_TILL_FULL:
            how_long = "until the room is full"
        else:
            how_long = f"for {max(round(self.ready.seconds / 60), 1)} minutes if nobody joins"
        if self.ready.invite is not None:
            return [f"waiting at the relay, {how_long}. To join: retick join {self.ready.invite.text()}"]
        return [
            f"code {self.code}, {how_long}. To join: retick join {self.code}@{self._online.relay_name}",
            "with a code alone the relay vouches for the keys: compare the words aloud",
        ]

    @property
    def way(self) -> str:
        """For a status line: ``direct``, ``relayed``, or the number of each; empty before there is a room."""
        if self.ready is None:
            return ""
        present = None if self._present is None else self._present()
        members = [each for each in self._paths if present is None or member_name(each) in present]
        direct = sum(self._paths[each].kind is not PathKind.RELAY for each in members)
        relayed = (len(members) if present is None else len(present)) - direct
        words = f"{direct} direct, {relayed} relayed" if direct and relayed else "direct" if direct else "relayed"
        return f"{words}; {self._relay_words}" if self._relay_words else words

    def lines(self) -> list[str]:
        """The lines that are new since the last call."""
        out, self._lines = self._lines, []
        return out
