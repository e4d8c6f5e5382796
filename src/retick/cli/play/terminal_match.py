"""A match of this terminal against other peers: the loop of keys, frames and pictures, and its end."""

import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any

from rich.console import RenderableType
from rich.live import Live

from retick.cli.draw.network_view import NetworkView
from retick.cli.exit_codes import NO, complain
from retick.cli.play.keys import TerminalKeys
from retick.cli.play.options import MatchSetup
from retick.cli.terminal import Screen, say
from retick.errors import RetickError
from retick.link import Reason
from retick.playing.key_files import KeyLogFile
from retick.playing.link_form import LinkForm, why_refused
from retick.playing.match_driver import MatchDriver
from retick.playing.network_report import log_line
from retick.rollback.lan import LanSession

DEPTHS_KEPT = 400


class TerminalMatch:
    """Plays one match to its end, for ``retick host`` and ``retick join``."""

    def __init__(
        self,
        console: Screen,
        setup: MatchSetup,
        driver: MatchDriver,
        form: LinkForm,
        *,
        keylog: KeyLogFile | None = None,
        no_answer: str = "",
        more_words: str = "",
    ) -> None:
        """``no_answer`` is the error for a host that never answers; ``more_words`` follow the line of an invite."""
        self.console = console
        self._form, self._keylog = form, keylog
        self._words_told: dict[tuple[int, ...], str] = {}
        if setup.capture is not None and keylog is not None:
            setup.capture.keylog = keylog.path
        self.setup = setup
        self.driver = driver
        self.on_start: Callable[[], object] = lambda: None
        """Called when the match starts."""
        self._no_answer, self._more_words = no_answer, more_words
        self._live: Live | None = None
        self._depths: deque[int] = deque(maxlen=DEPTHS_KEPT)
        self._drawn: Any = None
        self._drawn_at = 0
        self._second = 0
        self._quit = False
        self._warning = ""

    def run(self) -> int:
        """Play until the end, or until the player quits; return the exit code. RetickError if the match broke off."""
        try:
            with contextlib.ExitStack() as stack:
                keys = None if self.setup.bot else stack.enter_context(TerminalKeys())
                while not self.driver.over and not self._quit:
                    self._turn(stack, keys)
        except BaseException:
            # Ctrl-C, or an error here: say goodbye, so that the others need not wait for their timeout.
            self._leave()
            raise
        if self._quit:
            self._leave()
            self.console.tell("you left the match")
            return self._is_unwritten()
        return self._conclude() or self._is_unwritten()

    def _turn(self, stack: contextlib.ExitStack, keys: TerminalKeys | None) -> None:
        for key in keys.pressed() if keys is not None else ():
            self._quit = self._quit or key in ("q", "Q")
            self.setup.keys.press(key, self.driver.wire.clock())
        ran = self.driver.turn()
        while self.driver.arrivals:  # before a picture hides the lines
            self.console.tell(self.driver.arrivals.popleft())
        if ran:
            if not self._depths:
                self.on_start()
            self._depths.append(self.driver.depth)
            self._show(stack)
        elif self.driver.notice and self._live is not None:
            self._draw(self._live)
        self._tell_of_paths()
        self._tell_words()
        self._tell_of_recording()
        self.driver.wait()

    def _tell_of_paths(self) -> None:
        """Print new lines about relay and paths; under a picture, the path is shown all the time."""
        for line in self.driver.online.lines():
            if self._live is None:
                self.console.tell(line + (self._more_words if "retick join" in line else ""))

    def _tell_words(self) -> None:
        """Print new words to compare; under a picture, they are shown all the time."""
        told, self._words_told = self._words_told, self.driver.words
        for players, words in self.driver.words.items() - told.items():
            who = " and ".join(str(player + 1) for player in players)
            self.console.tell(f"compare aloud with player {who}, who must see the same words: {words}")

    def _tell_of_recording(self) -> None:
        """Print a line if the recording has ended early; under a picture, it is shown all the time."""
        lost = self.driver.lost_recording()
        if lost and self._live is None:
            say(lost)
        self._warning = self._warning or lost

    def _show(self, stack: contextlib.ExitStack) -> None:
        frame = self.driver.session.frame if self.driver.confirmed is not None else 0
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            if frame // self.setup.config.tick_rate > self._second:
                self._second = frame // self.setup.config.tick_rate
                say(self._line())
            return
        if self._live is None:
            self._live = stack.enter_context(Live(console=self.console, screen=True, auto_refresh=False))
        if frame - self._drawn_at >= max(self.setup.config.tick_rate // 30, 1):
            self._drawn_at = frame
            self._draw(self._live)

    def _draw(self, live: Live) -> None:
        state, driver = self.driver.session.state, self.driver

        def picture(title: str, footer: str) -> RenderableType:
            return self.setup.shown_game.picture(
                state, self._drawn, names=self._names(), confirmed=driver.confirmed, title=title, footer=footer
            )

        view = NetworkView(
            report=driver.report(),
            title=f"you are {' and '.join(str(player + 1) for player in driver.players)}",
            picture=picture,
            depths=list(self._depths),
            help_line=self._warning or self._help(),
        )
        live.update(view, refresh=True)
        self._drawn = state

    def _help(self) -> str:
        keys = "a bot plays, Ctrl-C ends" if self.setup.bot else self.setup.shown_game.keys_help
        words = [
            f"words with {' and '.join(str(each + 1) for each in at)}: {words}"
            for at, words in self.driver.words.items()
        ]
        return "   ".join([*filter(None, [self.driver.online.way]), *words, keys])

    def _names(self) -> list[str]:
        here = "bot" if self.setup.bot else "you"
        names = [f"player {player + 1}" for player in range(self.setup.game.num_players)]
        for player in self.driver.players:
            names[player] = here
            here = "bot"
        return names

    def _line(self) -> str:
        report = self.driver.report()
        return log_line(self._second, [report]) + (f"  {report.way}" if report.way else "")

    def _leave(self) -> None:
        """Leave before the end; a second Ctrl-C shortens the goodbye."""
        with contextlib.suppress(KeyboardInterrupt):
            self.driver.leave(linger=0.5)
        self._save()

    def _save(self) -> None:
        self.driver.save_recording()
        if self.driver.recording is not None and self.driver.confirmed is not None:
            self.console.tell(self.driver.recording.summary())
        for file in (self.setup.capture, self.setup.tracer):
            if file is not None:
                file.close()
                self.console.tell(file.summary())
        if self._keylog is not None:
            self._keylog.close()
            if self._keylog.failure:
                self.console.tell(self._keylog.summary())

    def _is_unwritten(self) -> int:
        """The exit code for incomplete files; ``_save`` has said what is wrong with them."""
        files = (self.driver.recording, self.setup.capture, self.setup.tracer, self._keylog)
        return NO if any(file is not None and file.failure for file in files) else 0

    def _conclude(self) -> int:
        driver = self.driver
        lan, way = isinstance(driver.session, LanSession), driver.last_way
        with contextlib.suppress(KeyboardInterrupt):
            driver.leave()
        self._save()
        if driver.desync_report:
            complain(*driver.desync_report.split("\n"))
            return NO
        if driver.confirmed is None or driver.result is None:
            raise RetickError(self._failure())
        self.console.tell(self.setup.shown_game.outcome(driver.confirmed, self._names()))
        ours = f"0x{driver.result.checksum:08X} at frame {driver.result.frame}"
        if lan:
            self.console.tell(f"{ours}; the original protocol does not compare the end")
            return 0
        if driver.agreed:
            peers = (
                "both peers" if len(driver.received_results) == 1 else f"all {len(driver.received_results) + 1} peers"
            )
            self.console.tell(f"{ours} on {peers}{f', {way}' if way else ''}")
            return 0
        theirs = ", ".join(f"0x{each.checksum:08X} at frame {each.frame}" for each in driver.received_results.values())
        self.console.tell(f"{ours} here, {theirs or 'nothing'} there: NOT THE SAME", style="bold red")
        return NO

    def _failure(self) -> str:
        if self.driver.desync is not None:
            return self.driver.why
        if self.driver.online.ended:
            return self.driver.online.ended
        if self.driver.reason == Reason.NO_ANSWER and self._no_answer:
            return self._no_answer
        if self.driver.reason == Reason.GOODBYE:
            return "the other peer left the match" + (f": {self.driver.why}" if self.driver.why != "goodbye" else "")
        if self.driver.reason == Reason.TIMEOUT:
            return f"the other peer is gone: {self.driver.why}"
        if refused := why_refused(self.driver.reason, self.driver.why, self._form):
            return refused
        if self.driver.confirmed is None:
            hint = ": give --players as the host does" if self.driver.reason == Reason.GAME else ""
            return f"the host refused: {self.driver.why}{hint}"
        return self.driver.why
