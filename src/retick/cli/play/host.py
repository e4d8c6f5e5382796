"""``retick host``: wait for other peers to join, then play."""

import contextlib
import os
from collections.abc import Iterator
from typing import Annotated

import typer

from retick.cli.play import options
from retick.cli.play.files import CaptureOption
from retick.cli.play.terminal_match import TerminalMatch
from retick.cli.terminal import Screen
from retick.cli.trace_notes import TraceOption
from retick.errors import MissingExtra, UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.link import Invite
from retick.playing.controllers import StyleName
from retick.playing.way_in import address_text
from retick.transport import open_udp, parse_address
from retick.transport.discovery import INSTALL, Announcement, own_address

_ANY_ADDRESS = ("0.0.0.0", "::")
_OWN_MACHINE = "127.0.0.1"
"""The address in an invite if there is no network."""


# host and join repeat the options that they share: typer reads them from each command's own signature.
def host(
    port: Annotated[
        int | None,
        typer.Option(
            help="UDP port to listen on; 0 takes any free one.", show_default=f"{options.DEFAULT_PORT}; online any"
        ),
    ] = None,
    bind: Annotated[str, typer.Option(help="Address to listen on; :: is IPv6 and IPv4.")] = "0.0.0.0",
    address: Annotated[
        str | None,
        typer.Option(
            help="Name or address of this machine for the invite, if others need another one; a port may follow.",
            show_default="the address on the local network",
        ),
    ] = None,
    online: options.OnlineOption = False,
    relay: options.RelayOption = None,
    relay_only: options.RelayOnlyOption = False,
    secret: Annotated[
        bool,
        typer.Option(
            "--invite",
            help="With --online: print an invite with a secret. The code alone admits nobody, and the relay "
            "need not be trusted.",
        ),
    ] = False,
    map_port: options.MapPortOption = False,
    everybody: options.HostOpenOption = False,
    plain: options.PlainOption = False,
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
    identity: options.IdentityOption = None,
    keylog: options.KeylogOption = None,
    lan_compat: options.LanOption = False,
) -> None:
    """Wait for other peers to join, then play: with the keyboard, or with --bot.

    Prints a line with an invite: only players who have it can join. With --online it works behind routers and prints a
    code of eight characters; with --online --invite a line with a secret.
    Exit code 0: played to the end, or you left. 1: the match broke off, the peers diverged, or a file could not be
    written. 2: misuse.

    Example: retick host --port 7777 --record match.rtk --capture match.rtkc
    """
    setup = options.MatchSetup(
        players=players, seats=seats, bot=bot, style=style, delay=delay, rate=rate,
        record=record, capture=capture, trace=trace, lan_compat=lan_compat,
    )  # fmt: skip
    if secret and (everybody or not online):
        raise UsageError("--invite needs --online, without --open: other hosts print an invite anyway")
    everybody = everybody or (online and not secret and not plain)  # a code that can be said aloud
    links = options.LinkOptions(
        plain=plain, everybody=everybody, identity=identity, keylog=keylog, lan_compat=lan_compat
    )
    meeting = options.OnlineOptions(
        online=online, relay=relay, relay_only=relay_only, map_port=map_port, unsealed=links.is_plain, is_host=True
    )
    console = Screen()
    if online:
        if address is not None or bind not in _ANY_ADDRESS:
            raise UsageError("--address and --bind are for matches without a relay: leave them out with --online")
        with meeting.opened(port or 0) as (socket, told):
            form = links.form(None if everybody else Invite.new(entropy=os.urandom))
            driver = setup.driver(socket, form, online=told)
            console.tell(f"asking the relay at {told.relay_name} for a room")
            more = _more_words(players, links)
            raise typer.Exit(TerminalMatch(console, setup, driver, form, keylog=links.keylog, more_words=more).run())
    named = None if address is None else parse_address(address, default_port=0)
    socket = open_udp(bind, options.DEFAULT_PORT if port is None else port)
    with contextlib.ExitStack() as stack:
        stack.callback(socket.close)
        outside = stack.enter_context(options.forwarded(socket, map_port))
        bound = socket.address[1]
        here = bind if bind not in _ANY_ADDRESS else own_address() or _OWN_MACHINE
        shown = outside or (here, bound) if named is None else (named[0], named[1] or bound)
        invite = None
        if not links.is_plain and not everybody:
            invite = Invite.new(address_text(*shown), entropy=os.urandom)
        form = links.form(invite)
        driver = setup.driver(socket, form)
        # Only this line prints the secret of a match without a relay.
        way = address_text(*shown, usual_port=options.DEFAULT_PORT) if invite is None else invite.text()
        console.tell(f"waiting on port {bound}. To join: retick join {way}{_more_words(players, links)}")
        wanted = announce and bind in _ANY_ADDRESS and not lan_compat
        announcement = stack.enter_context(_announced(console, bound, setup, form.name, wanted))
        match = TerminalMatch(console, setup, driver, form, keylog=links.keylog)
        if announcement is not None:
            match.on_start = announcement.withdraw
        raise typer.Exit(match.run())


def _more_words(players: int, links: options.LinkOptions) -> str:
    """The options that joiners must give, too."""
    form = " --plain" if links.plain else " --lan-compat" if links.lan_compat else ""
    return (f" --players {players}" if players != 2 else "") + form


@contextlib.contextmanager
def _announced(
    console: Screen, port: int, setup: options.MatchSetup, link: str, wanted: bool
) -> Iterator[Announcement | None]:
    announcement = _announce(console, port, setup, link) if wanted else None
    try:
        yield announcement
    finally:
        if announcement is not None:
            announcement.withdraw().join(2.0)


def _announce(console: Screen, port: int, setup: options.MatchSetup, link: str) -> Announcement | None:
    try:
        return Announcement(port, setup.game_name, players=setup.game.num_players, link=link)
    except MissingExtra:
        console.tell(f"not announced on the local network; for that: {INSTALL}")
    except OSError as error:
        console.tell(f"not announced on the local network: {error.strerror or error}")
    return None
