"""A match, from the waiting room to a rematch or the end."""

from collections.abc import Callable, Sequence
from itertools import takewhile

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import RetickError
from retick.integrations.pygame.keys import Keys
from retick.integrations.pygame.names import names_of
from retick.integrations.pygame.netgraph import NetGraph
from retick.integrations.pygame.pages import Go, Page
from retick.integrations.pygame.panel import ACCENT, BACKGROUND, Choice, Panel, darken, write
from retick.integrations.pygame.recording import MatchFile, save_desync
from retick.integrations.pygame.sounds import Sounds
from retick.integrations.pygame.window_game import Drawable, WindowGame
from retick.integrations.pygame.wire import Wire
from retick.link import Reason
from retick.rollback import (
    DesyncDetected,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    PlayersDropped,
    PlayersReturned,
    RematchProposed,
    Resumed,
    RollbackSession,
    Stalled,
)
from retick.rollback.session.inside import inside_of

__all__ = ["MatchPage"]

STALL_SHOWN_AFTER = 0.25
"""Seconds that a match waits before the window says so."""
NOTICE_SECONDS = 4.0
RESULT_FRAMES = 45
"""Frames that a result must last before it is shown: what is drawn may be predicted, and wrong."""
MOST_REPORT_LINES = 8


class MatchPage(Page):
    """The page of one session: a waiting room until the match starts, then the match, with panels over it."""

    def __init__(
        self,
        game: WindowGame,
        session: RollbackSession,
        wire: Wire,
        *,
        back: Go,
        again: Choice | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        """``lines`` stand in the waiting room. ``again`` is offered when the match has ended."""
        super().__init__()
        self.session, self.keys, self.graph = session, Keys(), NetGraph()
        self.panel: Panel | None = None
        """What is shown over the match, if anything."""
        self.notice = ""
        self._game, self._wire, self._back, self._again = game, wire, back, again
        self._drawable = Drawable(game, session.sim)
        self._room = Panel(game.title)
        self._room_lines = list(lines)
        self._connected: set[int] = set()
        self._file: MatchFile | None = None
        self._sounds: Sounds | None = None
        self._desync: DesyncDetected | None = None
        self._diverged = self._ended = False
        self._stall: tuple[float, str] | None = None
        self._interrupted = ""
        self._now = self._notice_until = 0.0
        self._decided = 0
        self._goodbye = ""

    # What the window calls.

    def handle(self, event: Event) -> None:
        self.keys.handle(event)
        escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
        if event.type == pygame.KEYDOWN and event.key == pygame.K_F3:
            self.graph.shown = not self.graph.shown
        elif inside_of(self.session).match is None and self.panel is None:
            self.go = self._back if escape else None
        elif self.panel is None:
            if escape:
                self._open(
                    Panel("Leave the match?", [Choice("Play on", self._close), *self._rematch(), *self._leave()])
                )
        elif escape and not self._ended and not self._diverged:
            self._close()
        elif escape:
            self.go = self._back
        elif (chosen := self.panel.handle(event)) is not None:
            chosen.action()

    def turn(self, now: float) -> None:
        self._now = now
        for event in self._wire.poll(now):
            self._happened(event)
        ran = False
        while not self._diverged and self.session.due(now=now):
            self._advance(now)
            ran = True
        if ran:
            self._wire.flush(now)
            if self._file is not None:
                self._file.add()
            self._look_for_result()

    def draw(self, screen: Surface) -> None:
        if inside_of(self.session).match is None:
            self._draw_room(screen)
        else:
            world = self._drawable(self.session.state)
            screen.set_clip(None)
            self._game.draw(screen, world, self.session.local_players)
            if self.graph.shown:
                self.graph.draw(screen, self.session.stats(now=self._now))
        if self.panel is not None:
            self.panel.draw_over(screen)
        self._draw_notice(screen)

    def leave(self) -> None:
        """Finish the recording and say goodbye, on every way out."""
        try:
            if self._file is not None:
                self._file.finish()
        finally:
            self._wire.leave()

    # The match.

    def _advance(self, now: float) -> None:
        # A panel takes the keys: this player stands still meanwhile, and the others play on.
        people = () if self.panel is not None else self._game.press
        seats = self.session.local_players
        pressed = tuple(people[at](self.keys) if at < len(people) else 0 for at in range(len(seats)))
        self.session.advance(pressed if len(seats) > 1 else pressed[0], now=now)
        self.keys.frame_read()
        if self._sounds is not None:
            self._sounds.update()
        if self.graph.shown:
            self.graph.note(self.session.stats(now=now))

    def _look_for_result(self) -> None:
        if self._game.result is None or self.panel is not None or self._ended:
            return
        said = self._game.result(self._drawable(self.session.state))
        self._decided = self._decided + 1 if said else 0
        if said and self._decided == RESULT_FRAMES:
            self._open(Panel(said, [*self._rematch(), *self._leave()]))

    def _happened(self, event: MatchEvent) -> None:
        if isinstance(event, MatchStarted):
            self._begin()
        elif isinstance(event, PeerConnected):
            self._connected |= set(event.players)
        elif isinstance(event, PeerDisconnected):
            self._connected -= set(event.players)
            self._goodbye = self._why_gone(event)
        elif isinstance(event, Stalled):
            self._stall = (self._now, f"waiting for {self._names(event.waiting_for)} ...")
        elif isinstance(event, Resumed):
            self._stall = None
        elif isinstance(event, PeerInterrupted):
            self._interrupted = "nothing is received from another player ..."
        elif isinstance(event, PeerResumed):
            self._interrupted = ""
        elif isinstance(event, PlayersDropped):
            self._tell(f"{self._names(event.players)} left")
        elif isinstance(event, PlayersReturned):
            self._tell(f"{self._names(event.players)} joined")
        elif isinstance(event, RematchProposed):
            self._tell("another player wants a rematch" + (": press Esc" if self.panel is None else ""))
        elif isinstance(event, DesyncDetected):
            self._desync = event
            self._tell("the peers have diverged: finding out where ...", seconds=60.0)
        elif isinstance(event, DesyncReported):
            self._explain(event)
        elif isinstance(event, MatchEnded):
            self._end(event.reason)

    def _begin(self) -> None:
        """A match starts: the first, or a rematch."""
        match = inside_of(self.session).match
        assert match is not None
        self._wire.match_started()
        if self._file is not None:
            self._file.finish()
        folder = self._game.folder
        self._file = MatchFile(folder, self.session) if folder is not None else None
        self._sounds = Sounds(match.engine, self._game.hear)
        self._desync, self._diverged, self._stall, self._decided = None, False, None, 0
        self._close()
        self.keys.release_all()
        me = self.session.local_players
        self._tell(f"you are {names_of(me)}" if len(me) < self.session.sim.num_players else "")
        if self._file is not None and self._file.failure:
            self._tell(f"this match is not recorded: {self._file.failure}")

    def _explain(self, event: DesyncReported) -> None:
        """A difference stops the match here; after a false alarm it goes on."""
        if event.report.first_differing is None:
            self._desync = None
            self._tell("")
            return
        self._diverged = True
        self._tell("")
        # The inputs at the end of a report are for whoever opens the file.
        lines = list(takewhile(lambda line: not line.startswith("inputs"), str(event.report).splitlines()))
        more = [f"and {len(lines) - MOST_REPORT_LINES} lines more"] if len(lines) > MOST_REPORT_LINES else []
        folder = self._game.folder
        saved = [] if folder is None else ["", *save_desync(folder, self.session, event)]
        self._open(
            Panel(
                "The peers have diverged",
                [*self._rematch("New match"), *self._leave()],
                lines=[*lines[:MOST_REPORT_LINES], *more, *saved],
            )
        )

    def _end(self, reason: str) -> None:
        self._ended, self._stall, self._interrupted, self.notice = True, None, "", ""
        lines = [self._goodbye or reason]
        if self._desync is not None and not self._diverged:
            lines.append(f"The peers had diverged at frame {self._desync.frame} or before.")
        if self._diverged and self.panel is not None:
            self.panel.choices = self._leave()
            self.panel.lines += ["", *lines]
            return
        title = "The match is over" if inside_of(self.session).match is not None else "No match"
        again = [] if self._again is None else [Choice(self._again.label, self._leads_to(self._again.action))]
        self._open(Panel(title, [*again, *self._leave("Back to the menu")], lines=lines))

    def _why_gone(self, event: PeerDisconnected) -> str:
        if event.reason == Reason.GOODBYE:
            who = self._names(event.players) if event.players else "the host"
            return f"{who} left: {event.text}".removesuffix(": goodbye")
        if event.reason == Reason.NO_ANSWER:
            return "There is no answer. Is a host waiting there, and does its firewall let UDP through?"
        return event.text

    # What is shown.

    def _open(self, panel: Panel) -> None:
        self.panel = panel

    def _close(self) -> None:
        self.panel = None

    def _leads_to(self, go: Go) -> Callable[[], None]:
        def leave() -> None:
            self.go = go

        return leave

    def _leave(self, label: str = "Leave") -> list[Choice]:
        return [Choice(label, self._leads_to(self._back))]

    def _rematch(self, label: str = "Rematch") -> list[Choice]:
        return [Choice(label, self._propose)]

    def _propose(self) -> None:
        try:
            self.session.rematch()
        except RetickError as error:
            self._tell(str(error))
            self._close()
            return
        if self.panel is not None and self.session.running and not self._ended:
            self.panel.title, self.panel.lines = "Rematch", ["Waiting for the others ..."]
            self.panel.choices = self._leave()

    def _names(self, players: Sequence[int]) -> str:
        return names_of(players, me=self.session.local_players)

    def _tell(self, text: str, seconds: float = NOTICE_SECONDS) -> None:
        self.notice, self._notice_until = text, self._now + seconds

    def _draw_room(self, screen: Surface) -> None:
        screen.fill(BACKGROUND)
        session = self.session
        seats = []
        if session.is_host:
            me = session.local_players
            for player in range(session.sim.num_players):
                who = "you" if player in me else "here" if player in self._connected else "waiting ..."
                seats.append(f"player {player + 1}:  {who}")
        elif session.local_players:
            seats = [f"You are {names_of(session.local_players)}. Waiting for the others ..."]
        else:
            seats = ["Connecting ..."]
        self._room.lines = [*self._room_lines, "", *seats, "", "Esc: cancel"]
        self._room.draw(screen)

    def _draw_notice(self, screen: Surface) -> None:
        text = self.notice if self._now < self._notice_until else self._interrupted
        if self._stall is not None and self._now - self._stall[0] > STALL_SHOWN_AFTER:
            text = self._stall[1]
        if text:
            place = pygame.Rect(0, screen.get_height() - 36, screen.get_width(), 36)
            darken(screen, place)
            write(screen, text, (12, place.top + 8), size=26, colour=ACCENT)
