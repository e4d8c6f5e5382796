"""A match of this terminal against other machines: what ``retick host`` and ``retick join`` have in common."""

import contextlib
import os
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.live import Live

from retick.cli.draw.netview import SideView, report_of
from retick.cli.play.brains import Brain, StyleName
from retick.cli.play.capturing import CaptureFile, captured, check_capture
from retick.cli.play.contests import contest_for
from retick.cli.play.keys import Keys
from retick.cli.play.recording import MatchRecording, check_recording
from retick.cli.play.side import Side
from retick.errors import RetickError, UsageError
from retick.link import Reason
from retick.rollback.lan import LanSession
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.session.session import RollbackSession
from retick.transport import Poll, UdpSocket

__all__ = [
    "DEFAULT_PORT", "INTERRUPTED", "BotOption", "DelayOption", "LanOption", "OnlineMatch", "PlayersOption",
    "RateOption", "RecordOption", "SeatsOption", "Setup", "StyleOption",
]  # fmt: skip

DEFAULT_PORT = 7777
INTERRUPTED = 130
DEPTHS_KEPT = 400

PlayersOption = Annotated[
    int, typer.Option(help="Players of the match, the same on all sides: 2 fight, 3 to 8 scramble for coins.")
]
BotOption = Annotated[bool, typer.Option("--bot", help="Let a bot play here.")]
StyleOption = Annotated[StyleName, typer.Option(help="How the bot fights, in a match of two.")]
DelayOption = Annotated[int, typer.Option(help="Frames of input delay: each one less to roll back.")]
SeatsOption = Annotated[int, typer.Option(help="Players at this machine; all but the first are bots.")]
RateOption = Annotated[int, typer.Option(help="Frames a second; both sides must say the same.")]
RecordOption = Annotated[
    Path | None, typer.Option(help="Write the replay to this file, .rtk, while it is played.", show_default=False)
]
LanOption = Annotated[bool, typer.Option("--lan-compat", help="Speak the bare protocol of the original LAN demo.")]


class Setup:
    """The options of either command, checked, and what is made of them."""

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
        lan_compat: bool,
    ) -> None:
        if not 0 <= delay <= 30:
            raise UsageError(f"--delay is 0 to 30 frames, not {delay}")
        if not 1 <= rate <= 1000:
            raise UsageError(f"--rate is 1 to 1000 frames a second, not {rate}")
        self.contest = contest_for(players)
        self.game = self.contest.game
        if not 1 <= seats < players:
            raise UsageError(f"--seats must leave one for others: 1 to {players - 1} of {players}, not {seats}")
        if lan_compat and players != 2:
            raise UsageError("the original LAN demo is for 2 players")
        check_recording(record, live=True)
        check_capture(capture, record)
        if not bot and not sys.stdin.isatty():
            raise UsageError("there is no keyboard: standard input is not a terminal. Add --bot to let a bot play")
        self.bot, self.style, self.seats, self.lan_compat = bot, style, seats, lan_compat
        self.config = MatchConfig(tick_rate=rate, input_delay=delay)
        self.keys = self.contest.keys()
        self.capture: CaptureFile | None = None
        """Open from the moment there is a side, when one was asked for."""
        self._record, self._capture = record, capture
        self._seated = False

    @property
    def game_name(self) -> str:
        return f"{self.game.game_id} {self.game.game_version}"

    def side(self, socket: UdpSocket, host_address: Any = None) -> Side:
        """This machine's side, host or joiner."""
        session: RollbackSession | LanSession
        if self.lan_compat:
            session = LanSession(self.game, host_address=host_address, config=self.config)
        else:
            session = RollbackSession(
                self.game, entropy=os.urandom, config=self.config, seats=self.seats, host_address=host_address
            )
        if self._capture is not None:
            self.capture = CaptureFile(self._capture)
        return Side(
            session,
            Poll(captured(session, self.capture), socket),
            brain=self._brain,
            referee=self.contest.referee,
            record=self._recording(),
        )

    def _brain(self, seed: int, player: int) -> Brain:
        """The first seat here is the person's; bots have the others."""
        if self.bot or self._seated:
            return self.contest.bot(seed, player, self.style)
        self._seated = True
        return self.keys

    def _recording(self) -> Callable[[Match], MatchRecording] | None:
        path = self._record
        if path is None:
            return None
        return lambda match: MatchRecording(
            path,
            self.game,
            seed=match.seed,
            local_players=match.engine.local_players,
            start_frame=match.engine.start_frame,
            start_state=match.engine.state_at(match.engine.start_frame),
        )


