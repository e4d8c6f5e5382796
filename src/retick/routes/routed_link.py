"""A link whose datagrams go through ``Routes``: sessions, servers and clients use it in place of a plain one."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from hashlib import blake2s
from typing import Any

from retick.errors import UsageError
from retick.link import Connection, Invite, LinkConfig, LinkEndpoint, Reason
from retick.relay.packets import TAG_SIZE
from retick.routes.online import Online, OnlineEvent
from retick.routes.routes import HOST_NAME, LONGEST, Routes, member_name


def game_tag(config: LinkConfig) -> bytes:
    """The tag that members of one game share at a relay: a hash of the game's id and version."""
    text = f"{config.game_id}\n{config.game_version}".encode()
    return blake2s(text, person=b"game-tag", digest_size=TAG_SIZE).digest()


def host_name(online: Online, address: Hashable | None) -> str | None:
    """The peer that a session dials; None if it hosts. Raises UsageError if an ``address`` was given as well."""
    if address is not None:
        raise UsageError("with online, the code names the host: leave out the address")
    return None if online.code is None else HOST_NAME


class RoutedLink(LinkEndpoint):
    """A link whose peers have names. Until it has a place at the relay, it sends nothing and its time stands still."""

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
        """``on_online`` gets every event of the routes; ``LinkEndpoint`` and ``Routes`` explain the other arguments."""
        if not config.sealed:
            raise UsageError("online matches are sealed: leave out sealed=False (and --plain)")
        config = replace(config, max_datagram=min(config.max_datagram, LONGEST))
        super().__init__(config, entropy=entropy, **details)
        invite = None if config.secret is None else Invite("", config.secret)
        self.routes = Routes(online, tag=game_tag(config), entropy=entropy, places=places, invite=invite)
        self._on_online = on_online
        self._is_leaving = False
        self._is_closed = True
        """Whether the routes are closed; also true before there is a place at the relay."""

    def _open(self) -> None:
        """Dial the peers that were dialled too early; if the host has left the room, the first other member instead."""
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
    """The routes of a link; None if it is a plain one."""
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
    """Make a routed link if ``online`` is given, else a plain one."""
    if online is None:
        return LinkEndpoint(config, entropy=entropy, **details)
    return RoutedLink(config, online=online, on_online=on_online, entropy=entropy, places=places, **details)
