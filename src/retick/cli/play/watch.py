"""``retick watch``: look on while others play."""

import os
import select
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.live import Live

from retick.cli.play.contests import Contest, contest_for
from retick.cli.play.join import no_answer, open_towards
from retick.cli.play.online import DEFAULT_PORT, INTERRUPTED, PlayersOption, RateOption, RecordOption
from retick.cli.play.recording import MatchRecording, check_recording
from retick.cli.play.referee import Referee
from retick.errors import RetickError, UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.rollback import MatchConfig, MatchEnded, MatchEvent, SourceChanged, SpectatorSession, WatchingStarted
from retick.transport import Poll, parse_address

__all__ = ["watch"]

GOODBYE_SECONDS = 0.5


def watch(
    address: Annotated[
        str, typer.Argument(help="Any machine of the match: name, name:port or [IPv6]:port.", show_default=False)
    ],
    players: PlayersOption = 2,
    delay: Annotated[int, typer.Option(help="Frames to stay behind, so that a hiccup is not seen.")] = 30,
    rate: RateOption = TICKS_PER_SECOND,
    record: RecordOption = None,
) -> None:
    """Watch a match that runs, from wherever it is now, a little late.

    Example: retick watch 192.168.1.20:7777 --record match.rtk
    """
    if not 0 <= delay <= 600:
        raise UsageError(f"--delay is 0 to 600 frames, not {delay}")
    target = parse_address(address, default_port=DEFAULT_PORT)
    check_recording(record, live=True)
    contest = contest_for(players)
    socket, resolved = open_towards(target, 0)
    session = SpectatorSession(
        contest.game, resolved, entropy=os.urandom, config=MatchConfig(tick_rate=rate), delay=delay
    )
    console = Console(highlight=False)
    console.print(f"watching through {target[0]} port {target[1]}", soft_wrap=True)
    raise typer.Exit(_Watcher(console, contest, session, Poll(session, socket), record, no_answer(target)).run())


class _Watcher:
    """The loop of one who looks on."""

    def __init__(
        self,
        console: Console,
        contest: Contest,
        session: SpectatorSession,
        wire: Poll,
        record: Path | None,
        nobody: str,
    ) -> None:
        self.console = console
        self.contest = contest
        self.session = session
        self.wire = wire
        self.referee: Referee | None = None
        self.recording: MatchRecording | None = None
        self._record = record
        self._nobody = nobody
        self._why = ""
        self._drawn: Any = None
        self._told = 0

    def run(self) -> int:
        code = 0
        try:
            if self.console.is_terminal and not self.console.is_dumb_terminal:
                with Live(console=self.console, screen=True, auto_refresh=False) as live:
                    self._watch(live)
            else:
                self._watch(None)
        except KeyboardInterrupt:
            code = INTERRUPTED
        self._leave()
        if self.referee is None:
            raise RetickError(self._nobody if self._why == "no answer" else self._why)
        self._finish_recording(self.referee)
        self.console.print(self.contest.outcome(self.referee, self._names()), soft_wrap=True)
        self.console.print(f"0x{self.referee.checksum:08X} at frame {self.referee.frame}", soft_wrap=True)
        return code

    def _watch(self, live: Live | None) -> None:
        session = self.session
        while not (session.ended and not session.waiting) and not (self.referee is not None and self.referee.over):
            now = self.wire.clock()
            for event in self.wire.poll(now):
                self._note(event)
            shown = False
            while session.due(now=now):
                session.advance(now=now)
                shown = True
            if shown:
                self._see(live)
            select.select([self.wire.socket], [], [], 1 / (2 * session.config.tick_rate))

    def _note(self, event: MatchEvent) -> None:
        if isinstance(event, WatchingStarted):
            if self.referee is not None:
                # Frames are missing, or another match begins: a recording is of one match, without a gap.
                self._finish_recording(self.referee)
                self._record = None
            self.referee = self.contest.referee(event.seed, self.session.state, event.frame)
            if self._record is not None:
                self.recording = MatchRecording(
                    self._record,
                    self.contest.game,
                    seed=event.seed,
                    local_players=(),
                    start_frame=event.frame,
                    start_state=self.session.state,
                )
        elif isinstance(event, MatchEnded):
            self._why = event.reason
        elif isinstance(event, SourceChanged):
            # Meanwhile what is known is shown: it may be all that there is.
            self.session.delay = 0

    def _finish_recording(self, referee: Referee) -> None:
        recording, self.recording = self.recording, None
        if recording is not None:
            recording.finish(referee.checksum)
            self.console.print(f"recorded in {recording.path}", soft_wrap=True)

    def _see(self, live: Live | None) -> None:
        """Take in what was shown, and draw it."""
        referee = self.referee
        assert referee is not None
        for row in self.session.drain_final_inputs():
            if referee.over:
                break
            referee.watch([row])
            if self.recording is not None:
                self.recording.add(row, referee.frame, referee.checksum)
        rate = self.session.config.tick_rate
        if live is None:
            if referee.frame // rate > self._told // rate:
                self._told = referee.frame
                print(f"{referee.frame // rate:4} s  frame {referee.frame:5}  0x{referee.checksum:08X}", flush=True)
        elif referee.frame - self._told >= max(rate // 30, 1):
            self._told = referee.frame
            live.update(self._picture(referee), refresh=True)
            self._drawn = referee.state

    def _picture(self, referee: Referee) -> RenderableType:
        footer = f"{self.session.waiting} frames behind, Ctrl-C ends"
        return self.contest.picture(
            referee.state, self._drawn, names=self._names(), referee=referee, title="watching", footer=footer
        )

    def _names(self) -> list[str]:
        return [f"player {player + 1}" for player in range(self.contest.game.num_players)]

    def _leave(self) -> None:
        self.session.close()
        deadline = self.wire.clock() + GOODBYE_SECONDS
        while self.session.next_timeout() is not None and self.wire.clock() < deadline:
            self.wire.poll()
            select.select([self.wire.socket], [], [], 0.01)
        self.wire.close()
