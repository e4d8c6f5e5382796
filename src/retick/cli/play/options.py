"""The options that ``retick host`` and ``retick join`` share, their checks, and the match driver made from them."""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.play.files import CaptureFile, captured, check_capture, check_recording
from retick.cli.play.terminal_games import terminal_game_for
from retick.cli.terminal import say, working
from retick.cli.trace_notes import Tracer, check_trace, traced
from retick.errors import UsageError
from retick.link import Invite
from retick.playing.confirmed_match import FollowedMatch
from retick.playing.controllers import Controller, StyleName
from retick.playing.home_router import ForwardedPort, NotForwarded
from retick.playing.key_files import KeyLogFile, sealed_form
from retick.playing.link_form import PLAIN, LinkForm
from retick.playing.match_driver import MatchDriver
from retick.playing.online import chosen_relay, open_online
from retick.playing.way_in import OnlineWay, WayIn, way_in
from retick.replay import LiveRecording
from retick.replay.replay import TICK_RATE
from retick.rollback.lan import LanSession
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.routes import Online
from retick.transport import Poll, UdpSocket
from retick.transport.discovery import game_name
from retick.transport.udp import SocketAddress

DEFAULT_PORT = 7777

PlayersOption = Annotated[
    int, typer.Option(help="Players of the match, the same for all peers: 2 for the fighter, 3 to 8 for scramble.")
]
BotOption = Annotated[bool, typer.Option("--bot", help="Let a bot play here.")]
StyleOption = Annotated[StyleName, typer.Option(help="How the bot plays, in a match of two.")]
DelayOption = Annotated[int, typer.Option(help="Frames of input delay; each makes rollbacks one frame shorter.")]
SeatsOption = Annotated[int, typer.Option(help="Players of this peer; all but the first are bots.")]
RateOption = Annotated[int, typer.Option(help="Frames per second, the same for all peers.")]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the replay to this .rtk file during the match.", show_default=False),
]
LanOption = Annotated[
    bool,
    typer.Option("--lan-compat", help="Use the protocol of the original LAN demo, without a handshake."),
]


class MatchSetup:
    """The checked options of one match; UsageError for a wrong one."""

    def __init__(
        self,
        *,
        players: int,
        bot: bool,
        style: StyleName,
        delay: int,
        seats: int,
        rate: int,
        record: Path | None,
        capture: Path | None,
        trace: Path | None,
        lan_compat: bool,
    ) -> None:
        if not 0 <= delay <= 30:
            raise UsageError(f"--delay must be 0 to 30 frames, not {delay}")
        if not 1 <= rate <= 1000:
            raise UsageError(f"--rate must be 1 to 1000 frames a second, not {rate}")
        self.shown_game = terminal_game_for(players)
        self.game = self.shown_game.game
        if not 1 <= seats < players:
            raise UsageError(
                f"--seats must be 1 to {players - 1} for a match of {players}, not {seats}: other peers need a seat"
            )
        if lan_compat and players != 2:
            raise UsageError("--lan-compat is for 2 players")
        check_recording(record, live=True)
        check_capture(capture, record)
        check_trace(trace, record, capture)
        if not bot and not sys.stdin.isatty():
            raise UsageError("there is no keyboard: standard input is not a terminal. Add --bot to let a bot play")
        self.bot, self.style, self.seats, self.lan_compat = bot, style, seats, lan_compat
        self.config = MatchConfig(tick_rate=rate, input_delay=delay)
        self.keys = self.shown_game.keys()
        self.capture: CaptureFile | None = None
        """The capture, if one was asked for; set by ``driver``."""
        self.tracer: Tracer | None = None
        """The notes for a trace, if they were asked for; set by ``driver``."""
        self._record, self._capture, self._trace = record, capture, trace
        self._seated = False

    @property
    def game_name(self) -> str:
        """The game's id and version, as hosts announce it."""
        return game_name(self.game.game_id, self.game.game_version)

    def driver(
        self,
        socket: UdpSocket,
        form: LinkForm,
        host_address: SocketAddress | None = None,
        online: Online | None = None,
    ) -> MatchDriver:
        """Make the driver, which joins the host at ``host_address`` or by the code of ``online``, or else hosts."""
        session: RollbackSession | LanSession
        recording = (
            None
            if self._record is None
            else LiveRecording(self._record, metadata={TICK_RATE: str(self.config.tick_rate)})
        )
        followed = FollowedMatch(self.shown_game.confirmed, recording)
        if self.lan_compat:
            session = LanSession(self.game, host_address=host_address, config=self.config, record=followed)
        else:
            session = RollbackSession(
                self.game,
                entropy=os.urandom,
                config=self.config,
                seats=self.seats,
                host_address=host_address,
                record=followed,
                online=online,
                **form.arguments(),
            )
        if self._capture is not None:
            self.capture = CaptureFile(self._capture)
        if self._trace is not None:
            hosts = host_address is None and (online is None or online.code is None)
            self.tracer = Tracer(self._trace, "host" if hosts else "joiner", rate=self.config.tick_rate)
        return MatchDriver(
            session,
            Poll(captured(traced(session, self.tracer), self.capture), socket),
            controller=self._controller,
            followed=followed,
            observer=self.tracer,
            compares_words=form.is_open,
            online=online,
        )

    def _controller(self, seed: int, player: int) -> Controller:
        """The controller of a seat: the person has the first one, bots the others."""
        if self.bot or self._seated:
            return self.shown_game.bot(seed, player, self.style)
        self._seated = True
        return self.keys


