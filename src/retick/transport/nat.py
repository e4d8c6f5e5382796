"""Routers that translate addresses (NAT), as models for a simulated network: docs/guides/testing.md describes them.

Two questions decide the kind of a router. Mapping: does an inside address have one outside port for all remotes (cone),
or one for each (symmetric)? Filtering: who may send to that port: everybody (full cone), hosts that were sent to
(address-restricted), or only the exact ports that were sent to (port-restricted and symmetric)?

A :class:`Router` knows no network: it translates addresses at a given time. ``SimulatedNetwork`` asks it.
"""

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from random import Random
from typing import TypeAlias

from retick.errors import UsageError

InternetAddress: TypeAlias = tuple[str, int]
"""Host and port; behind routers, other forms of address are meaningless."""

FIRST_PORT = 1024
LAST_PORT = 65535
"""The highest outside port that a router draws."""


class NatKind(Enum):
    """What a router does with addresses, under the names that people use."""

    FULL_CONE = "full cone"
    """One outside port for all remotes; everybody may send to it."""
    ADDRESS_RESTRICTED = "address-restricted"
    """One outside port for all remotes; hosts that were sent to may send to it, from any port."""
    PORT_RESTRICTED = "port-restricted"
    """One outside port for all remotes; only addresses that were sent to may send to it."""
    SYMMETRIC = "symmetric"
    """Another outside port for each remote, drawn at random; only that remote may send to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nat:
    """The settings of a router."""

    kind: NatKind = NatKind.PORT_RESTRICTED
    timeout: float = 120.0
    """Seconds without a datagram in either direction after which a mapping, or a permission to send, is forgotten."""
    hairpin: bool = False
    """Whether two machines behind this router reach each other by its outside address."""
    lenient: bool = False
    """Whether the router remembers an unexpected datagram from outside as meant for itself, instead of only dropping
    it. An inside machine that then sends to that remote gets another outside port for it, and for every remote that it
    sends to for the first time after that. Linux's routers do so."""
    keeps_ports: bool = True
    """Whether a cone reuses the inside port as outside port if it is free; otherwise it draws one."""
    translates: bool = True
    """False for a firewall, as for IPv6: inside addresses are visible, and ``kind`` says who may send to them."""
    reachable_ports: frozenset[int] | None = None
    """The remote ports that may be sent to, as behind a firewall; None for all."""

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise UsageError(f"timeout is above 0 seconds, not {self.timeout}")
        if not self.translates and self.kind is NatKind.SYMMETRIC:
            raise UsageError("a router that does not translate cannot be symmetric")


class _Mapping:
    """One outside port, and the inside address it belongs to."""

    __slots__ = ("allowed", "inside", "only", "port", "used_at")

    def __init__(self, inside: InternetAddress, only: InternetAddress | None, port: int, now: float) -> None:
        self.inside = inside
        self.only = only
        """The one remote that the port is for; None for all."""
        self.port = port
        self.used_at = now
        self.allowed: dict[str | InternetAddress, float] = {}
        """The remotes that were sent to, with the time when a datagram last passed."""


