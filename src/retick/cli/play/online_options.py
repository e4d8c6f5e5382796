"""The options of online matches, and the socket that they make."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import typer

from retick.cli.play.match_setup import DEFAULT_PORT
from retick.cli.terminal import say, working
from retick.errors import UsageError
from retick.playing.home_router import ForwardedPort, NotForwarded
from retick.playing.online import chosen_relay, open_online
from retick.playing.way_in import OnlineWay, WayIn, way_in
from retick.routes import Online
from retick.transport import UdpSocket

__all__ = [
    "HOST_GONE", "MapPortOption", "OnlineOption", "OnlineOptions", "RelayOnlyOption", "RelayOption", "forwarded",
    "typed_way",
]  # fmt: skip

OnlineOption = Annotated[bool, typer.Option("--online", help="Meet at a relay, by a code: works behind routers.")]
RelayOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The relay of an online match: name, name:port or [IPv6]:port.",
        show_default="that of the invite, or of RETICK_RELAY",
    ),
]
RelayOnlyOption = Annotated[
    bool, typer.Option("--relay-only", help="Everything through the relay: no player learns the address of another.")
]
MapPortOption = Annotated[
    bool, typer.Option("--map-port", help="Ask the router to forward a port to this machine until the end.")
]


HOST_GONE = "the host of this code does not answer: is it still there? Ask for a new code"


def typed_way(text: str | None, *, online: bool, relay: str | None) -> WayIn | OnlineWay | None:
    """What was typed to join or watch; None for nothing, which is a search on the local network."""
    if text is None:
        if online or relay is not None:
            raise UsageError("--online needs a code or an invite: ask for the line that the host shows")
        return None
    return way_in(text, default_port=DEFAULT_PORT, is_online=online or relay is not None)


class OnlineOptions:
    """The checked options; UsageError for those that exclude each other."""

    def __init__(
        self,
        *,
        online: bool,
        relay: str | None,
        relay_only: bool,
        map_port: bool,
        unsealed: bool,
        is_host: bool = False,
    ) -> None:
        self.online, self.relay, self.relay_only, self.map_port = online, relay, relay_only, map_port
        self._unsealed = unsealed
        if map_port and relay_only:
            raise UsageError("--map-port tells others an address, and --relay-only tells none: leave one out")
        if is_host:
            self.check_way(None, is_online=online)

    def check_way(self, way: object, *, is_online: bool | None = None) -> None:
        """Whether the options fit what was typed."""
        if isinstance(way, OnlineWay) if is_online is None else is_online:
            if self._unsealed:
                raise UsageError("online matches are sealed: leave out --plain and --lan-compat")
        elif self.relay is not None or self.relay_only:
            raise UsageError(f"{'--relay-only' if self.relay_only else '--relay'} is for online matches: add --online")

    @contextlib.contextmanager
    def opened(self, port: int, way: OnlineWay | None = None) -> Iterator[tuple[UdpSocket, Online]]:
        """The socket, and what the session is told; a forwarded port is taken back at the end."""
        relay = chosen_relay(self.relay, None if way is None else way.relay)
        code = None if way is None else way.code
        socket, online = open_online(relay, port=port, code=code, relay_only=self.relay_only)
        with contextlib.ExitStack() as stack:
            stack.callback(socket.close)
            outside = stack.enter_context(forwarded(socket, self.map_port))
            if outside is not None:
                online = replace(online, mapped=(outside,))
            yield socket, online


@contextlib.contextmanager
def forwarded(socket: UdpSocket, is_wanted: bool) -> Iterator[tuple[str, int] | None]:
    """The outside address of a port that the router forwards within the block; None if it does not, or none is wanted.

    A router that refuses is no error: most matches find another way.
    """
    if not is_wanted:
        yield None
        return
    try:
        with working("asking the router to forward a port"):
            mapped = ForwardedPort(socket.address[1])
    except NotForwarded as error:
        say(f"no port is forwarded: {error}", err=True)
        yield None
        return
    with mapped:
        host, port = mapped.outside
        if host is None:
            say(f"port {port} is forwarded ({mapped.by}), but the router does not tell its address", err=True)
            yield None
        else:
            say(f"port {port} of {host} is forwarded to this machine ({mapped.by})", err=True)
            yield host, port
