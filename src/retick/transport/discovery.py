"""Announces a host on the local network and finds those that are announced, by multicast DNS.

The service is ``_retick._udp.local.``; its TXT record has ``game`` (id and version) and ``players``. Anybody on the
network can announce anything: only the handshake proves who answers at the address.
"""

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, NamedTuple

from retick.errors import MissingExtra

if TYPE_CHECKING:
    from zeroconf import ServiceInfo

__all__ = ["INSTALL", "Announcement", "FoundHost", "find_hosts", "own_address"]

SERVICE = "_retick._udp.local."
INSTALL = "pip install 'retick[lan]'"
_FAR_AWAY = ("192.0.2.1", 9)
"""An address for documentation. Nothing is sent there; the system only says from which address it would be sent."""


class FoundHost(NamedTuple):
    """A host that announced itself."""

    name: str
    """As shown to people; printable."""
    address: str
    """IPv4 if it has one, else IPv6."""
    port: int
    """UDP."""
    game: str
    """Its id and version, such as "retick.fighter 1"."""


def own_address() -> str | None:
    """This machine's IPv4 address on the network with the default route; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(_FAR_AWAY)
        return str(probe.getsockname()[0])
    return None


def _require_zeroconf() -> None:
    try:
        import zeroconf  # noqa: F401 - only to see whether it is installed
    except ModuleNotFoundError:
        raise MissingExtra(
            f"finding hosts on the network needs zeroconf: {INSTALL}, or name the host: retick join ADDRESS"
        ) from None


class Announcement:
    """Announces on the local network that a host waits here, until it is withdrawn."""

    def __init__(self, port: int, game: str, *, players: int, interfaces: list[str] | None = None) -> None:
        """Announce in a thread: it takes over a second. MissingExtra without zeroconf; OSError without a network."""
        _require_zeroconf()
        from zeroconf import InterfaceChoice, ServiceInfo, Zeroconf

        machine = socket.gethostname().split(".")[0] or "host"
        addresses = interfaces or [own_address() or "127.0.0.1"]
        info = ServiceInfo(
            SERVICE,
            f"{machine} port {port}.{SERVICE}",
            addresses=[socket.inet_aton(each) for each in addresses],
            port=port,
            properties={"game": game, "players": str(players)},
        )
        self._zeroconf = Zeroconf(interfaces=interfaces or InterfaceChoice.All)
        self._thread = threading.Thread(target=self._announce, args=(info,), daemon=True)
        self._thread.start()
        self._withdrawn = False

    def withdraw(self) -> threading.Thread:
        """Withdraw it in a thread, which is returned: the match need not wait for it, the end of the program should."""
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


def find_hosts(seconds: float, game: str, *, interfaces: list[str] | None = None) -> list[FoundHost]:
    """Hosts of ``game`` that answer within so many seconds; returns soon after the first answer."""
    _require_zeroconf()
    from zeroconf import InterfaceChoice, ServiceBrowser, ServiceListener, Zeroconf

    found: dict[str, FoundHost] = {}
    first = threading.Event()

    class Listener(ServiceListener):
        def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            info = zc.get_service_info(type_, name, timeout=round(seconds * 1000))
            host = None if info is None else _host_in(info)
            if host is not None and host.game == game:
                found[name] = host
                first.set()

        def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            self.add_service(zc, type_, name)

        def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
            found.pop(name, None)

    network = Zeroconf(interfaces=interfaces or InterfaceChoice.All)
    try:
        ServiceBrowser(network, SERVICE, Listener())
        if first.wait(seconds):
            # Others that are there answer at about the same time.
            threading.Event().wait(min(0.3, seconds))
    finally:
        network.close()
    return sorted(found.values())


def _host_in(info: "ServiceInfo") -> FoundHost | None:
    """The host in an announcement; None if it makes no sense: anybody on the network can send one."""
    addresses = info.parsed_addresses()
    game = (info.decoded_properties or {}).get("game")
    if not addresses or not info.port or not game:
        return None
    name = info.name.removesuffix(f".{SERVICE}")
    printable = "".join(letter if letter.isprintable() else "?" for letter in name)
    return FoundHost(printable, min(addresses, key=lambda each: ":" in each), info.port, game)
