"""``retick watch``: watches a match as a spectator."""

import contextlib
import os
import select
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.live import Live

from retick.cli.exit_codes import NO
from retick.cli.play import options
from retick.cli.play.files import check_recording
from retick.cli.play.join import no_answer
from retick.cli.play.terminal_games import TerminalGame, terminal_game_for
from retick.cli.terminal import Screen, count, say
from retick.errors import RetickError, UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.playing.confirmed_match import ConfirmedMatch
from retick.playing.link_form import LinkForm, why_refused
from retick.playing.online import OnlineStatus
from retick.playing.way_in import OnlineWay
from retick.replay import LiveRecording
from retick.replay.replay import TICK_RATE
from retick.rollback import MatchConfig, MatchEnded, MatchEvent, SourceChanged, SpectatorSession, WatchingStarted
from retick.routes import OnlineEvent
from retick.transport import Poll, open_towards

GOODBYE_SECONDS = 0.5


def watch(
    address: Annotated[
        str,
        typer.Argument(
            metavar="INVITE|CODE|ADDRESS",
            help="The match's invite, retick:...; for an open match its code XXXX-XXXX, or the address of any peer: "
            "name, name:port or [IPv6]:port.",
            show_default=False,
        ),
    ],
    online: options.OnlineOption = False,
    relay: options.RelayOption = None,
    relay_only: options.RelayOnlyOption = False,
    players: options.PlayersOption = 2,
    delay: Annotated[
        int, typer.Option(help="Frames to stay behind the match; more hides longer gaps in the network.")
    ] = 30,
    rate: options.RateOption = TICKS_PER_SECOND,
    record: options.RecordOption = None,
    plain: options.PlainOption = False,
    identity: options.IdentityOption = None,
    keylog: options.KeylogOption = None,
) -> None:
    """Watch a running match, from its current frame on, a little late.

    Exit code 0: the match ended. 1: there was no match to watch, or the recording could not be written. 2: misuse.

    Example: retick watch retick:192.168.1.20:7777#000g40r40m30e209185gr38e1ysyvx --record match.rtk
    """
    if not 0 <= delay <= 600:
        raise UsageError(f"--delay must be 0 to 600 frames, not {delay}")
    way = options.typed_way(address, online=online, relay=relay)
    assert way is not None, "it was typed"
    links = options.LinkOptions(plain=plain, identity=identity, keylog=keylog)
    meeting = options.OnlineOptions(online=online, relay=relay, relay_only=relay_only, map_port=False, unsealed=plain)
    meeting.check_way(way)
    check_recording(record, live=True)
    shown_game = terminal_game_for(players)
    form = links.form(way.invite)
    with contextlib.ExitStack() as stack:
        told, source = None, None
        if isinstance(way, OnlineWay):
            socket, told = stack.enter_context(meeting.opened(0, way))
            where, why_not = f"the relay {told.relay_name}", options.HOST_GONE
        else:
            socket, source = open_towards(way.target, 0)
            where, why_not = f"{way.target[0]} port {way.target[1]}", no_answer(way.target)
        recording = None if record is None else LiveRecording(record, metadata={TICK_RATE: str(rate)})
        session = SpectatorSession(
            shown_game.game,
            source,
            entropy=os.urandom,
            config=MatchConfig(tick_rate=rate),
            delay=delay,
            record=recording,
            online=told,
            **form.arguments(),
        )
        console = Screen()
        console.tell(f"watching through {where}")
        watcher = _Watcher(console, shown_game, session, Poll(session, socket), recording, why_not, form)
        watcher.online = OnlineStatus(told)
        watcher.run()


