"""A mesh over the internet, to test online play: a relay, and every peer behind a router of its own.

Peers meet by code, as people do: the host opens a room, the others join by its code. A ``Nat`` says what a router does.
"""

from collections.abc import Callable, Collection, Mapping
from random import Random
from typing import Any

from retick.link import Invite
from retick.relay import RelayConfig, RelayServer
from retick.rollback.spectate.spectator import SpectatorSession
from retick.routes import Online, OnlineReady, PathChanged, PathKind
from retick.testing.mesh import Mesh, MeshSpectator
from retick.transport.conditions import Conditions
from retick.transport.endpoint import Address
from retick.transport.nat import Nat, Router

RELAY = ("198.51.100.1", 7788)
"""Address of the relay."""
PORT = 5000
"""Port of every peer's socket."""
TO_RELAY = Conditions.round_trip(0.08)
_EPOCH = 1_800_000_000.0


class OnlineMesh(Mesh):
    """Peers behind routers. ``nats`` has a router for each peer's name; a peer without one is on the internet."""

    def __init__(
        self,
        game: Callable[[], Any] | Mapping[str, Callable[[], Any]],
        *,
        nats: Mapping[str, Nat | tuple[Nat, Nat] | None],
        invited: bool = True,
        relay_only: bool | Collection[str] = False,
        behind: Mapping[str, str] | None = None,
        ipv6: Mapping[str, Nat | None] | None = None,
        relay_config: RelayConfig | None = None,
        **details: Any,
    ) -> None:
        """A pair in ``nats`` is an inner and an outer router. ``relay_only`` holds for all peers, or for those it
        names. ``behind`` maps a peer to another one whose router it shares. ``ipv6`` gives peers an IPv6 address and,
        if not None, a firewall. The rest is as in ``Mesh``.
        """
        self.nats = dict(nats)
        self.routers: dict[str, Router | None] = {}
        self.invite = Invite("", Random(f"{details.get('seed', 1)} invite").randbytes(16)) if invited else None
        self.relay_only = relay_only
        self.relay: RelayServer | None = None
        self.has_code_at = 0.0
        """Virtual time at which the code was known and the others began to join."""
        self._behind = dict(behind or {})
        self._ipv6 = dict(ipv6 or {})
        self._relay_config = relay_config
        self._firewalls: dict[str, Router | None] = {}
        self._code = ""
        self._numbers: dict[str, int] = {}
        details.setdefault("conditions", TO_RELAY)
        super().__init__(game, **details)

    # The relay.

    def start_relay(self) -> None:
        """Start the relay; after ``stop_relay`` this is another process with the same key."""
        seed = f"{self.seed} relay {self.network.now}"
        self.relay = RelayServer(
            key=bytes(32),
            entropy=Random(seed).randbytes,
            epoch=_EPOCH,
            ports=(RELAY[1], 0),
            config=self._relay_config,
        )
        self.network.attach(RELAY, self.relay)

    def stop_relay(self) -> None:
        """Kill the relay's process."""
        if self.relay is not None:
            self.relay = None
            self.network.detach(RELAY)

    # What Mesh asks for.

    def _gather(self) -> None:
        self.start_relay()
        self._enter(self.host, self._way_in(self.host, None))
        self.run_until(lambda: bool(self[self.host].events_of(OnlineReady)), limit=15.0, what="a room at the relay")
        self._code = self[self.host].events_of(OnlineReady)[0].code
        self.has_code_at = self.network.now
        for name in self.seats:
            if name != self.host:
                self._enter(name, self._way_in(name, self._code))

    def online(self, name: str, code: str | None) -> Online:
        """The settings with which a peer meets the others."""
        only = self.relay_only if isinstance(self.relay_only, bool) else name in self.relay_only
        own = () if only else tuple(address for address in (self.address_of(name), *self._also(name)))
        return Online(relay=RELAY, code=code, relay_only=only, own=own)

    def _way_in(self, name: str, code: str | None) -> dict[str, Any]:
        return {"online": self.online(name, code), "invite": self.invite}

    def _way_back(self, name: str, through: str) -> dict[str, Any]:
        return self._way_in(name, self._code)

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def address_of(self, name: str) -> tuple[str, int]:
        number = self._number(name)
        home = self._number(self._behind.get(name, name))
        is_outside = self.nats.get(self._behind.get(name, name)) is None
        return (f"203.0.113.{number}", PORT) if is_outside else (f"10.0.{home}.{number}", PORT)

    def router_of(self, name: str) -> Router | None:
        """The router of a peer; None if the peer is on the internet."""
        home = self._behind.get(name, name)
        if home not in self.routers:
            nat = self.nats.get(home)
            number = self._number(home)
            outer = None
            host = f"203.0.113.{100 + number}"
            if isinstance(nat, tuple):
                nat, outside = nat
                outer = self.network.router(host, outside)
                host = f"100.64.{number}.1"
            self.routers[home] = None if nat is None else self.network.router(host, nat, behind=outer)
        return self.routers[home]

    def _also(self, name: str) -> dict[tuple[str, int], Nat | None]:
        """The peer's IPv6 address and its firewall, if it has one."""
        number = self._number(name)
        return {(f"2001:db8:{number:x}::{number:x}", PORT): self._ipv6[name]} if name in self._ipv6 else {}

    def _attach(self, name: str, session: Any) -> None:
        also: dict[Address, Router | None] = {}
        for address, nat in self._also(name).items():
            host = f"2001:db8:{self._number(name):x}::ffff"
            if host not in self._firewalls:
                self._firewalls[host] = None if nat is None else self.network.router(host, nat)
            also[address] = self._firewalls[host]
        self.network.attach(self.address_of(name), session, polled=True, behind=self.router_of(name), also=also)

    def watch(
        self, name: str, through: str, *, delay: int = 30, make_session: Callable[..., Any] = SpectatorSession
    ) -> MeshSpectator:
        """Add a spectator that joins by the code; the host feeds it."""

        def make(sim: Any, _address: Any, **details: Any) -> Any:
            return make_session(sim, online=self.online(name, self._code), invite=self.invite, **details)

        return super().watch(name, through, delay=delay, make_session=make)

    # Checks.

    def kinds(self, name: str) -> dict[int, PathKind]:
        """The kind of path by which a peer reaches each other member now."""
        session: Any = self.spectators[name].session if name in self.spectators else self[name].session
        return {report.member: report.kind for report in session.routes.report()}

    def changes(self, name: str) -> list[PathChanged]:
        """All changes of a peer's paths, in order."""
        return self[name].events_of(PathChanged)
