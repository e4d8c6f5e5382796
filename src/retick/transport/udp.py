"""UDP sockets for IPv4 and IPv6, and errors that a person can act on.

Opening and resolving fail loudly, in one line. After that the network never raises: a full buffer, a host that cannot
be reached, or an ICMP answer that Windows reports as a reset connection are loss, and are counted as such.
"""

import errno
import socket
from typing import TypeAlias

from retick.errors import NetworkUnavailable, UsageError

__all__ = ["SocketAddress", "UdpSocket", "open_udp", "parse_address"]

SocketAddress: TypeAlias = tuple[str, int] | tuple[str, int, int, int]

LARGEST = 2048
"""Bytes read of one datagram; ours have at most 1472."""
BUFFER = 1 << 18
"""Bytes asked of the system for what waits to be read."""
_ICMP_REPORTS_IN_A_ROW = 16


class UdpSocket:
    """A bound socket that never blocks."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._receive = sock.recvfrom
        self._send = sock.sendto
        self.dropped = 0
        """Datagrams that the system did not take, and errors reported in place of one."""

    @property
    def family(self) -> int:
        return self._socket.family

    @property
    def address(self) -> SocketAddress:
        """Where this socket is bound."""
        found: SocketAddress = self._socket.getsockname()
        return found

    @property
    def raw(self) -> socket.socket:
        """For an event loop."""
        return self._socket

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> tuple[bytes, SocketAddress] | None:
        """The next datagram, None when none waits."""
        for _ in range(_ICMP_REPORTS_IN_A_ROW):
            try:
                return self._receive(LARGEST)
            except (BlockingIOError, InterruptedError):
                return None
            except OSError:
                if self._socket.fileno() < 0:
                    return None
                self.dropped += 1
        return None

    def send(self, data: bytes, address: SocketAddress) -> bool:
        """False, and counted, when the system did not take it."""
        try:
            self._send(data, address)
        except OSError:
            self.dropped += 1
            return False
        return True

    def resolve(self, host: str, port: int) -> SocketAddress:
        """The address of a host as this socket needs it; NetworkUnavailable when there is none, or no way to it."""
        wanted = (socket.AF_INET6, socket.AF_INET) if self.family == socket.AF_INET6 else (socket.AF_INET,)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except (socket.gaierror, UnicodeError) as error:
            raise NetworkUnavailable(f"no address is known for {host!r}: check the spelling and your DNS") from error
        for family in wanted:
            for entry in found:
                if entry[0] == family:
                    address = self._as_own(family, entry[4])
                    self._check_route(address)
                    return address
        raise NetworkUnavailable(
            f"{host!r} has no IPv{'4' if self.family == socket.AF_INET else '6'} address: open the socket with "
            f"host {'::' if self.family == socket.AF_INET else '0.0.0.0'} to reach it"
        )

    def _as_own(self, family: int, address: tuple[object, ...]) -> SocketAddress:
        if family == socket.AF_INET6:
            return (str(address[0]), int(str(address[1])), int(str(address[2])), int(str(address[3])))
        if self.family == socket.AF_INET6:
            return (f"::ffff:{address[0]}", int(str(address[1])), 0, 0)
        return (str(address[0]), int(str(address[1])))

    def _check_route(self, address: SocketAddress) -> None:
        """Connecting a UDP socket sends nothing, but asks the system for a route."""
        with socket.socket(self.family, socket.SOCK_DGRAM) as probe:
            try:
                if self.family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                probe.connect(address)
            except OSError as error:
                raise NetworkUnavailable(
                    f"no route to {address[0]} port {address[1]}: check the network connection and the address"
                ) from error

    def close(self) -> None:
        self._socket.close()


def open_udp(host: str = "0.0.0.0", port: int = 0) -> UdpSocket:
    """Bind a socket. "0.0.0.0" takes IPv4, "::" both IPv6 and IPv4; port 0 takes any that is free."""
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
    return UdpSocket(sock)


def _why_not_bound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE or getattr(error, "winerror", None) == 10048:
        return f"port {port} is in use: choose another, or 0 for any that is free"
    if error.errno == errno.EACCES or getattr(error, "winerror", None) == 10013:
        return f"port {port} is not allowed for this user: choose one above 1023"
    return f"{host!r} is not an address of this machine ({error.strerror}): use 0.0.0.0, or :: for IPv6"


def parse_address(text: str, *, default_port: int) -> tuple[str, int]:
    """Host and port of "host", "host:port", "[v6]:port" or a bare IPv6 address."""
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
    if not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise UsageError(f"{text!r} has no good port: it is 1 to 65535")
    return host, int(port)