# The options of every command that opens links between peers: open or plain, a lasting key, a key log.
HostOpenOption = Annotated[
    bool, typer.Option("--open", help="Admit everybody who knows the address; sealed, with words to compare aloud.")
]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="Unsealed links, which others can read and forge; all peers must say it.")
]
IdentityOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="This machine's lasting key, by which others recognise it; the file is made if missing.",
        show_default=False,
    ),
]
KeylogOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Append the keys of all links to this file, to read captures with retick packet --keylog.",
        show_default=False,
    ),
]


class LinkOptions:
    """The checked sealing options; ``form`` opens their files."""

    def __init__(
        self,
        *,
        plain: bool,
        identity: Path | None,
        keylog: Path | None,
        everybody: bool = False,
        lan_compat: bool = False,
    ) -> None:
        """``everybody`` is a host's --open. UsageError for options that exclude each other."""
        self.plain, self.everybody, self.lan_compat = plain, everybody, lan_compat
        unsealed = "--plain" if plain else "--lan-compat" if lan_compat else ""
        for given, name in ((everybody, "--open"), (identity, "--identity"), (keylog, "--keylog")):
            if given and unsealed:
                raise UsageError(f"{name} is for sealed links: it cannot be used with {unsealed}")
        self._identity, self._keylog = identity, keylog
        self.keylog: KeyLogFile | None = None
        """The key log, if one was asked for; set by ``form``."""

    @property
    def is_plain(self) -> bool:
        """Whether the links are unsealed."""
        return self.plain or self.lan_compat

    def make_files(self) -> None:
        """Make the files and say where they are, for a command that opens its links elsewhere."""
        self.form(None)
        if self.keylog is not None:
            self.keylog.close()

    def form(self, invite: Invite | None) -> LinkForm:
        """Make the form of links with the keys in the files, and say where they are."""
        if self.is_plain:
            if invite is not None:
                raise UsageError(
                    "an invite is for sealed links: leave out --plain and --lan-compat, or give the address"
                )
            return PLAIN
        form = sealed_form(invite, self._identity, self._keylog, lambda line: say(line, err=True))
        if isinstance(form.keylog, KeyLogFile):
            self.keylog = form.keylog
        return form


# The options of online matches.
OnlineOption = Annotated[bool, typer.Option("--online", help="Meet at a relay by a code, which works behind routers.")]
RelayOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The relay of an online match: name, name:port or [IPv6]:port.",
        show_default="the invite's, or RETICK_RELAY",
    ),
]
RelayOnlyOption = Annotated[
    bool, typer.Option("--relay-only", help="Send everything through the relay, so that no player learns an address.")
]
MapPortOption = Annotated[
    bool, typer.Option("--map-port", help="Ask the router to forward a port to this machine until the end.")
]


HOST_GONE = "the host of this code does not answer: is it still there? Ask for a new code"


def typed_way(text: str | None, *, online: bool, relay: str | None) -> WayIn | OnlineWay | None:
    """Parse what was typed to join or watch; None if nothing was, which means a search on the local network."""
    if text is None:
        if online or relay is not None:
            raise UsageError("--online needs a code or an invite: ask for the line that the host shows")
        return None
    return way_in(text, default_port=DEFAULT_PORT, is_online=online or relay is not None)


class OnlineOptions:
    """The checked options of an online match; UsageError for options that exclude each other."""

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
            raise UsageError("--map-port shows others an address and --relay-only hides it: leave one out")
        if is_host:
            self.check_way(None, is_online=online)

    def check_way(self, way: object, *, is_online: bool | None = None) -> None:
        """Raise UsageError unless the options fit what was typed."""
        if isinstance(way, OnlineWay) if is_online is None else is_online:
            if self._unsealed:
                raise UsageError("online matches are sealed: leave out --plain and --lan-compat")
        elif self.relay is not None or self.relay_only:
            raise UsageError(f"{'--relay-only' if self.relay_only else '--relay'} is for online matches: add --online")

    @contextlib.contextmanager
    def opened(self, port: int, way: OnlineWay | None = None) -> Iterator[tuple[UdpSocket, Online]]:
        """Open the socket; yield it with the session's argument. A forwarded port is closed at the end."""
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
    """Let the router forward a port within the block; yield its outside address, None if unknown or not wanted.

    A router that refuses is not an error: most matches find another path.
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
            say(f"port {port} is forwarded ({mapped.by}), but the router does not tell its own address", err=True)
            yield None
        else:
            say(f"port {port} of {host} is forwarded to this machine ({mapped.by})", err=True)
            yield host, port
