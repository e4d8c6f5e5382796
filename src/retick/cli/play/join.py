"""``retick join``: find a host, or go to the one that was named, and play."""

from typing import Annotated

import typer
from rich.console import Console

from retick.cli.play.brains import StyleName
from retick.cli.play.capturing import CaptureOption
from retick.cli.play.online import (
    DEFAULT_PORT,
    BotOption,
    DelayOption,
    LanOption,
    OnlineMatch,
    PlayersOption,
    RateOption,
    RecordOption,
    SeatsOption,
    Setup,
    StyleOption,
)
from retick.errors import NetworkUnavailable, RetickError, UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.transport import UdpSocket, open_udp, parse_address
from retick.transport.discovery import FoundHost, find_hosts
from retick.transport.udp import SocketAddress

__all__ = ["join", "no_answer", "open_towards"]


def join(
    address: Annotated[
        str | None,
        typer.Argument(
            help="The host: name, name:port or [IPv6]:port. Without it, one is looked for.", show_default=False
        ),
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to look for a host on the local network.")] = 3.0,
    port: Annotated[
        int | None, typer.Option(help="Our own UDP port.", show_default="any; with --lan-compat the host's plus 1")
    ] = None,
    players: PlayersOption = 2,
    bot: BotOption = False,
    style: StyleOption = StyleName.COUNTER,
    delay: DelayOption = 2,
    seats: SeatsOption = 1,
    rate: RateOption = TICKS_PER_SECOND,
    record: RecordOption = None,
    capture: CaptureOption = None,
    lan_compat: LanOption = False,
) -> None:
    """Join a match that another machine hosts: keys here, or --bot.

    Example: retick join 192.168.1.20:7777 --delay 3
    """
    if address is None and lan_compat:
        raise UsageError("--lan-compat needs the host's address: the original protocol announces nothing")
    if not 0 < wait <= 60:
        raise UsageError(f"--wait is up to 60 seconds, not {wait:g}")
    target = None if address is None else parse_address(address, default_port=DEFAULT_PORT)
    setup = Setup(
        players=players,
        bot=bot,
        style=style,
        delay=delay,
        seats=seats,
        rate=rate,
        record=record,
        capture=capture,
        lan_compat=lan_compat,
    )
    console = Console(highlight=False)
    if target is None:
        found = _only(_look(console, wait, setup))
        target = (found.address, found.port)
        console.print(f"found {found.name}", soft_wrap=True, markup=False)
    own_port = port if port is not None else target[1] + 1 if lan_compat else 0
    socket, resolved = open_towards(target, own_port)
    console.print(f"joining {target[0]} port {target[1]}", soft_wrap=True)
    raise typer.Exit(OnlineMatch(console, setup, setup.side(socket, resolved), no_answer=no_answer(target)).run())


def _look(console: Console, seconds: float, setup: Setup) -> list[FoundHost]:
    with console.status("looking for a host on the local network"):
        try:
            return find_hosts(seconds, setup.game_name)
        except OSError as error:
            raise NetworkUnavailable(
                f"the local network cannot be searched ({error.strerror or error}): name the host: retick join ADDRESS"
            ) from None


def _only(hosts: list[FoundHost]) -> FoundHost:
    if not hosts:
        raise RetickError(
            "no host was found on the local network: start retick host there, or name it: retick join ADDRESS"
        )
    if len(hosts) > 1:
        names = ", ".join(f"{each.address}:{each.port} ({each.name})" for each in hosts)
        raise RetickError(f"{len(hosts)} hosts were found, name one with retick join ADDRESS: {names}")
    return hosts[0]


def open_towards(target: tuple[str, int], port: int) -> tuple[UdpSocket, SocketAddress]:
    """A socket of the family that reaches the host, and the host's address as that socket has it."""
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


def no_answer(target: tuple[str, int]) -> str:
    """What to say of a host that is silent."""
    return (
        f"{target[0]} port {target[1]} did not answer: is retick host running there, and does its firewall let "
        f"UDP port {target[1]} in?"
    )
