"""Announces a host on the local network and finds announced hosts, by multicast DNS.

The service is ``_retick._udp.local.``; its TXT record has ``game`` (id and version), ``players`` and ``link`` (what is
needed to join). It never contains a secret. Anybody on the network can announce anything: only the handshake proves
who answers at the address.
"""

import contextlib
import importlib.util
import socket
import threading
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from retick.errors import MissingExtra

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

SERVICE = "_retick._udp.local."
INSTALL = "pip install zeroconf"
MOST_HOSTS = 64
"""The most hosts that a search remembers: anybody can announce any number of them."""
_LINKS = ("invite", "open", "plain")
_FAR_AWAY, _FAR_AWAY_V6 = ("192.0.2.1", 9), ("2001:db8::1", 9)
"""Addresses for documentation. Nothing is sent there; the system only says which source address it would use."""


class FoundHost(NamedTuple):
    """An announced host."""

    name: str
    """The name to show to people; printable."""
    address: str
    """The IPv4 address if the host has one, else IPv6."""
    port: int
    """The UDP port."""
    game: str
    """The game's id and version, such as "retick.fighter 1"."""
    players: int = 0
    """How many play in a match there; 0 if unknown."""
    link: str = "plain"
    """``invite``: joining needs the host's invite; ``open``: sealed, for everybody; ``plain``: not sealed."""


def game_name(game_id: str, game_version: int) -> str:
    """The name under which a game is announced and searched for."""
    return f"{game_id} {game_version}"


def own_address() -> str | None:
    """This machine's IPv4 address on the network with the default route; None if there is none."""
    return own_address_towards(_FAR_AWAY)


def own_address_v6() -> str | None:
    """This machine's global IPv6 address; None if it has none."""
    found = own_address_towards(_FAR_AWAY_V6)
    return found if found is not None and ip_address(found).is_global else None


def own_address_towards(address: tuple[Any, ...]) -> str | None:
    """This machine's address for sending to another, or None without a route; asks the system, sends nothing."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect(address)
        return str(probe.getsockname()[0]).partition("%")[0]
    return None


def can_search() -> bool:
    """Whether zeroconf is installed, without which nobody is announced or found."""
    return importlib.util.find_spec("zeroconf") is not None


def _require_zeroconf() -> None:
    try:
        import zeroconf  # noqa: F401 - only to see whether it is installed
    except ModuleNotFoundError:
        raise MissingExtra(
            f"finding hosts on the network needs zeroconf: {INSTALL}, or name the host: retick join ADDRESS"
        ) from None


class Announcement:
    """Announces on the local network that a host waits here, until it is withdrawn."""

    def __init__(
        self, port: int, game: str, *, players: int, link: str = "plain", interfaces: list[str] | None = None
    ) -> None:
        """Announce in a thread, for over a second. Raises MissingExtra without zeroconf, OSError without a network.

        ``game`` comes from :func:`game_name`; ``link`` is as in a FoundHost.
        """
        _require_zeroconf()
        from zeroconf import InterfaceChoice, ServiceInfo, Zeroconf

        machine = socket.gethostname().split(".")[0] or "host"
        addresses = interfaces or [own_address() or "127.0.0.1"]
        info = ServiceInfo(
            SERVICE,
            f"{machine} port {port}.{SERVICE}",
            addresses=[socket.inet_aton(each) for each in addresses],
            port=port,
            properties={"game": game, "players": str(players), "link": link},
        )
        self._zeroconf = Zeroconf(interfaces=interfaces or InterfaceChoice.All)
        self._thread = threading.Thread(target=self._announce, args=(info,), daemon=True)
        self._thread.start()
        self._withdrawn = False

    def withdraw(self) -> threading.Thread:
        """Withdraw it in a thread, which is returned: a match need not wait for it, the end of the program should."""
        if not self._withdrawn:
            self._withdrawn = True
            self._thread = threading.Thread(target=self._withdraw, args=(self._thread,), daemon=True)
            self._thread.start()
        return self._thread

    def _announce(self, info: "ServiceInfo") -> None:
        # If the network goes away meanwhile, the announcement is lost and the match goes on.
        with contextlib.suppress(OSError):
            self._zeroconf.register_service(info, allow_name_change=True)

    def _withdraw(self, announcing: threading.Thread) -> None:
        announcing.join()
        with contextlib.suppress(OSError):
            self._zeroconf.close()


class HostSearch:
    """Searches for hosts of a game in the background, until it is closed: for loops that must not wait.

    ::

        with HostSearch(game_name("example.tanks", 1)) as search:
            ...
            for host in search.hosts(): ...
    """

    def __init__(self, game: str, *, interfaces: list[str] | None = None, answer_within: float = 3.0) -> None:
        """``answer_within``: seconds that one host may take to give its address.

        Raises MissingExtra without zeroconf, OSError without a network.
        """
        _require_zeroconf()
        from zeroconf import InterfaceChoice, ServiceBrowser, Zeroconf

        self._game = game
        self._milliseconds = round(answer_within * 1000)
        self._found: dict[str, FoundHost] = {}
        self._first = threading.Event()
        self._zeroconf = Zeroconf(interfaces=interfaces or InterfaceChoice.All)
        # zeroconf calls add_service, update_service and remove_service in a thread of its own.
        ServiceBrowser(self._zeroconf, SERVICE, self)  # type: ignore[arg-type] # a ServiceListener by its shape

    def hosts(self) -> list[FoundHost]:
        """The hosts announced now, by name."""
        return sorted(self._found.copy().values())

    def wait(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the first host; returns whether there is one."""
        return self._first.wait(seconds)

    def close(self) -> None:
        """Stop searching; this may take a moment."""
        self._zeroconf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_service(self, network: "Zeroconf", kind: str, name: str) -> None:
        """Called by zeroconf when a host has announced itself."""
        info = network.get_service_info(kind, name, timeout=self._milliseconds)
        host = None if info is None else _host_in(info)
        if host is not None and host.game == self._game and (name in self._found or len(self._found) < MOST_HOSTS):
            self._found[name] = host
            self._first.set()

    def update_service(self, network: "Zeroconf", kind: str, name: str) -> None:
        """Called by zeroconf when a host has changed its announcement."""
        self.add_service(network, kind, name)

    def remove_service(self, _network: "Zeroconf", _kind: str, name: str) -> None:
        """Called by zeroconf when a host has withdrawn its announcement."""
        self._found.pop(name, None)


def find_hosts(seconds: float, game: str, *, interfaces: list[str] | None = None) -> list[FoundHost]:
    """Find hosts of ``game`` that answer within ``seconds``; returns soon after the first answer."""
    with HostSearch(game, interfaces=interfaces, answer_within=seconds) as search:
        if search.wait(seconds):
            # Other hosts answer at about the same time.
            threading.Event().wait(min(0.3, seconds))
        return search.hosts()


def _host_in(info: "ServiceInfo") -> FoundHost | None:
    """The host in an announcement; None if it is not valid: anybody on the network can send one."""
    addresses = info.parsed_addresses()
    said = info.decoded_properties or {}
    game, players = said.get("game"), said.get("players") or ""
    if not addresses or not info.port or not game:
        return None
    name = info.name.removesuffix(f".{SERVICE}")
    printable = "".join(letter if letter.isprintable() else "?" for letter in name)
    address = min(addresses, key=lambda each: ":" in each)
    link = said.get("link") or "plain"
    return FoundHost(printable, address, info.port, game, _small(players), link if link in _LINKS else "plain")


def _small(text: str) -> int:
    """Read a number of players; 0 if the text is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
