"""A link whose datagrams go through ``Routes``: what sessions, servers and clients have in place of a plain one."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from hashlib import blake2s
from typing import Any

from retick.errors import UsageError
from retick.link import Connection, Invite, LinkConfig, LinkEndpoint, Reason
from retick.relay.packets import TAG_SIZE
from retick.routes.online import Online, OnlineEvent
from retick.routes.routes import HOST_NAME, LONGEST, Routes, member_name

__all__ = ["RoutedLink", "game_tag", "host_name", "make_link", "routes_of"]


def game_tag(config: LinkConfig) -> bytes:
    """What members of one game have in common at a relay: a hash of its id and version."""
    text = f"{config.game_id}\n{config.game_version}".encode()
    return blake2s(text, person=b"game-tag", digest_size=TAG_SIZE).digest()


def host_name(online: Online, address: Hashable | None) -> str | None:
    """Whom a session dials; None if it hosts. UsageError if an ``address`` was given as well."""
    if address is not None:
        raise UsageError("with online a code says whom to join: leave out the address")
    return None if online.code is None else HOST_NAME


class RoutedLink(LinkEndpoint):
    """Peers have names. Nothing is sent, and no time passes for the link, before there is a place at the relay."""

    def __init__(
        self,
        config: LinkConfig,
        *,
        online: Online,
        on_online: Callable[[OnlineEvent], None],
        entropy: Callable[[int], bytes],
        places: int,
        **details: Any,
    ) -> None:
        """``on_online`` gets every event of the routes; the rest is as in ``LinkEndpoint`` and ``Routes``."""
        if not config.sealed:
            raise UsageError("online matches are sealed: leave out sealed=False (and --plain)")
        config = replace(config, max_datagram=min(config.max_datagram, LONGEST))
        super().__init__(config, entropy=entropy, **details)
        invite = None if config.secret is None else Invite("", config.secret)
        self.routes = Routes(online, tag=game_tag(config), entropy=entropy, places=places, invite=invite)
        self._on_online = on_online
        self._is_leaving = False
        self._is_closed = True
        """Before there is a place at the relay."""

    def _open(self) -> None:
        """Whoever was dialled before is asked now: if the host has left the room, the first other one in it."""
        self._is_closed = False
        asked = self.routes.first_other()
        for connection in self.connections.values():
            if asked is not None and not self.routes.is_present(0):
                connection.address = member_name(asked)

    def dial(self, address: Hashable, **details: Any) -> Connection:
        self._is_leaving = False
        return super().dial(address, **details)

    def close(self, reason: int = Reason.SHUTDOWN, text: str = "", *, linger: float = 0.0) -> None:
        super().close(reason, text, linger=linger)
        self._is_leaving = True

    def receive(self, data: Any, address: Hashable, given_now: float) -> None:
        for payload, name in self.routes.receive(bytes(data), address, given_now):
            super().receive(payload, name, given_now)
        self._tell()

    def drain(self, now: float) -> list[Any]:
        routes = self.routes
        if routes.is_open:
            if self._is_closed:
                self._open()
            routes.send(super().drain(now), now)
        self._tell()
        return routes.drain(now)

    def next_timeout(self) -> float | None:
        routes = self.routes
        own = super().next_timeout() if routes.is_open else None
        if own is None and self._is_leaving and not (routes.is_open and self.connections):
            routes.close()
        ways = routes.next_timeout()
        return min((time for time in (own, ways) if time is not None), default=None)

    def handle_timeout(self, *, now: float) -> None:
        if self.routes.is_open:
            super().handle_timeout(now=now)
        self.routes.handle_timeout(now)
        self._tell()

    def _tell(self) -> None:
        for event in self.routes.events():
            self._on_online(event)


def routes_of(link: LinkEndpoint) -> Routes | None:
    """The routes of a link that has them."""
    return link.routes if isinstance(link, RoutedLink) else None


def make_link(
    config: LinkConfig,
    online: Online | None,
    *,
    on_online: Callable[[OnlineEvent], None],
    entropy: Callable[[int], bytes],
    places: int,
    **details: Any,
) -> LinkEndpoint:
    """A routed link, or where nothing is said of it a plain one."""
    if online is None:
        return LinkEndpoint(config, entropy=entropy, **details)
    return RoutedLink(config, online=online, on_online=on_online, entropy=entropy, places=places, **details)
