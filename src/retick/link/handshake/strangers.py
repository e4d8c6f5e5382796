"""The door: which HELLOs with a good cookie are answered, by the address that they come from.

One stranger must not spend what is there for all. A stranger is an IPv4 address, or the /64 network of an IPv6 address:
whoever has one of its addresses has them all. Only proven addresses come here, so nobody can spend another's budget.
"""

from collections.abc import Hashable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from retick.link.config import LinkConfig
from retick.link.connection import Connection
from retick.link.layout import State
from retick.link.reasons import Reason, describe
from retick.link.request import Refuse

__all__ = [
    "KEY_IS_BANNED",
    "Door",
    "RateBudget",
    "RecentRefusal",
    "Refusals",
    "is_loopback",
    "origin_of",
]


_ORIGINS_KEPT = 1024
"""Addresses whose budget is remembered."""
_BANS_KEPT = 4096
KEY_IS_BANNED = "refused: this key is banned"
_NETWORK_BITS = 64
"""Of an IPv6 address: its owner chooses the others freely."""


def _host_of(address: Hashable) -> IPv4Address | IPv6Address | None:
    """The host of a socket's address; None for any other address."""
    try:
        return ip_address(address[0]) if isinstance(address, tuple) and isinstance(address[0], str) else None
    except (ValueError, IndexError):
        return None


def origin_of(address: Hashable) -> Hashable:
    """What counts as one stranger: the host of a socket's address without its port, or any other address itself."""
    host = _host_of(address)
    if host is None:
        return address
    if isinstance(host, IPv4Address) or host.is_link_local:
        # All machines on a cable share the network of link-local addresses.
        return host
    return IPv6Network((host, _NETWORK_BITS), strict=False)


def is_loopback(address: Hashable) -> bool:
    """Whether an address is this machine's own: bots and tests come in numbers, and no stranger can have it."""
    host = _host_of(address)
    return host is not None and host.is_loopback


class RateBudget:
    """A token bucket: it fills at ``rate`` a second, and holds ``most``, or what one second brings."""

    __slots__ = ("_left", "_most", "_rate", "_spent_at")

    def __init__(self, rate: float, now: float, *, most: float | None = None) -> None:
        self._rate = rate
        self._most = self._left = rate if most is None else most
        self._spent_at = now

    def give_back(self, amount: int) -> None:
        """What was spent has turned out to be well spent."""
        self._left = min(self._most, self._left + amount)

    def spend(self, now: float) -> bool:
        self._left = min(self._most, self._left + max(0.0, now - self._spent_at) * self._rate)
        self._spent_at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Door:
    """Budgets, numbers of connections and bans of one endpoint."""

    def __init__(self, config: LinkConfig) -> None:
        self._config = config
        self._all: RateBudget | None = None
        self._each: dict[Hashable, RateBudget] = {}
        self._inside: dict[Hashable, list[Connection]] = {}
        self._banned: dict[Hashable, None] = {}
        self._banned_keys: dict[Hashable, None] = {}
        """By fingerprint."""

    def may_answer(self, address: Hashable, now: float) -> bool:
        """Whether there is budget for an answer to this address; if so, it is spent."""
        if not is_loopback(address):
            # First its own: what one address has too much must not come out of what all share.
            origin = origin_of(address)
            own = self._each.pop(origin, None) or RateBudget(self._config.handshake_rate_per_address, now)
            self._each[origin] = own
            if len(self._each) > _ORIGINS_KEPT:
                del self._each[next(iter(self._each))]
            if not own.spend(now):
                return False
        if self._all is None:
            self._all = RateBudget(self._config.handshake_rate, now)
        return self._all.spend(now)

    def is_crowded(self, address: Hashable) -> bool:
        """Whether this address has as many unconfirmed connections as it may."""
        waiting = sum(1 for each in self._from(address) if each.state is State.ACCEPTED)
        return waiting >= self._config.max_unconfirmed_per_address

    def is_full_for(self, address: Hashable) -> bool:
        """Whether this address has as many connections as it may."""
        return len(self._from(address)) >= self._config.max_connections_per_address

    def _from(self, address: Hashable) -> list[Connection]:
        return [] if is_loopback(address) else self._inside.get(origin_of(address), [])

    def enter(self, connection: Connection, address: Hashable) -> None:
        self._inside.setdefault(origin_of(address), []).append(connection)

    def leave(self, connection: Connection, address: Hashable) -> None:
        """``address`` as it was when the connection entered."""
        origin = origin_of(address)
        inside = self._inside.get(origin, [])
        if connection in inside:
            inside.remove(connection)
        if not inside:
            self._inside.pop(origin, None)

    def ban(self, address: Hashable) -> None:
        _keep(self._banned, origin_of(address))

    def ban_key(self, fingerprint: str) -> None:
        _keep(self._banned_keys, fingerprint)

    def is_banned_key(self, fingerprint: str | None) -> bool:
        return fingerprint in self._banned_keys

    def is_banned(self, address: Hashable) -> bool:
        return origin_of(address) in self._banned


def _keep(banned: dict[Hashable, None], who: Hashable) -> None:
    """Note a ban; of too many the oldest is forgotten."""
    banned.pop(who, None)
    banned[who] = None
    if len(banned) > _BANS_KEPT:
        del banned[next(iter(banned))]


# Who was refused lately and why, for the log of a server. Refusals are counted by text; the texts are bounded.

MOST_TEXTS = 16
"""Different texts between two calls of ``take``; further ones are counted together."""
OTHERS = "for other reasons"


class RecentRefusal(NamedTuple):
    """All refusals with one text since the last look."""

    text: str
    """What those who asked were told."""
    times: int
    """How often."""
    address: Hashable
    """Of the last one. Who asks with another form of the link has not proved its address."""


class Refusals:
    """Counts by text."""

    def __init__(self) -> None:
        self._found: dict[str, RecentRefusal] = {}

    def note(self, refusal: Refuse, address: Hashable) -> None:
        """One was refused; to be sent to another port is no refusal."""
        if refusal.reason == Reason.REDIRECT:
            return
        text = refusal.text or describe(refusal.reason)
        if text not in self._found and len(self._found) >= MOST_TEXTS:
            text = OTHERS
        before = self._found.get(text)
        self._found[text] = RecentRefusal(text, 1 + (before.times if before is not None else 0), address)

    def take(self) -> list[RecentRefusal]:
        """Those since the last call."""
        found, self._found = self._found, {}
        return list(found.values())
