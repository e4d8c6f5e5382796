"""``retick host``: wait for the others, then play."""

import contextlib
from collections.abc import Iterator
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
from retick.errors import MissingExtra
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.transport import open_udp
from retick.transport.discovery import INSTALL, Announcement, own_address

__all__ = ["host"]

_ANYWHERE = ("0.0.0.0", "::")


def host(
    port: Annotated[int, typer.Option(help="UDP port to listen on; 0 takes any that is free.")] = DEFAULT_PORT,
    players: PlayersOption = 2,
    bind: Annotated[str, typer.Option(help="Address to listen on; :: takes IPv6 and IPv4.")] = "0.0.0.0",
    bot: BotOption = False,
    style: StyleOption = StyleName.RUSHER,
    delay: DelayOption = 2,
    seats: SeatsOption = 1,
    rate: RateOption = TICKS_PER_SECOND,
    record: RecordOption = None,
    capture: CaptureOption = None,
    lan_compat: LanOption = False,
    announce: Annotated[bool, typer.Option(help="Tell the local network, so that retick join finds us.")] = True,
) -> None:
    """Wait for other machines to join, then play: keys here, or --bot.

    Example: retick host --port 7777 --record match.rtk --capture match.rtkc
    """
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
    side = setup.side(open_udp(bind, port))
    bound = side.wire.socket.address[1]
    address = own_address() if bind in _ANYWHERE else bind
    invitation = _invitation(address, bound, players, lan_compat)
    console.print(f"waiting on port {bound}. The other side runs: {invitation}", soft_wrap=True, markup=False)
    with _announced(console, bound, setup, announce and bind in _ANYWHERE and not lan_compat) as announcement:
        fight = OnlineMatch(console, setup, side)
        if announcement is not None:
            fight.on_start = announcement.withdraw
        raise typer.Exit(fight.run())


def _invitation(address: str | None, port: int, players: int, lan_compat: bool) -> str:
    shown = address or "ADDRESS"
    where = f"[{shown}]" if ":" in shown else shown
    options = (f" --players {players}" if players != 2 else "") + (" --lan-compat" if lan_compat else "")
    return f"retick join {where}" + ("" if port == DEFAULT_PORT else f":{port}") + options


@contextlib.contextmanager
def _announced(console: Console, port: int, setup: Setup, wanted: bool) -> Iterator[Announcement | None]:
    announcement = _announce(console, port, setup) if wanted else None
    try:
        yield announcement
    finally:
        if announcement is not None:
            announcement.withdraw().join(2.0)


def _announce(console: Console, port: int, setup: Setup) -> Announcement | None:
    try:
        return Announcement(port, setup.game_name, players=setup.game.num_players)
    except MissingExtra:
        console.print(f"not announced on the local network; for that: {INSTALL}", markup=False)
    except OSError as error:
        console.print(f"not announced on the local network: {error.strerror or error}", soft_wrap=True)
    return None
