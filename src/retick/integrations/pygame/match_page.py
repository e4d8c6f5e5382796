"""A match, from the waiting room to a rematch or the end."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick.audit.game_loader import press_function_of
from retick.errors import RetickError
from retick.integrations.pygame.files import SeatFile, save_desync
from retick.integrations.pygame.keys import Keys
from retick.integrations.pygame.names import Seats, names_by_seat, names_of
from retick.integrations.pygame.netgraph import NetGraph
from retick.integrations.pygame.pages import ACCENT, BACKGROUND, Go, MenuChoice, Page, Panel, darken, write
from retick.integrations.pygame.window_game import Drawable, WindowGame
from retick.integrations.pygame.wire import Wire, announced_name
from retick.integrations.pygame.words import report_lines, room_lines, why_gone
from retick.playing.controllers import Restless
from retick.rollback import (
    CueStarted,
    DesyncDetected,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    MessageReceived,
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
from retick.sim.contract import input_size_of

__all__ = [
    "MatchPage",
    "People",
]


# Who presses the buttons of the seats that are played here: people at the keyboard, or bots.


class People:
    """The inputs of one frame, for the seats here."""

    def __init__(self, game: WindowGame, sim: Any, keys: Keys) -> None:
        self._press, self._keys = game.press, keys
        self._bot = None if not game.bot else press_function_of(sim) or Restless(input_size_of(sim)).press

    def pressed(self, seats: tuple[int, ...], state: Any) -> int | tuple[int, ...]:
        """One person may use all keys; several have those of their own."""
        alone = len(seats) == 1
        if self._bot is not None:
            each = tuple(self._bot(seat, state) for seat in seats)
            return each[0] if alone else each
        each = tuple(press(self._keys) for press in self._press)
        return reduce(or_, each) if alone else (each + (0,) * len(seats))[: len(seats)]

    def idle(self, seats: tuple[int, ...]) -> int | tuple[int, ...]:
        """Nobody presses anything."""
        return (0,) * len(seats) if len(seats) > 1 else 0


STALL_SHOWN_AFTER = 0.25
"""Seconds that a match waits before the window says so."""
NOTICE_SECONDS, WORDS_SECONDS = 4.0, 20.0
STRAY_SECONDS = 1.0
"""For so long a panel that opens by itself takes no key that the game reads: somebody still plays."""
RESULT_FRAMES = 45
"""Frames that a result must last before it is shown: what is drawn may be predicted, and wrong."""
CUE_MOVES = 3
"""A cue that a rollback moves by so many frames is still the same sound."""
GO_ON_FROM = b"go on from "
"""A message to the other windows after a desync, with the id of the peer whose state is wanted."""


class MatchPage(Page):
    """The page of one session: a waiting room until the match starts, then the match, with panels over it."""

    def __init__(
        self, game: WindowGame, wire: Wire, *, back: Go, again: MenuChoice | None = None, lines: Sequence[str] = ()
    ) -> None:
        """``lines`` stand in the waiting room. ``again`` is offered when the match has ended."""
        super().__init__()
        self.session: RollbackSession = wire.session
        self.keys, self.graph = Keys(), NetGraph()
        self.panel: Panel | None = None
        """What is shown over the match, if anything."""
        self.notice = ""
        self._game, self._wire, self._back, self._again = game, wire, back, again
        self._drawable = Drawable(game, self.session.sim)
        self._people = People(game, self.session.sim, self.keys)
        self._hears = game.hear is not None and hasattr(self.session.sim, "cues")
        self._seat = None if wire.record is None else SeatFile(wire.record.path, announced_name(self.session.sim))
        self._room = Panel(game.title)
        self._room_lines = list(lines)
        for line in lines:
            game.say(line)
        self._pause = Panel("Paused")
        self._names: dict[int, str] = {}
        """By seat; whoever has left it still has its name."""
        self._rematch_seats: tuple[int, ...] = ()
        self._desync: DesyncDetected | None = None
        self._began = self._diverged = self._ended = self._paused = self._unrecorded = False
        self._stall: tuple[float, str] | None = None
        self._interrupted = ""
        self._now = self._notice_until = self._strays_until = 0.0
        self._decided = 0
        self._goodbye = ""

    # What the window calls.

    def handle(self, event: Event) -> None:
        self.keys.handle(event)
        pressed = event.key if event.type == pygame.KEYDOWN else None
        if pressed == pygame.K_F3:
            self.graph.shown = not self.graph.shown
        elif pressed == pygame.K_p and not self.keys.is_used(pygame.K_p) and self.panel in (None, self._pause):
            self._toggle_pause()
        elif pressed != pygame.K_ESCAPE:
            chosen = None if self.panel is None or self._is_stray(pressed) else self.panel.handle(event)
            if chosen is not None:
                chosen.action()
        elif self.panel is self._pause:
            self._pause.choices[0].action()
        elif self.panel is not None and not self._ended and not self._diverged:
            self._close()
        elif self.panel is not None or not self._began:
            self.go = self._back
        else:
            pause = MenuChoice("Pause", self._toggle_pause)
            self._open(
                "Leave the match?", [MenuChoice("Play on", self._close), pause, *self._rematch(), *self._leave()]
            )
            self._strays_until = self._now

    def _is_stray(self, pressed: int | None) -> bool:
        return pressed is not None and self._now < self._strays_until and self.keys.is_used(pressed)

    def turn(self, now: float) -> None:
        self._now = now
        for event in self._wire.poll(now):
            self._happened(event)
        self._names |= names_by_seat(self.session.roster)
        ran = False
        while not self._diverged and self.session.due(now=now):
            self._advance(now)
            ran = True
        if ran:
            self._wire.flush(now)
            self._play_sounds()
            self._look_for_result()
        self._look_for_pause()
        self._look_at_files()

    def draw(self, screen: Surface) -> None:
        if not self._began:
            self._draw_room(screen)
        else:
            world = self._drawable(self.session.state)
            screen.set_clip(None)
            seats = Seats.named(self.session.local_players, self.session.sim.num_players, self._names)
            self._game.draw(screen, world, seats)
            if self.graph.shown:
                self.graph.draw(screen, self.session.stats(now=self._now), self._wire.online.way)
        if self.panel is not None:
            self.panel.draw_over(screen)
        self._draw_notice(screen)

    def leave(self) -> None:
        """Say goodbye on every way out; the session finishes its recording."""
        if self._seat is not None:
            self._seat.remove()
        for event in self._wire.leave():
            if isinstance(event, DesyncReported):
                self._explain(event)  # nobody sees it any more, and it is saved
        if self._began:
            if not self._ended:
                self._game.say("you left the match")
            if self._wire.record is not None:
                self._game.say(self._wire.record.summary())

    # The match.

    def _advance(self, now: float) -> None:
        # A panel takes the keys: this player stands still meanwhile, and the others play on.
        seats, people = self.session.local_players, self._people
        pressed = people.idle(seats) if self.panel is not None else people.pressed(seats, self.session.state)
        self.session.advance(pressed, now=now)
        self.keys.frame_read()
        if self.graph.shown:
            self.graph.note(self.session.stats(now=now))

    def _play_sounds(self) -> None:
        if self._game.hear is None or not self._hears:
            return
        for event in self.session.cues(tolerance=CUE_MOVES):
            if isinstance(event, CueStarted):
                self._game.hear(event.cue)

    def _look_for_result(self) -> None:
        if self._game.result is None or self.panel is not None or self._ended:
            return
        said = self._game.result(self._drawable(self.session.state))
        self._decided = self._decided + 1 if said else 0
        if said and self._decided == RESULT_FRAMES:
            self._game.say(f"the result: {said}")
            self._open(said, [*self._rematch(), *self._leave()])

    def _look_for_pause(self) -> None:
        """Who wants the pause changes while it lasts."""
        if self._paused and self.panel is None:
            self.panel = self._pause
        elif not self._paused and self.panel is self._pause:
            self._close()
        wanted_by = self.session.paused_by
        mine = self.session.peer_id in wanted_by
        others = [self._peer_name(peer) for peer in wanted_by if peer != self.session.peer_id]
        first = MenuChoice("Go on", self._toggle_pause) if mine else MenuChoice("Keep waiting", lambda: None)
        self._pause.lines = [f"by {' and '.join([*(['you'] if mine else []), *others])}"] if wanted_by else []
        self._pause.choices = [first, *self._leave()]

    def _toggle_pause(self) -> None:
        if self.session.peer_id in self.session.paused_by:
            self.session.resume()
            return
        self._close()
        self._try(self.session.pause)

    def _look_at_files(self) -> None:
        """A window that crashes leaves the file of its seat behind; a full disk ends only the recording."""
        if self._seat is not None and self.session.running:
            self._seat.touch(self._now)
        record = self._wire.record
        if record is not None and record.failure and not self._unrecorded:
            self._unrecorded = True
            self._tell(record.summary())

    def _happened(self, event: MatchEvent) -> None:
        match event:
            case MatchStarted():
                self._begin()
            case PeerDisconnected():
                self._goodbye = why_gone(event, self._called, self._wire.form)
            case Stalled():
                self._stall = (self._now, f"waiting for {self._called(event.waiting_for)} ...")
            case Resumed():
                self._stall = None
            case PeerInterrupted():
                self._interrupted = f"nothing is received from {self._peer_name(event.peer)} ..."
            case PeerResumed():
                self._interrupted = ""
            case PlayersDropped():
                self._interrupted = ""
                self._tell(f"{self._called(event.players)} left")
                self._save_seat()
            case PlayersReturned():
                self._names |= names_by_seat(self.session.roster)
                self._tell(f"{self._called(event.players)} joined")
                self._save_seat()
            case RematchProposed():
                self._rematch_seats = event.seats
                how = ": press Esc" if self.panel is None else ""
                self._tell(f"{self._peer_name(event.peer)} wants a rematch{how}")
            case MatchPaused() | MatchResumed():
                self._paused = isinstance(event, MatchPaused)
            case DesyncDetected():
                self._desync = event
                self._tell("the peers have diverged: finding out where ...", seconds=60.0)
            case DesyncReported():
                self._explain(event)
            case MessageReceived():
                self._hear_wish(event)
            case MatchEnded():
                self._end(event.reason)

    def _begin(self) -> None:
        """A match starts: the first, a rematch, or one that goes on after a desync."""
        self._began = True
        self._wire.match_started()
        self._desync, self._stall, self._decided, self._rematch_seats = None, None, 0, ()
        self._diverged = self._paused = self._unrecorded = False
        self._interrupted = ""
        self._close()
        self.keys.release_all()
        self._save_seat()
        self._names |= names_by_seat(self.session.roster)
        me, players = self.session.local_players, range(self.session.sim.num_players)
        others = [player for player in players if player not in me]
        who = f"you are {names_of(me, {})}, against {self._called(others)}" if others else ""
        self._tell(*(("  ".join(self._wire.words), WORDS_SECONDS) if self._wire.words else (who,)))
        for line in (f"the match has started: {who}".removesuffix(": "), *self._wire.words):
            self._game.say(line)

    def _save_seat(self) -> None:
        """Nobody goes back to a match in which all play at one keyboard."""
        if self._seat is not None and len(self.session.roster) > 1:
            self._seat.write(self.session, self._wire.form.secret)

    # Ends, and what the players agree on.

    def _explain(self, event: DesyncReported) -> None:
        """A difference stops the match here; after a false alarm it goes on."""
        self._tell("")
        if event.report.first_differing is None:
            self._desync = None
            return
        self._diverged = True
        folder = self._game.folder
        saved = [] if folder is None else [*save_desync(folder, self.session.sim, event), ""]
        for line in ("the peers have diverged", *filter(None, saved)):
            self._game.say(line)
        who = ", ".join(f"peer {peer.peer_id} is {self._peer_name(peer.peer_id)}" for peer in self.session.roster)
        suggested = event.report.suggested_source
        peers = sorted((peer.peer_id for peer in self.session.roster), key=lambda peer: peer != suggested)
        self._open("The peers have diverged", [], lines=[*saved, who, *report_lines(event.report)])
        self._offer(peers)

    def _offer(self, peers: Sequence[int]) -> None:
        """Ways to go on after a desync: from the state of one of these peers, with a new match, or not at all."""
        if self.panel is not None:
            ways = [MenuChoice(f"Go on from {self._whose(peer)} state", self._going_on(peer)) for peer in peers]
            self.panel.choices = [*ways, *self._rematch("New match"), *self._leave()]
            self.panel.selected = 0

    def _going_on(self, peer: int) -> Callable[[], None]:
        def wish() -> None:
            if self._try(lambda: self.session.resync(peer)):
                self.session.send_message(GO_ON_FROM + str(peer).encode())
                self._offer([])
                self._tell("waiting for the others to choose the same ...", seconds=60.0)

        return wish

    def _hear_wish(self, event: MessageReceived) -> None:
        """Another window wants to go on from a state: the match goes on when all want the same one."""
        wanted = [peer for peer in self.session.roster if event.data == GO_ON_FROM + str(peer.peer_id).encode()]
        if wanted and self._diverged and self.panel is not None and len(self.panel.choices) > 2:
            self._offer([wanted[0].peer_id])
            whose = self._whose(wanted[0].peer_id)
            self._tell(f"{self._peer_name(event.peer)} wants to go on from {whose} state", seconds=60.0)

    def _end(self, reason: str) -> None:
        self._ended, self._paused = True, False
        self._stall, self._interrupted, self.notice = None, "", ""
        if self._seat is not None:
            self._seat.remove()
        lines = [self._goodbye or reason]
        self._game.say(f"{'the match is over' if self._began else 'no match'}: {lines[0]}")
        if self._desync is not None and not self._diverged:
            lines.append(f"The peers had diverged at frame {self._desync.frame} or before.")
        if self._diverged and self.panel is not None:
            self.panel.choices = self._leave()
            self.panel.lines = [*lines, "", *self.panel.lines]
            return
        title = "The match is over" if self._began else "No match"
        again = [] if self._again is None else [MenuChoice(self._again.label, self._leads_to(self._again.action))]
        record = self._wire.record
        if record is not None and self._began:
            lines += ["", record.summary().capitalize()]
        self._open(title, [*again, *self._leave("Back to the menu")], lines=lines)

    def _propose(self) -> None:
        if self._try(lambda: self.session.rematch(self._rematch_seats)) and self.panel is not None:
            self.panel.title, self.panel.lines = "Rematch", ["Waiting for the others ..."]
            self.panel.choices = self._leave()

    def _try(self, call: Callable[[], None]) -> bool:
        """Whether the session takes it; if it does not, the window says why."""
        try:
            call()
        except RetickError as error:
            self._tell(str(error))
            return False
        return self.session.running and not self._ended

    # What is shown.

    def _open(self, title: str, choices: Sequence[MenuChoice], lines: Sequence[str] = ()) -> None:
        self.panel = Panel(title, choices, lines=lines)
        self._strays_until = self._now + STRAY_SECONDS

    def _close(self) -> None:
        self.panel = None

    def _leads_to(self, go: Go) -> Callable[[], None]:
        def leave() -> None:
            self.go = go

        return leave

    def _leave(self, label: str = "Leave") -> list[MenuChoice]:
        return [MenuChoice(label, self._leads_to(self._back))]

    def _rematch(self, label: str = "Rematch") -> list[MenuChoice]:
        return [MenuChoice(label, self._propose)]

    def _called(self, players: Sequence[int]) -> str:
        return names_of(players, self._names, me=self.session.local_players)

    def _peer_name(self, peer_id: object) -> str:
        return self._called(next((peer.players for peer in self.session.roster if peer.peer_id == peer_id), ()))

    def _whose(self, peer_id: int) -> str:
        return "your" if peer_id == self.session.peer_id else f"{self._peer_name(peer_id)}'s"

    def _tell(self, text: str, seconds: float = NOTICE_SECONDS) -> None:
        self.notice, self._notice_until = text, self._now + seconds

    def _draw_room(self, screen: Surface) -> None:
        screen.fill(BACKGROUND)
        self._room.lines = [*self._room_lines, *room_lines(self.session, self._wire.online), "", "Esc: cancel"]
        self._room.draw(screen)

    def _draw_notice(self, screen: Surface) -> None:
        text = self.notice if self._now < self._notice_until else self._interrupted
        if self._stall is not None and self._now - self._stall[0] > STALL_SHOWN_AFTER:
            text = self._stall[1]
        if text:
            place = pygame.Rect(0, screen.get_height() - 36, screen.get_width(), 36)
            darken(screen, place)
            write(screen, text, (12, place.top + 8), size=26, colour=ACCENT)
