"""Runs the web application on a port of this machine until Ctrl-C."""

import errno
import ipaddress
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from retick.errors import NetworkUnavailable
from retick.studio.app import make_app
from retick.studio.feed import LARGEST_FILE
from retick.studio.room import Settings
from retick.transport.discovery import own_address


class _Server(uvicorn.Server):
    """Reports when it listens. On Ctrl-C it ends its rooms before the command line gets the signal."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End in order on SIGTERM. A second Ctrl-C ends even a game that hangs and keeps the loop from the first."""
        if sig == signal.SIGTERM:
            self.should_exit = True  # without a signal to pass on
            return
        if self.should_exit and sig == signal.SIGINT:
            raise KeyboardInterrupt
        super().handle_exit(sig, frame)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _name_of(host: str) -> str:
    """The address in a URL; for "all addresses" one of this machine's, since browsers cannot open that."""
    if host == "0.0.0.0":
        return own_address() or "127.0.0.1"
    if host == "::":
        return "[::1]"
    return f"[{host}]" if ":" in host else host


def listening(host: str, port: int) -> socket.socket:
    """Bind a socket for the page."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(where[:2], family=family)
    except (socket.gaierror, UnicodeError):  # UnicodeError: a malformed name
        raise NetworkUnavailable(f"{host!r} is not an address of this machine: name another with --host") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        other = "--host" if error.errno == errno.EADDRNOTAVAIL else "--port"
        raise NetworkUnavailable(
            f"port {port} of {host} cannot be opened: {reason}; name another with {other}"
        ) from None
    # Connections inherit it. asyncio sets it only on sockets that were made with TCP's protocol number, unlike these:
    # without it, a message would wait up to 40 ms until the page has acknowledged the one before.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def serve(settings: Settings, *, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until Ctrl-C; ``on_ready`` gets the page's address when it can be opened. Port 0 takes a free one."""
    with listening(host, port) as bound:
        address = f"http://{_name_of(host)}:{bound.getsockname()[1]}/"
        outside = not is_loopback(host)
        config = uvicorn.Config(
            make_app(settings, hosts=(host,), any_address=outside),
            log_level="error",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=LARGEST_FILE,
            ws_per_message_deflate=False,  # the page is on this machine, where compression only costs time
            timeout_graceful_shutdown=1,
        )
        _Server(config, lambda: on_ready(address)).run(sockets=[bound])