class Router:
    """A router between an inside and an outside network. ``behind`` is the next router further out, if any."""

    def __init__(self, host: str, nat: Nat, *, seed: int = 0, behind: "Router | None" = None) -> None:
        self.host = host
        """The router's outside address, without a port."""
        self.nat = nat
        self.behind = behind
        self.dropped: Counter[str] = Counter()
        """How many datagrams did not pass, by reason: "unmapped", "filtered", "hairpin", "blocked", "expired" (their
        TTL), "full" (no outside port was free)."""
        self._random = Random(seed)
        self._by_inside: dict[tuple[InternetAddress, InternetAddress | None], _Mapping] = {}
        self._by_port: dict[int, _Mapping] = {}
        self._unexpected: dict[tuple[InternetAddress, int], float] = {}
        self._flows: dict[tuple[InternetAddress, InternetAddress], _Mapping] = {}
        """For a lenient router: the mapping of each pair of inside address and remote."""

    def outbound(self, inside: InternetAddress, remote: InternetAddress, now: float) -> InternetAddress | None:
        """The address that a remote sees on a datagram from an inside address; None if it does not pass."""
        reachable = self.nat.reachable_ports
        if reachable is not None and remote[1] not in reachable:
            self.dropped["blocked"] += 1
            return None
        mapping = self._mapping(inside, remote, now)
        if mapping is None:
            self.dropped["full"] += 1
            return None
        mapping.used_at = mapping.allowed[self._permission(mapping, remote)] = now
        return (self.host, mapping.port) if self.nat.translates else inside

    def inbound(self, remote: InternetAddress, port: int, now: float) -> InternetAddress | None:
        """The inside address that receives what a remote sends to an outside port; None if it does not pass."""
        return self._admitted(self._by_port.get(port), remote, port, now)

    def routed(self, remote: InternetAddress, inside: InternetAddress, now: float) -> InternetAddress | None:
        """Filter without translating, as a firewall: returns ``inside``, or None if the datagram does not pass."""
        if self.nat.kind is NatKind.FULL_CONE:
            return inside
        return self._admitted(self._by_inside.get((inside, None)), remote, inside[1], now)

    def _admitted(
        self, mapping: _Mapping | None, remote: InternetAddress, port: int, now: float
    ) -> InternetAddress | None:
        if mapping is None or self._is_old(mapping.used_at, now):
            self.dropped["unmapped"] += 1
        elif self._may_enter(mapping, remote, now):
            permission = self._permission(mapping, remote)
            if permission in mapping.allowed:
                mapping.allowed[permission] = now
            mapping.used_at = now
            return mapping.inside
        else:
            self.dropped["filtered"] += 1
        if self.nat.lenient:
            self._unexpected[remote, port] = now
        return None

    def owner(self, port: int) -> InternetAddress | None:
        """The inside address that has, or last had, this outside port."""
        mapping = self._by_port.get(port)
        return None if mapping is None else mapping.inside

    def forget(self) -> None:
        """Lose all mappings, as a router that restarts."""
        self._by_inside.clear()
        self._by_port.clear()
        self._unexpected.clear()
        self._flows.clear()

    def _is_old(self, time: float, now: float) -> bool:
        return now - time > self.nat.timeout

    def _permission(self, mapping: _Mapping, remote: InternetAddress) -> str | InternetAddress:
        by_host = self.nat.kind is NatKind.ADDRESS_RESTRICTED and mapping.only is None
        return remote[0] if by_host else remote

    def _may_enter(self, mapping: _Mapping, remote: InternetAddress, now: float) -> bool:
        if self.nat.kind is NatKind.FULL_CONE and mapping.only is None:
            return True
        passed_at = mapping.allowed.get(self._permission(mapping, remote))
        return passed_at is not None and not self._is_old(passed_at, now)

    def _mapping(self, inside: InternetAddress, remote: InternetAddress, now: float) -> _Mapping | None:
        """The mapping for datagrams from ``inside`` to ``remote``, made if needed; None if no port is free."""
        if self.nat.kind is NatKind.SYMMETRIC:
            return self._fresh(self._by_inside.get((inside, remote)), now) or self._map(inside, remote, now)
        own = self._fresh(self._flows.get((inside, remote)), now)
        if own is not None:
            return own
        shared = self._fresh(self._by_inside.get((inside, None)), now) or self._map(inside, None, now)
        if shared is not None and self._is_taken(shared, remote, now):
            shared = self._map(inside, None, now, is_moved=True)
        if shared is not None and self.nat.lenient:
            self._flows[inside, remote] = shared
        return shared

    def _is_taken(self, mapping: _Mapping, remote: InternetAddress, now: float) -> bool:
        """Whether the router took a datagram from this remote to this port as meant for itself."""
        came_at = self._unexpected.get((remote, mapping.port))
        return came_at is not None and not self._is_old(came_at, now) and not self._may_enter(mapping, remote, now)

    def _fresh(self, mapping: _Mapping | None, now: float) -> _Mapping | None:
        if mapping is not None and self._is_old(mapping.used_at, now):
            self._remove(mapping)
            return None
        return mapping

    def _remove(self, mapping: _Mapping) -> None:
        if self._by_inside.get((mapping.inside, mapping.only)) is mapping:
            del self._by_inside[mapping.inside, mapping.only]
        if self._by_port.get(mapping.port) is mapping:
            del self._by_port[mapping.port]

    def _map(
        self, inside: InternetAddress, only: InternetAddress | None, now: float, *, is_moved: bool = False
    ) -> _Mapping | None:
        is_kept = only is None and self.nat.keeps_ports and not is_moved
        port = self._free_port(inside[1] if is_kept else None, now) if self.nat.translates else inside[1]
        if port is None:
            return None
        mapping = self._by_inside[inside, only] = _Mapping(inside, only, port, now)
        if self.nat.translates:
            self._by_port[port] = mapping
        return mapping

    def _free_port(self, wanted: int | None, now: float) -> int | None:
        if wanted is not None and self._is_free(wanted, now):
            return wanted
        first = self._random.randint(FIRST_PORT, LAST_PORT)
        ports = chain(range(first, LAST_PORT + 1), range(FIRST_PORT, first))
        return next((port for port in ports if self._is_free(port, now)), None)

    def _is_free(self, port: int, now: float) -> bool:
        mapping = self._by_port.get(port)
        return self._fresh(mapping, now) is None
