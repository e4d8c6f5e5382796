"""The ways of a simulated network: up through the routers of a sender, over the internet, down to the target.

A *level* is the network behind a router; None is the internet itself. A datagram goes up when it is sent and down when
it arrives, since routers forget and learn in between.
"""

from typing import Any, Final

from retick.transport.endpoint import Address
from retick.transport.nat import InternetAddress, Router

__all__ = ["USUAL_TTL", "Routing", "host_of", "is_same_family"]

USUAL_TTL: Final = 64
"""Routers that a datagram passes at most if its sender says nothing."""
NOWHERE: Final = ("", 0)
"""In place of an address that no datagram reaches."""


class Routing:
    """Where every address is, and what the routers on the way make of a datagram."""

    def __init__(self, hops: int) -> None:
        self.routers: dict[str, Router] = {}
        """By their outside address, without a port."""
        self.places: dict[Address, Router | None] = {}
        """The router that each address is behind; None on the internet."""
        self.expired = 0
        """Datagrams whose TTL ended between routers that are modelled."""
        self._hops = hops

    def leave(self, source: Any, target: Address, ttl: int, now: float) -> tuple[Any, Router | None, int] | None:
        """The sender's address as seen where the target is, that level, and the TTL left; None if it is dropped."""
        level = self.places[source]
        hairpin = False
        while level is not None and not self._is_in(level, target):
            passed = None
            hairpin = level.host == host_of(target)
            if ttl <= 1:
                level.dropped["expired"] += 1
            elif hairpin and not level.nat.hairpin:
                level.dropped["hairpin"] += 1
            else:
                passed = level.outbound(source, _internet(target), now)
            if passed is None:
                return None
            source, level, ttl = passed, level.behind, ttl - 1
        if level is None and not hairpin:
            ttl -= self._hops
        if ttl < 1:
            self.expired += 1
            return None
        return source, level, ttl

    def enter(self, target: Address, source: Any, level: Router | None, ttl: int, now: float) -> Address | None:
        """The address that a datagram arrives at, NOWHERE if it leads nowhere; None if a router drops it."""
        while (router := self._next(target, level)) is not None:
            if router.nat.translates:
                inside = router.inbound(source, _internet(target)[1], now)
            else:
                inside = router.routed(source, _internet(target), now)
            if inside is None:
                return None
            if ttl <= 1:
                router.dropped["expired"] += 1
                return None
            target, level, ttl = inside, router, ttl - 1
        return target if self.places.get(target, level) is level else NOWHERE

    def _next(self, target: Address, level: Router | None) -> Router | None:
        """The router of this level that a datagram for ``target`` goes to; None if it is there, or has no way."""
        router = self.routers.get(host_of(target) or "")
        if router is None:
            router = self.places.get(target)
            if router is None or router.nat.translates:
                return None
        return router if router.behind is level and router is not level else None

    def end_of(self, target: Address) -> Address:
        """The address that another one leads to at the moment, if it leads anywhere."""
        while (router := self.routers.get(host_of(target) or "")) is not None:
            inside = router.owner(_internet(target)[1])
            if inside is None:
                break
            target = inside
        return target

    def _is_in(self, level: Router, target: Address) -> bool:
        """Whether an endpoint or a router of this address is directly behind ``level``."""
        router = self.routers.get(host_of(target) or "")
        return self.places.get(target) is level or (router is not None and router.behind is level)


def host_of(address: Address) -> str | None:
    """The host of an address that has a host and a port; None of any other."""
    return address[0] if isinstance(address, tuple) and len(address) == 2 and isinstance(address[0], str) else None


def is_same_family(one: Address, other: Address) -> bool:
    """Whether both are IPv6, or neither."""
    return (":" in (host_of(one) or "")) == (":" in (host_of(other) or ""))


def _internet(address: Any) -> InternetAddress:
    """An address to which a router translates: where it is none, no router lets anything pass."""
    return address if host_of(address) is not None else NOWHERE
