"""Asks the home router for its outside address (NAT-PMP), and to forward a port to this machine (NAT-PMP or UPnP).

A port is forwarded only if the user asks for it (``--map-port``): it is open to everybody until it is closed again.
NAT-PMP comes first, since it takes two datagrams. UPnP needs miniupnpc: XML over HTTP, found by multicast, is more
than a few lines.
"""

import importlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from retick.errors import DecodeError, InvalidValue, RetickError, Truncated, UnsupportedVersion
from retick.transport.discovery import own_address

# NAT-PMP (RFC 6886): asks a home router for its outside address, and to forward a UDP port.
#
# All numbers are big-endian. A request for the address is two zeros; for a mapping of UDP:
#
# ======  ====  ======================================================
# offset  size
# ======  ====  ======================================================
# 0       1     version, 0
# 1       1     1: map a UDP port
# 2       2     0
# 4       2     inside port
# 6       2     outside port that is wanted; 0 to remove the mapping
# 8       4     seconds to keep it; 0 removes it
# ======  ====  ======================================================
#
# Answers have the request's second byte plus 128, a result (0 is good), and the router's uptime in seconds; then the
# outside address (12 bytes in all), or inside port, outside port and seconds (16 bytes in all).

PORT: Final = 5351
"""UDP port of the router for NAT-PMP."""
_MAP: Final = struct.Struct(">BBHHHI")
_HEAD: Final = struct.Struct(">BBHI")
_MAPPED: Final = struct.Struct(">HHI")
_ADDRESS_SIZE: Final = 12
_MAPPED_SIZE: Final = 16
_ASK_ADDRESS, _MAP_UDP, _ANSWER = 0, 1, 128


class OutsideAddress(NamedTuple):
    """The answer to ``ask_address``."""

    result: int
    """0 is good; 1 version, 2 not allowed, 3 the network is down, 4 no ports left, 5 not supported."""
    host: IPv4Address


class MappedPort(NamedTuple):
    """The answer to ``ask_mapping``."""

    result: int
    inside: int
    outside: int
    seconds: int


def ask_address() -> bytes:
    return bytes((0, _ASK_ADDRESS))


def ask_mapping(inside: int, outside: int, seconds: int) -> bytes:
    return _MAP.pack(0, _MAP_UDP, 0, inside, outside, seconds)


def decode_answer(data: bytes) -> OutsideAddress | MappedPort:
    """Decode an answer; bytes after its end are ignored, since newer versions may add some."""
    if len(data) < _HEAD.size:
        raise _cut(data, _HEAD.size)
    version, kind, result, _ = _HEAD.unpack_from(data)
    if version != 0:
        raise UnsupportedVersion(f"version {version} is not NAT-PMP's 0", version=version)
    if kind not in (_ANSWER + _ASK_ADDRESS, _ANSWER + _MAP_UDP):
        raise InvalidValue(f"{kind} is not a kind of NAT-PMP answer")
    size = _ADDRESS_SIZE if kind == _ANSWER + _ASK_ADDRESS else _MAPPED_SIZE
    rest = data[_HEAD.size : size]
    if len(data) < size:
        if result == 0:
            raise _cut(data, size)
        rest = bytes(size - _HEAD.size)  # a router that refuses may leave the rest out
    if size == _ADDRESS_SIZE:
        return OutsideAddress(result, IPv4Address(rest))
    return MappedPort(result, *_MAPPED.unpack(rest))


def _cut(data: bytes, size: int) -> Truncated:
    text = f"this NAT-PMP answer has {size} bytes or more, not {len(data)}"
    return Truncated(text, needed=size, available=len(data))


# The routers themselves.


INSTALL_UPNP = "pip install miniupnpc"
LEASE_SECONDS: Final = 3600
"""Seconds after which a forwarded port closes by itself, for example because the program was killed."""
TRIES: Final = (0.25, 0.5, 1.0)
"""Seconds to wait for the answer to each try."""
_ROUTES: Final = Path("/proc/net/route")
_RESULTS: Final = {
    1: "it speaks another version",
    2: "it does not allow it: see its settings",
    3: "it has no outside address itself",
    4: "it has no ports left",
    5: "it does not support it",
}


class NotForwarded(RetickError):
    """The router did not forward the port; the message says why."""


def default_gateway(table: str | None = None) -> str | None:
    """The address of this machine's router; None if not known (it is read from Linux's routing table)."""
    if table is None:
        try:
            table = _ROUTES.read_text()
        except OSError:
            return None
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 3 and fields[1] == "00000000" and int(fields[3], 16) & 2:
            return str(IPv4Address(struct.pack("<I", int(fields[2], 16))))
    return None


