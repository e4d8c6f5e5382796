"""``retick join``: finds a host on the local network, or dials the one that was named, and plays."""

from typing import Annotated

import typer

from retick.cli.play import options
from retick.cli.play.files import CaptureOption
from retick.cli.play.terminal_match import TerminalMatch
from retick.cli.terminal import Screen, working
from retick.cli.trace_notes import TraceOption
from retick.errors import NetworkUnavailable, RetickError, UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.playing.controllers import StyleName
from retick.playing.way_in import OnlineWay, WayIn
from retick.transport import open_towards
from retick.transport.discovery import FoundHost, find_hosts


# host and join repeat the options that they share: typer reads them from each command's own signature.
def join(
    address: Annotated[
        str | None,
        typer.Argument(
            metavar="[INVITE|CODE|ADDRESS]",
            help="The line that the host printed, retick:...; for an open host its code XXXX-XXXX, or its address: "
            "name, name:port or [IPv6]:port.",
            show_default="search the local network for an open host",
        ),
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to search for a host on the local network.")] = 3.0,
    port: Annotated[
        int | None, typer.Option(help="Our own UDP port.", show_default="any; with --lan-compat the host's plus 1")
    ] = None,
    online: options.OnlineOption = False,
    relay: options.RelayOption = None,
    relay_only: options.RelayOnlyOption = False,
    map_port: options.MapPortOption = False,
    players: options.PlayersOption = 2,
    bot: options.BotOption = False,
    style: options.StyleOption = StyleName.COUNTER,
    delay: options.DelayOption = 2,
    seats: options.SeatsOption = 1,
    rate: options.RateOption = TICKS_PER_SECOND,
    record: options.RecordOption = None,
    capture: CaptureOption = None,
    trace: TraceOption = None,
    plain: options.PlainOption = False,
    identity: options.IdentityOption = None,
    keylog: options.KeylogOption = None,
    lan_compat: options.LanOption = False,
) -> None:
    """Join a match that another peer hosts: with the keyboard, or with --bot.

    Exit code 0: played to the end, or you left. 1: no match, the match broke off, the peers diverged, or a file could
    not be written. 2: misuse.

    Example: retick join retick:192.168.1.20:7777#000g40r40m30e209185gr38e1ysyvx
    """
    if address is None and lan_compat:
        raise UsageError("--lan-compat needs the host's address: the original protocol announces nothing")
    if not 0 < wait <= 60:
        raise UsageError(f"--wait must be above 0 and up to 60 seconds, not {wait:g}")
    way = options.typed_way(address, online=online, relay=relay)
    setup = options.MatchSetup(
        players=players, seats=seats, bot=bot, style=style, delay=delay, rate=rate,
        record=record, capture=capture, trace=trace, lan_compat=lan_compat,
    )  # fmt: skip
    links = options.LinkOptions(plain=plain, identity=identity, keylog=keylog, lan_compat=lan_compat)
    meeting = options.OnlineOptions(
        online=online, relay=relay, relay_only=relay_only, map_port=map_port, unsealed=links.is_plain
    )
    meeting.check_way(way)
    console = Screen()
    if isinstance(way, OnlineWay):
        with meeting.opened(port or 0, way) as (own_socket, told):
            form = links.form(way.invite)
            driver = setup.driver(own_socket, form, online=told)
            console.tell(f"joining {way.code} at the relay {told.relay_name}")
            met = TerminalMatch(console, setup, driver, form, keylog=links.keylog, no_answer=options.HOST_GONE)
            raise typer.Exit(met.run())
    if way is None:
        found = _only(_search(wait, setup))
        _check_form(found, plain)
        way = WayIn((found.address, found.port), None)
        console.tell(f"found {found.name}")
    target = way.target
    own_port = port if port is not None else target[1] + 1 if lan_compat else 0
    form = links.form(way.invite)
    socket, resolved = open_towards(target, own_port)
    driver = setup.driver(socket, form, resolved)
    console.tell(f"joining {target[0]} port {target[1]}")
    match = TerminalMatch(console, setup, driver, form, keylog=links.keylog, no_answer=no_answer(target))
    raise typer.Exit(match.run())


def _search(seconds: float, setup: options.MatchSetup) -> list[FoundHost]:
    with working("searching for a host on the local network"):
        try:
            return find_hosts(seconds, setup.game_name)
        except OSError as error:
            raise NetworkUnavailable(
                f"the local network cannot be searched ({error.strerror or error}): name the host: retick join ADDRESS"
            ) from None


def _only(hosts: list[FoundHost]) -> FoundHost:
    if not hosts:
        raise RetickError(
            "no host was found on the local network: start retick host there, or name one: retick join ADDRESS"
        )
    if len(hosts) > 1:
        names = ", ".join(f"{each.address}:{each.port} ({each.name})" for each in hosts)
        raise RetickError(f"{len(hosts)} hosts were found, name one with retick join ADDRESS: {names}")
    return hosts[0]


def _check_form(found: FoundHost, plain: bool) -> None:
    """Compare a host's announced links with ours; announcements are never followed, since anybody can make them."""
    if found.link == "invite":
        raise RetickError(
            f"{found.name} takes only peers that have its invite: ask for the line that it shows: retick join INVITE"
        )
    if (found.link == "plain") != plain:
        ours, theirs = ("plain", "sealed") if plain else ("sealed", "plain")
        raise RetickError(f"{found.name} has {theirs} links and this side {ours} ones: give --plain to both or none")


def no_answer(target: tuple[str, int]) -> str:
    """The error for a host that does not answer."""
    return (
        f"{target[0]} port {target[1]} did not answer: is retick host running there, and does its firewall let "
        f"UDP port {target[1]} through?"
    )