class _Watcher:
    """The loop of a spectator."""

    def __init__(
        self,
        console: Screen,
        shown_game: TerminalGame,
        session: SpectatorSession,
        wire: Poll,
        recording: LiveRecording | None,
        no_answer: str,
        form: LinkForm,
    ) -> None:
        self.console = console
        self.shown_game = shown_game
        self.session = session
        self.wire = wire
        self.confirmed: ConfirmedMatch | None = None
        self.recording = recording
        self._no_answer = no_answer
        self._form = form
        self.online = OnlineStatus()
        self._why = ""
        self._drawn: Any = None
        self._told = 0
        self._warning = ""
        self._proved: str | None = None
        """Fingerprint of the peer that feeds us; None until it is proved."""

    def run(self) -> None:
        """Watch until the end or Ctrl-C and print the outcome; RetickError if there was no match."""
        try:
            if self.console.is_terminal and not self.console.is_dumb_terminal:
                with Live(console=self.console, screen=True, auto_refresh=False) as live:
                    self._watch(live)
            else:
                self._watch(None)
        finally:
            self._leave()
            if self.confirmed is not None:
                self._conclude(self.confirmed)
        if self.confirmed is None:
            refused = why_refused(self.session.ended_by, self._why, self._form)
            raise RetickError(self._no_answer if self._why == "no answer" else refused or self._why)
        if self.recording is not None and self.recording.failure:
            raise typer.Exit(NO)  # ``_conclude`` has given the reason

    def _conclude(self, confirmed: ConfirmedMatch) -> None:
        if self.recording is not None:
            self.console.tell(self.recording.summary())
        self.console.tell(self.shown_game.outcome(confirmed, self._names()))
        self.console.tell(f"0x{confirmed.checksum:08X} at frame {confirmed.frame}")

    def _watch(self, live: Live | None) -> None:
        session = self.session
        while not (session.ended and not session.waiting) and not (self.confirmed is not None and self.confirmed.over):
            now = self.wire.clock()
            for event in self.wire.poll(now):
                self._handle(event)
            for line in self.online.lines():
                if live is None:
                    say(line)
            self._tell_of_source(live)
            shown = False
            while session.due(now=now):
                session.advance(now=now)
                shown = True
            if shown:
                self._show(live)
            select.select([self.wire.socket], [], [], 1 / (2 * session.config.tick_rate))

    def _handle(self, event: MatchEvent | OnlineEvent) -> None:
        if isinstance(event, OnlineEvent):
            self.online.event(event)
        elif isinstance(event, WatchingStarted):
            self.confirmed = self.shown_game.confirmed(event.seed, self.session.state, event.frame)
        elif isinstance(event, MatchEnded):
            self._why = event.reason
        elif isinstance(event, SourceChanged):
            # Show everything that has arrived at once, since no more may come.
            self.session.delay = 0

    def _tell_of_source(self, live: Live | None) -> None:
        """Print the fingerprint of the peer that feeds us; under a picture, it is shown all the time."""
        proved = self.session.source_fingerprint
        if proved is not None and proved != self._proved:
            self._proved = proved
            if live is None:
                say(f"connected, {self._source()}")

    def _source(self) -> str:
        return f"the source's fingerprint is {self._proved}"

    def _show(self, live: Live | None) -> None:
        """Add the new frames, and draw the newest."""
        confirmed = self.confirmed
        assert confirmed is not None
        for row in self.session.drain_final_inputs():
            if confirmed.over:
                break
            confirmed.add([row])
        if self.session.recording is not None:
            self.session.recording.last = confirmed.last
        self._tell_of_recording(live)
        rate = self.session.config.tick_rate
        if live is None:
            if confirmed.frame // rate > self._told // rate:
                self._told = confirmed.frame
                say(f"{confirmed.frame // rate:4} s  frame {confirmed.frame:5}  0x{confirmed.checksum:08X}")
        elif confirmed.frame - self._told >= max(rate // 30, 1):
            self._told = confirmed.frame
            live.update(self._picture(confirmed), refresh=True)
            self._drawn = confirmed.state

    def _tell_of_recording(self, live: Live | None) -> None:
        if self.recording is not None and self.recording.failure and not self._warning:
            self._warning = f"the recording has ended: {self.recording.failure}"
            if live is None:
                say(self._warning)

    def _picture(self, confirmed: ConfirmedMatch) -> RenderableType:
        way = f"{self.online.way}, " if self.online.way else ""
        proved = "" if self._proved is None else f"{self._source()}   "
        footer = self._warning or f"{proved}{way}{count(self.session.waiting, 'frame')} behind, Ctrl-C ends"
        return self.shown_game.picture(
            confirmed.state, self._drawn, names=self._names(), confirmed=confirmed, title="watching", footer=footer
        )

    def _names(self) -> list[str]:
        names = [f"player {player + 1}" for player in range(self.shown_game.game.num_players)]
        for peer in self.session.roster:
            for player in peer.players if peer.name else ():
                names[player] = peer.name
        return names

    def _leave(self) -> None:
        self.wire.leave(longest=GOODBYE_SECONDS)