class NatPmpRouter:
    """A router that speaks NAT-PMP."""

    def __init__(self, host: str, *, port: int = PORT, tries: tuple[float, ...] = TRIES) -> None:
        self.address = (host, port)
        self._tries = tries

    def outside_host(self) -> str | None:
        """The router's outside address; None if it does not answer."""
        answer = self._ask(ask_address(), OutsideAddress)
        return str(answer.host) if answer is not None and answer.result == 0 else None

    def forward(self, port: int, seconds: int) -> int:
        """Forward an outside port to ``port``, the same one if it is free; return its number or raise NotForwarded."""
        answer = self._ask(ask_mapping(port, port if seconds else 0, seconds), MappedPort)
        if answer is None or answer.inside != port:
            raise NotForwarded("the router does not answer NAT-PMP")
        if answer.result:
            raise NotForwarded(f"the router refused: {_RESULTS.get(answer.result, f'result {answer.result}')}")
        return int(answer.outside)

    def _ask(self, question: bytes, kind: type[Any]) -> Any:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(self.address)  # so that nobody else can answer
            for seconds in self._tries:
                asking.send(question)
                end = time.monotonic() + seconds
                while (left := end - time.monotonic()) > 0:
                    asking.settimeout(left)
                    with suppress(TimeoutError, DecodeError):
                        answer = decode_answer(asking.recv(64))
                        if isinstance(answer, kind):
                            return answer
        return None


def outside_host() -> str | None:
    """The outside address of this machine's router; None if the router does not tell it."""
    gateway = default_gateway()
    return None if gateway is None else NatPmpRouter(gateway).outside_host()


class _Way(NamedTuple):
    """How a port was forwarded."""

    name: str
    host: str | None
    port: int
    renew: Callable[[], object]
    remove: Callable[[], object]


class ForwardedPort:
    """A port that the router forwards to this machine until the end of the ``with`` block; a thread renews it."""

    def __init__(self, port: int, *, router: NatPmpRouter | None = None, lease: int = LEASE_SECONDS) -> None:
        """Ask the router, for a few seconds at most. NotForwarded if neither protocol works."""
        gateway = default_gateway() if router is None else None
        if router is None and gateway is not None:
            router = NatPmpRouter(gateway)
        self._lease = lease
        self._way = _forward(port, router, lease)
        self.outside = (self._way.host, self._way.port)
        """Host (None if the router does not tell it) and port at which others reach this machine."""
        self._over = threading.Event()
        self._renewal = threading.Thread(target=self._renew, name="retick-forwarded-port", daemon=True)
        self._renewal.start()

    @property
    def by(self) -> str:
        """``NAT-PMP`` or ``UPnP``."""
        return self._way.name

    def close(self) -> None:
        """Close the port again."""
        if self._over.is_set():
            return
        self._over.set()
        self._renewal.join()
        with suppress(Exception):  # a library's errors are its own; the lease ends in any case
            self._way.remove()

    def _renew(self) -> None:
        while not self._over.wait(self._lease / 2):
            with suppress(Exception):  # the next try comes before the lease ends
                self._way.renew()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


def _forward(port: int, router: NatPmpRouter | None, lease: int) -> _Way:
    why = "the address of the router is not known here"
    if router is not None:
        asked = router
        try:
            outside = asked.forward(port, lease)
        except NotForwarded as error:
            why = str(error)
        else:
            return _Way(
                "NAT-PMP",
                asked.outside_host(),
                outside,
                renew=lambda: asked.forward(port, lease),
                remove=lambda: asked.forward(port, 0),
            )
    return _forward_by_upnp(port, lease, why)


def _forward_by_upnp(port: int, lease: int, why: str) -> _Way:
    try:
        library: Any = importlib.import_module("miniupnpc")
    except ModuleNotFoundError:
        raise NotForwarded(f"{why}; UPnP was not tried: {INSTALL_UPNP}") from None
    upnp = library.UPnP()
    upnp.discoverdelay = 1000  # milliseconds
    here = own_address()
    try:
        upnp.discover()
        upnp.selectigd()
        host = upnp.externalipaddress()

        def add() -> None:
            if not upnp.addportmapping(port, "UDP", here or upnp.lanaddr, port, "retick", "", lease):
                raise NotForwarded(f"{why}; nor does it forward by UPnP")

        add()
    except NotForwarded:
        raise
    except Exception as error:  # miniupnpc raises bare Exceptions with the router's words
        raise NotForwarded(f"{why}; UPnP: {error}") from None
    return _Way("UPnP", host, port, renew=add, remove=lambda: upnp.deleteportmapping(port, "UDP", ""))
