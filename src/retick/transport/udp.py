"""UDP sockets for IPv4 and IPv6, with errors that a person can act on.

Opening and resolving raise errors of one line. After that the network never raises: a full buffer, an unreachable
host, or an ICMP answer that Windows reports as a reset connection count as loss.

Addresses are ``(host, port)`` with a numeric host, for every family: an IPv6 socket shows and accepts IPv4 addresses as
IPv4, so that peers can tell each other the addresses of others. Only an IPv6 address with a scope has four parts; its
scope is the number at the end, never text after "%". Names are for ``resolve``; ``send`` drops them, since a look-up
would block, and an address may come from an attacker.
"""

import errno
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, TypeAlias

from retick.errors import NetworkUnavailable, UsageError

SocketAddress: TypeAlias = tuple[str, int] | tuple[str, int, int, int]

LARGEST = 2048
"""The most bytes read of one datagram; Retick's have at most 1472."""
BUFFER = 1 << 18
"""The size in bytes of the system's buffer for unread datagrams."""
_ICMP_REPORTS_IN_A_ROW = 16
_MAPPED = "::ffff:"
_ADDRESSES_KEPT = 4096
_LARGEST_PARTS = (65535, (1 << 20) - 1, (1 << 32) - 1)
"""The largest values of an address after its host: port, flow label, scope."""
_TTL_OPTIONS = ((socket.IPPROTO_IP, socket.IP_TTL), (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS))
"""The socket options for IPv4, also on a socket for both families, and for IPv6."""


class UdpSocket:
    """A bound socket that never blocks."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._receive = sock.recvfrom
        self._send: Callable[[bytes, Any], Any] = sock.sendto
        self._is_v6 = sock.family == socket.AF_INET6
        self._natives: dict[SocketAddress, SocketAddress | None] = {}
        self.dropped: Counter[str] = Counter()
        """How many datagrams were not sent, and errors came instead of a datagram, by reason: "bad_address", or the
        system's name of the error, such as "EMSGSIZE"."""

    @property
    def family(self) -> int:
        return self._socket.family

    @property
    def address(self) -> SocketAddress:
        """The address to which this socket is bound."""
        found: SocketAddress = self._socket.getsockname()
        return found

    @property
    def raw(self) -> socket.socket:
        """The socket itself, for an event loop."""
        return self._socket

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> tuple[bytes, SocketAddress] | None:
        """The next datagram; None if none waits."""
        for _ in range(_ICMP_REPORTS_IN_A_ROW):
            try:
                data, address = self._receive(LARGEST)
                return data, self.shown(address) if self._is_v6 else address
            except (BlockingIOError, InterruptedError):
                return None
            except OSError as error:
                if self._socket.fileno() < 0:
                    return None
                self.count(error)
        return None

    def send(self, data: bytes, address: SocketAddress, ttl: int | None = None) -> bool:
        """Send a datagram; False, counted as a drop, if the system refused it or the address is not valid.

        ``ttl``: how many routers it may pass, 1 to 255; ignored where the system cannot set it.
        """
        try:
            try:
                native = self._natives[address]
            except KeyError:
                native = self.native(address)
            if native is None:
                self.dropped["bad_address"] += 1
                return False
            if ttl is None:
                self._send(data, native)
            else:
                self._send_with_ttl(data, native, ttl)
        except (OSError, TypeError, ValueError, OverflowError) as error:
            self.count(error)
            return False
        return True

    def _send_with_ttl(self, data: bytes, native: SocketAddress, ttl: int) -> None:
        """Set the TTL for one datagram, then restore it. Ignored by an event loop's transport, which may send later."""
        before: list[tuple[int, int, int]] = []
        try:
            for level, option in _TTL_OPTIONS if self._is_v6 else _TTL_OPTIONS[:1]:
                with suppress(OSError, OverflowError, TypeError):
                    usual = self._socket.getsockopt(level, option)
                    self._socket.setsockopt(level, option, ttl)
                    before.append((level, option, usual))
            self._send(data, native)
        finally:
            for level, option, usual in before:
                self._socket.setsockopt(level, option, usual)

    def count(self, error: Exception) -> None:
        """Count a system error as loss. Any exception but OSError means that the system could not read the address."""
        number = error.errno if isinstance(error, OSError) else None
        self.dropped["bad_address" if number is None else errno.errorcode.get(number, "OSError")] += 1

    def send_through(self, send: Callable[[bytes, Any], Any] | None) -> None:
        """Send by this call of an event loop's transport instead of the socket's own; None restores the socket's."""
        self._send = self._socket.sendto if send is None else send

    def shown(self, address: SocketAddress) -> SocketAddress:
        """Convert an address of the system to the form that endpoints use."""
        host = address[0]
        if host.startswith(_MAPPED) and "." in host:
            return host[len(_MAPPED) :], address[1]
        if len(address) == 4 and address[3]:
            return host.partition("%")[0], *address[1:]
        return host, address[1]

    def native(self, address: SocketAddress) -> SocketAddress | None:
        """Convert an endpoint's address to the form that this socket needs; None if this socket cannot reach it."""
        if len(self._natives) >= _ADDRESSES_KEPT:
            self._natives.clear()
        native = self._natives[address] = _native(address, self._is_v6)
        return native

    def widen(self, size: int) -> None:
        """Ask the system for buffers of ``size`` bytes; it may give less."""
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, option, size)

    def resolve(self, host: str, port: int) -> SocketAddress:
        """The address of a host that this socket can reach; raises NetworkUnavailable if there is none, or no route."""
        wanted = (socket.AF_INET6, socket.AF_INET) if self.family == socket.AF_INET6 else (socket.AF_INET,)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except (socket.gaierror, ValueError) as error:
            raise NetworkUnavailable(f"no address is known for {host!r}: check the spelling and your DNS") from error
        for family in wanted:
            for entry in found:
                if entry[0] == family:
                    address = self.shown(_typed(entry[4]))
                    self._check_route(address)
                    return address
        raise NetworkUnavailable(
            f"{host!r} has no IPv{'4' if self.family == socket.AF_INET else '6'} address: open the socket with "
            f"host {'::' if self.family == socket.AF_INET else '0.0.0.0'} to reach it"
        )

    def _check_route(self, address: SocketAddress) -> None:
        """Raise NetworkUnavailable without a route. Connecting a UDP socket sends nothing, but asks for a route."""
        with socket.socket(self.family, socket.SOCK_DGRAM) as probe:
            try:
                if self.family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                probe.connect(self.native(address) or address)
            except OSError as error:
                raise NetworkUnavailable(
                    f"no route to {address[0]} port {address[1]}: check the network connection and the address"
                ) from error

    def close(self) -> None:
        self._socket.close()


