"""The options that ``retick host`` and ``retick join`` share, checked, and the match driver that they make."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.play.capture_file import CaptureFile, captured, check_capture
from retick.cli.play.recording import check_recording
from retick.cli.play.terminal_games import terminal_game_for
from retick.cli.trace.tracer import Tracer, check_trace, traced
from retick.errors import UsageError
from retick.playing.controllers import Controller, StyleName
from retick.playing.followed_match import FollowedMatch
from retick.playing.link_form import LinkForm
from retick.playing.match_driver import MatchDriver
from retick.replay import LiveRecording
from retick.rollback.lan import LanSession
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.routes import Online
from retick.transport import Poll, UdpSocket
from retick.transport.discovery import game_name
from retick.transport.udp import SocketAddress

__all__ = [
    "DEFAULT_PORT", "BotOption", "DelayOption", "LanOption", "MatchSetup", "PlayersOption", "RateOption",
    "RecordOption", "SeatsOption", "StyleOption",
]  # fmt: skip

DEFAULT_PORT = 7777

PlayersOption = Annotated[
    int, typer.Option(help="Players of the match, the same for all peers: 2 play the fighter, 3 to 8 play scramble.")
]
BotOption = Annotated[bool, typer.Option("--bot", help="Let a bot play here.")]
StyleOption = Annotated[StyleName, typer.Option(help="How the bot plays, in a match of two.")]
DelayOption = Annotated[int, typer.Option(help="Frames of input delay; each makes rollbacks one frame shorter.")]
SeatsOption = Annotated[int, typer.Option(help="Players of this peer; all but the first are bots.")]
RateOption = Annotated[int, typer.Option(help="Frames a second, the same for all peers.")]
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
        """Open as soon as there is a driver, if a capture was asked for."""
        self.tracer: Tracer | None = None
        """Open as soon as there is a driver, if notes for a trace were asked for."""
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
        """This peer's driver: it joins the host at ``host_address`` or by the code of ``online``, or else hosts."""
        session: RollbackSession | LanSession
        recording = None if self._record is None else LiveRecording(self._record)
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
        """The first seat is the person's; bots have the others."""
        if self.bot or self._seated:
            return self.shown_game.bot(seed, player, self.style)
        self._seated = True
        return self.keys