class OnlineMatch:
    """The loop of one terminal: keys, turns, pictures, and the last word."""

    def __init__(self, console: Console, setup: Setup, side: Side, *, no_answer: str = "") -> None:
        """``no_answer`` is what to say when the host never answered."""
        self.console = console
        self.setup = setup
        self.side = side
        self.on_start: Callable[[], object] = lambda: None
        """Called when the match starts."""
        self._no_answer = no_answer
        self._live: Live | None = None
        self._depths: deque[int] = deque(maxlen=DEPTHS_KEPT)
        self._drawn: Any = None
        self._drawn_at = 0
        self._second = 0
        self._quit = False

    def run(self) -> int:
        """Play to the end, or until somebody leaves; the exit code. RetickError when it could not be played out."""
        try:
            with contextlib.ExitStack() as stack:
                keys = None if self.setup.bot else stack.enter_context(Keys())
                while not self.side.over and not self._quit:
                    self._turn(stack, keys)
        except KeyboardInterrupt:
            return self._leave(INTERRUPTED, "interrupted")
        if self._quit:
            return self._leave(0, "you left the match")
        return self._conclude()

    def _turn(self, stack: contextlib.ExitStack, keys: Keys | None) -> None:
        for key in keys.pressed() if keys is not None else ():
            self._quit = self._quit or key in ("q", "Q")
            self.setup.keys.press(key, self.side.wire.clock())
        if self.side.turn():
            if not self._depths:
                self.on_start()
            self._depths.append(self.side.depth)
            self._show(stack)
        elif self.side.notice and self._live is not None:
            self._draw(self._live)
        self.side.wait()

    def _show(self, stack: contextlib.ExitStack) -> None:
        match = self.side.session.match
        frame = match.engine.frame if match is not None else 0
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            if frame // self.setup.config.tick_rate > self._second:
                self._second = frame // self.setup.config.tick_rate
                print(self._line(), flush=True)
            return
        if self._live is None:
            self._live = stack.enter_context(Live(console=self.console, screen=True, auto_refresh=False))
        if frame - self._drawn_at >= max(self.setup.config.tick_rate // 30, 1):
            self._drawn_at = frame
            self._draw(self._live)

    def _draw(self, live: Live) -> None:
        state, side = self.side.session.state, self.side

        def picture(title: str, footer: str) -> RenderableType:
            return self.setup.contest.picture(
                state, self._drawn, names=self._names(), referee=side.referee, title=title, footer=footer
            )

        view = SideView(
            report=report_of(side, side.wire.clock()),
            title=f"you are {' and '.join(str(player + 1) for player in side.players)}",
            picture=picture,
            depths=list(self._depths),
            help_line="a bot plays, Ctrl-C ends" if self.setup.bot else self.setup.contest.keys_help,
        )
        live.update(view, refresh=True)
        self._drawn = state

    def _names(self) -> list[str]:
        here = "bot" if self.setup.bot else "you"
        names = [f"player {player + 1}" for player in range(self.setup.game.num_players)]
        for player in self.side.players:
            names[player] = here
            here = "bot"
        return names

    def _line(self) -> str:
        report = report_of(self.side, self.side.wire.clock())
        rtt = "?" if report.rtt is None else f"{report.rtt * 1e3:.0f}"
        return (
            f"{self._second:4} s  frame {report.frame:5}  confirmed {report.confirmed:5}  "
            f"rollbacks {report.rollbacks:4}  deepest {report.deepest:2}  stalls {report.stalls:2}  "
            f"rtt {rtt:>3} ms  lost {report.loss_in:4.0%}"
        )

    def _leave(self, code: int, why: str) -> int:
        with contextlib.suppress(KeyboardInterrupt):
            self.side.leave(linger=0.5)
        self._save()
        self.console.print(why, soft_wrap=True)
        return code

    def _save(self) -> None:
        self.side.save_recording()
        if self.side.recording is not None:
            self.console.print(f"recorded in {self.side.recording.path}", soft_wrap=True, markup=False)
        if self.setup.capture is not None:
            self.setup.capture.close()
            self.console.print(self.setup.capture.last_word(), soft_wrap=True, markup=False)

    def _conclude(self) -> int:
        side = self.side
        lan = isinstance(side.session, LanSession)
        with contextlib.suppress(KeyboardInterrupt):
            side.leave()
        self._save()
        if side.referee is None or side.result is None:
            raise RetickError(self._why())
        self.console.print(self.setup.contest.outcome(side.referee, self._names()), soft_wrap=True)
        ours = f"0x{side.result.checksum:08X} at frame {side.result.frame}"
        if lan:
            self.console.print(f"{ours}; the original protocol does not compare the end", soft_wrap=True)
            return 0
        if side.agreed:
            sides = "both sides" if len(side.heard) == 1 else f"all {len(side.heard) + 1} machines"
            self.console.print(f"{ours} on {sides}", soft_wrap=True)
            return 0
        theirs = ", ".join(f"0x{each.checksum:08X} at frame {each.frame}" for each in side.heard.values()) or "nothing"
        self.console.print(f"{ours} here, {theirs} there: NOT THE SAME", style="bold red", soft_wrap=True)
        return 1

    def _why(self) -> str:
        if self.side.report or self.side.desync is not None:
            return self.side.report or self.side.why
        if self.side.reason == Reason.NO_ANSWER and self._no_answer:
            return self._no_answer
        if self.side.reason == Reason.GOODBYE:
            return "the other side left the match" + (f": {self.side.why}" if self.side.why != "goodbye" else "")
        if self.side.reason == Reason.TIMEOUT:
            return f"the other side is gone: {self.side.why}"
        if self.side.referee is None:
            return f"the host refused: {self.side.why}"
        return self.side.why
