"""``retick host``: wait for other peers to join, then play."""

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer

from retick.cli.play import match_setup as options
from retick.cli.play.capture_file import CaptureOption
from retick.cli.play.match_setup import DEFAULT_PORT, MatchSetup
from retick.cli.play.terminal_match import TerminalMatch
from retick.cli.terminal import Screen
from retick.cli.trace.tracer import TraceOption
from retick.errors import MissingExtra
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.playing.controllers import StyleName
from retick.transport import open_udp
from retick.transport.discovery import INSTALL, Announcement, own_address

__all__ = ["host"]

_ANY_ADDRESS = ("0.0.0.0", "::")


# host and join repeat the options that they share: typer reads them from each command's own signature.
def host(
    port: Annotated[int, typer.Option(help="UDP port to listen on; 0 takes any free one.")] = DEFAULT_PORT,
    bind: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    announce: Annotated[
        bool, typer.Option(help="Announce the match on the local network, so that retick join finds it.")
    ] = True,
    players: options.PlayersOption = 2,
    bot: options.BotOption = False,
    style: options.StyleOption = StyleName.RUSHER,
    delay: options.DelayOption = 2,
    seats: options.SeatsOption = 1,
    rate: options.RateOption = TICKS_PER_SECOND,
    record: options.RecordOption = None,
    capture: CaptureOption = None,
    trace: TraceOption = None,
    lan_compat: options.LanOption = False,
) -> None:
    """Wait for other peers to join, then play: with the keyboard, or with --bot.

    Exit code 0: played to the end, or you left. 1: it broke off, the peers diverged, or a
    file could not be written. 2: misuse.

    Example: retick host --port 7777 --record match.rtk --capture match.rtkc
    """
    setup = MatchSetup(
        players=players, seats=seats, bot=bot, style=style, delay=delay, rate=rate,
        record=record, capture=capture, trace=trace, lan_compat=lan_compat,
    )  # fmt: skip
    console = Screen()
    driver = setup.driver(open_udp(bind, port))
    bound = driver.wire.socket.address[1]
    address = own_address() if bind in _ANY_ADDRESS else bind
    command = _command_to_join(address, bound, players, lan_compat)
    console.tell(f"waiting on port {bound}. To join: {command}")
    with _announced(console, bound, setup, announce and bind in _ANY_ADDRESS and not lan_compat) as announcement:
        match = TerminalMatch(console, setup, driver)
        if announcement is not None:
            match.on_start = announcement.withdraw
        raise typer.Exit(match.run())


def _command_to_join(address: str | None, port: int, players: int, lan_compat: bool) -> str:
    shown = address or "ADDRESS"
    where = f"[{shown}]" if ":" in shown else shown
    more = (f" --players {players}" if players != 2 else "") + (" --lan-compat" if lan_compat else "")
    return f"retick join {where}" + ("" if port == DEFAULT_PORT else f":{port}") + more


@contextlib.contextmanager
def _announced(console: Screen, port: int, setup: MatchSetup, wanted: bool) -> Iterator[Announcement | None]:
    announcement = _announce(console, port, setup) if wanted else None
    try:
        yield announcement
    finally:
        if announcement is not None:
            announcement.withdraw().join(2.0)


def _announce(console: Screen, port: int, setup: MatchSetup) -> Announcement | None:
    try:
        return Announcement(port, setup.game_name, players=setup.game.num_players)
    except MissingExtra:
        console.tell(f"not announced on the local network; for that: {INSTALL}")
    except OSError as error:
        console.tell(f"not announced on the local network: {error.strerror or error}")
    return None