def _typed(address: tuple[object, ...]) -> SocketAddress:
    host, port = str(address[0]), int(str(address[1]))
    return (host, port, int(str(address[2])), int(str(address[3]))) if len(address) == 4 else (host, port)


def _native(address: object, is_v6: bool) -> SocketAddress | None:
    if not isinstance(address, tuple) or len(address) not in (2, 4):
        return None
    host, *numbers = address
    if not isinstance(host, str) or "%" in host:
        return None
    if not all(isinstance(n, int) and 0 <= n <= most for n, most in zip(numbers, _LARGEST_PARTS, strict=False)):
        return None
    try:
        version = ip_address(host).version
    except ValueError:
        return None
    if version == 4:
        return (f"{_MAPPED}{host}", numbers[0], 0, 0) if is_v6 else (host, numbers[0])
    return _typed(address) if is_v6 else None


def open_udp(host: str = "0.0.0.0", port: int = 0) -> UdpSocket:
    """Bind a socket. "0.0.0.0" is for IPv4, "::" for both IPv6 and IPv4; port 0 picks a free port."""
    if not 0 <= port <= 65535:
        raise UsageError(f"a port is 0 to 65535, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        sock = socket.socket(family, socket.SOCK_DGRAM)
    except OSError as error:
        raise NetworkUnavailable(
            f"this system has no IPv{'6' if family == socket.AF_INET6 else '4'}: use another host than {host!r}"
        ) from error
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        if family == socket.AF_INET6 and host == "::":
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        raise NetworkUnavailable(_why_not_bound(error, host, port)) from error
    except (TypeError, ValueError) as error:
        # A name that no host can have: it cannot be encoded.
        sock.close()
        raise NetworkUnavailable(f"{host!r} is not an address: use 0.0.0.0, or :: for IPv6") from error
    return UdpSocket(sock)


def _why_not_bound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE or getattr(error, "winerror", None) == 10048:
        return f"port {port} is in use: choose another, or 0 for any that is free"
    if error.errno == errno.EACCES or getattr(error, "winerror", None) == 10013:
        return f"port {port} is not allowed for this user: choose one above 1023"
    return f"{host!r} is not an address of this machine ({error.strerror}): use 0.0.0.0, or :: for IPv6"


def open_towards(target: tuple[str, int], port: int = 0) -> tuple[UdpSocket, SocketAddress]:
    """Open a socket that can reach the host over IPv4 or IPv6; returns it with the host's address for it."""
    if ":" not in target[0]:
        socket = open_udp("0.0.0.0", port)
        try:
            return socket, socket.resolve(*target)
        except NetworkUnavailable as error:
            socket.close()
            if "has no IPv4 address" not in str(error):
                raise
    socket = open_udp("::", port)
    try:
        return socket, socket.resolve(*target)
    except NetworkUnavailable:
        socket.close()
        raise


def parse_address(text: str, *, default_port: int) -> tuple[str, int]:
    """Split "host", "host:port", "[v6]:port" or a bare IPv6 address into host and port."""
    host, port = text, ""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
        if rest and not rest.startswith(":"):
            raise UsageError(f"{text!r} is not an address: write [::1]:7777")
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if not host:
        raise UsageError(f"{text!r} names no host: write host or host:port")
    if not port:
        return host, default_port
    if len(port) > 5 or not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise UsageError(f"{text!r} has no valid port: it is 1 to 65535")
    return host, int(port)
