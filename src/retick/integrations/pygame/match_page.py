"""A match, from the waiting room to a rematch or the end."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import takewhile
from operator import or_
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick.audit.game_loader import press_function_of
from retick.errors import RetickError
from retick.integrations.pygame.files import SeatFile, note_names, save_desync
from retick.integrations.pygame.keys import Keys
from retick.integrations.pygame.names import Seats
from retick.integrations.pygame.pages import (
    ACCENT,
    BACKGROUND,
    BRIGHT,
    Go,
    MenuChoice,
    Page,
    Panel,
    darken,
    write,
    write_notice,
)
from retick.integrations.pygame.window_game import Drawable, WindowGame
from retick.integrations.pygame.wire import Wire, announced_name
from retick.playing.controllers import Restless
from retick.playing.network_report import NetworkReport
from retick.playing.online import OnlineStatus
from retick.playing.story import MatchStory, names_by_seat, names_of, why_gone
from retick.rollback import (
    CueStarted,
    DesyncDetected,
    DesyncReport,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    MessageReceived,
    PlayersDropped,
    PlayersReturned,
    RematchProposed,
    RollbackSession,
    SessionStats,
)
from retick.sim.contract import input_size_of


class People:
    """Makes the inputs of the seats that are played here, by people at the keyboard or by bots."""

    def __init__(self, game: WindowGame, sim: Any, keys: Keys) -> None:
        self._press, self._keys = game.press, keys
        self._bot = None if not game.bot else press_function_of(sim) or Restless(input_size_of(sim)).press

    def pressed(self, seats: tuple[int, ...], state: Any) -> int | tuple[int, ...]:
        """The inputs of one frame. A single person may use everybody's keys; several people have their own."""
        alone = len(seats) == 1
        if self._bot is not None:
            each = tuple(self._bot(seat, state) for seat in seats)
            return each[0] if alone else each
        each = tuple(press(self._keys) for press in self._press)
        return reduce(or_, each) if alone else (each + (0,) * len(seats))[: len(seats)]

    def idle(self, seats: tuple[int, ...]) -> int | tuple[int, ...]:
        """The inputs of a frame in which nobody presses anything."""
        return (0,) * len(seats) if len(seats) > 1 else 0


FRAMES = 120
WIDTH, HEIGHT, BARS = FRAMES + 40, 156, 30
"""Pixels; a bar is one pixel wide for each frame. With more figures than fit the picture is taller."""
LINE = 16
"""Pixels from one figure to the next."""
DEEPEST = 12
"""Resimulated frames of the tallest bar."""


class NetGraph:
    """A picture in a corner: a bar for the frames resimulated with each frame, and the figures of the worst link."""

    def __init__(self) -> None:
        self.shown = False
        self._depths: deque[int] = deque(maxlen=FRAMES)
        self._resimulated = 0

    def note(self, stats: SessionStats) -> None:
        """Add a bar; call this after each frame."""
        depth = stats.resimulated_frames - self._resimulated
        self._resimulated = stats.resimulated_frames
        # The first difference after the graph was hidden, or after a new match, covers more than one frame.
        self._depths.append(depth if 0 <= depth <= 2 * DEEPEST else 0)

    def draw(self, screen: Surface, stats: SessionStats, way: str = "") -> None:
        """Draw in the upper right corner; ``way`` says whether the others are reached directly."""
        left, top = screen.get_width() - WIDTH - 8, 8
        report = NetworkReport.of(stats)
        sent = f"{report.octets / 1000:.1f} kB/s out"
        lines = [f"frame {report.frame}", *report.figures(), sent, *filter(None, [way.partition(";")[0]])]
        darken(screen, pygame.Rect(left, top, WIDTH, max(HEIGHT, BARS + 8 + LINE * len(lines))))
        for number, depth in enumerate(self._depths):
            if depth:
                height = min(depth, DEEPEST) * BARS // DEEPEST
                pygame.draw.line(
                    screen, ACCENT, (left + 6 + number, top + BARS + 4), (left + 6 + number, top + BARS + 4 - height)
                )
        for number, line in enumerate(lines):
            write(screen, line, (left + 6, top + BARS + 8 + LINE * number), size=18, colour=BRIGHT)


STALL_SHOWN_AFTER = 0.25
"""Seconds that a match waits before the window says so."""
NOTICE_SECONDS, WORDS_SECONDS = 4.0, 20.0
STRAY_SECONDS = 1.0
"""Seconds for which a panel that opens by itself ignores the keys of the game, since somebody still plays."""
RESULT_FRAMES = 45
"""Frames for which a result must last before it is shown, since the drawn state may be predicted and wrong."""
CUE_MOVES = 3
"""Most frames by which a rollback may move a cue without a second sound."""
GO_ON_FROM = b"go on from "
"""Begins a message to the other windows after a desync; the id of the peer whose state is wanted follows."""


class MatchPage(Page):
    """The page of one session: a waiting room until the match starts, then the match, with panels over it."""

    def __init__(
        self, game: WindowGame, wire: Wire, *, back: Go, again: MenuChoice | None = None, lines: Sequence[str] = ()
    ) -> None:
        """``lines`` are shown in the waiting room. ``again`` is offered when the match has ended."""
        super().__init__()
        self.session: RollbackSession = wire.session
        self.keys, self.graph = Keys(), NetGraph()
        self.panel: Panel | None = None
        """The panel over the match; None if there is none."""
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
        self.story = MatchStory(self.session, compares_words=wire.form.is_open)
        self._rematch_seats: tuple[int, ...] = ()
        self._began = self._diverged = self._ended = self._paused = self._unrecorded = False
        self._now = self._notice_until = self._strays_until = 0.0
        self._decided = 0
        self._result = ""
        """What the result says that was shown; empty before, and when the game takes it back."""

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
        elif self._result:
            self._show_result()
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
            seats = Seats.named(self.session.local_players, self.session.sim.num_players, self.story.names)
            self._game.draw(screen, world, seats)
            if self.graph.shown:
                self.graph.draw(screen, self.session.stats(now=self._now), self._wire.online.way)
        if self.panel is not None:
            self.panel.draw_over(screen)
        if line := self.line():
            write_notice(screen, line)

    def leave(self) -> None:
        """Say goodbye on every way out; the session finishes its recording."""
        if self._seat is not None:
            self._seat.remove()
        for event in self._wire.leave():
            if isinstance(event, DesyncReported):
                self._explain(event)  # to save the bundle, though nobody sees the panel any more
        if self._began:
            if not self._ended:
                self._game.say("you left the match")
            if self._wire.record is not None:
                self._game.say(self._wire.record.summary())

    # The match.

    def _advance(self, now: float) -> None:
        # While a panel has the keys, this player stands still and the others play on.
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
            self._result = said
            self._show_result()
        elif not said:
            self._result = ""

    def _show_result(self) -> None:
        self._open(self._result, [*self._rematch(), *self._leave()])

    def _look_for_pause(self) -> None:
        """Show or close the pause panel, and name those who want the pause."""
        if self._paused and self.panel is None:
            self.panel = self._pause
        elif not self._paused and self.panel is self._pause:
            self._close()
        wanted_by = self.session.paused_by
        mine = self.session.peer_id in wanted_by
        others = [self.story.peer_name(peer) for peer in wanted_by if peer != self.session.peer_id]
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
        """Touch the seat's file, which a crashed window leaves behind, and tell if the recording has ended."""
        if self._seat is not None and self.session.running:
            self._seat.touch(self._now)
        record = self._wire.record
        if record is not None and record.failure and not self._unrecorded:
            self._unrecorded = True
            self._tell(record.summary())

    def _happened(self, event: MatchEvent) -> None:
        if told := self.story.note(event, self._now):
            self._tell(told, seconds=60.0 if isinstance(event, DesyncDetected) else NOTICE_SECONDS)
        match event:
            case MatchStarted():
                self._begin()
            case PlayersDropped() | PlayersReturned():
                self._save_who_plays()
            case RematchProposed():
                self._rematch_seats = event.seats
                how = ": press Esc" if self.panel is None else ""
                self._tell(f"{self.story.peer_name(event.peer)} wants a rematch{how}")
            case MatchPaused() | MatchResumed():
                self._paused = isinstance(event, MatchPaused)
            case DesyncReported():
                self._explain(event)
            case MessageReceived():
                self._hear_wish(event)
            case MatchEnded():
                self._end(event.reason)

    def _begin(self) -> None:
        """Start showing a match: the first, a rematch, or one that goes on after a desync."""
        self._began = True
        self._wire.match_started()
        self._decided, self._result, self._rematch_seats = 0, "", ()
        self._diverged = self._paused = self._unrecorded = False
        self._close()
        self.keys.release_all()
        self._save_who_plays()
        me, players = self.session.local_players, range(self.session.sim.num_players)
        others = [player for player in players if player not in me]
        who = f"you are {names_of(me, {})}, against {self.story.called(others)}" if others else ""
        words = [f"Compare aloud with {names_of(at, {})}: {each}" for at, each in self.story.words.items()]
        self._tell(*(("  ".join(words), WORDS_SECONDS) if words else (who,)))
        for line in (f"the match has started: {who}".removesuffix(": "), *words):
            self._game.say(line)

    def _save_who_plays(self) -> None:
        """Write names into the recording, and the seat's file unless all play at one keyboard."""
        if self._wire.record is not None:
            note_names(self._wire.record, self.session.roster)
        if self._seat is not None and len(self.session.roster) > 1:
            self._seat.write(self.session, self._wire.form.secret)

    # Ends, and what the players agree on.

    def _explain(self, event: DesyncReported) -> None:
        """Stop the match and show the report, unless it was a false alarm."""
        self._tell("")
        if event.report.first_differing is None:
            return
        self._diverged = True
        folder = self._game.folder
        saved = [] if folder is None else [*save_desync(folder, self.session.sim, event), ""]
        for line in ("the peers have diverged", *filter(None, saved)):
            self._game.say(line)
        who = ", ".join(f"peer {peer.peer_id} is {self.story.peer_name(peer.peer_id)}" for peer in self.session.roster)
        suggested = event.report.suggested_source
        peers = sorted((peer.peer_id for peer in self.session.roster), key=lambda peer: peer != suggested)
        self._open("The peers have diverged", [], lines=[*saved, who, *report_lines(event.report)])
        self._offer(peers)

    def _offer(self, peers: Sequence[int]) -> None:
        """Offer to go on after a desync from the state of one of these peers, or with a new match, or to leave."""
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
        """Note that another window wants to go on from a state; the match goes on when all want the same one."""
        wanted = [peer for peer in self.session.roster if event.data == GO_ON_FROM + str(peer.peer_id).encode()]
        if wanted and self._diverged and self.panel is not None and len(self.panel.choices) > 2:
            self._offer([wanted[0].peer_id])
            whose = self._whose(wanted[0].peer_id)
            self._tell(f"{self.story.peer_name(event.peer)} wants to go on from {whose} state", seconds=60.0)

    def _end(self, reason: str) -> None:
        self._ended, self._paused = True, False
        self.notice = ""
        if self._seat is not None:
            self._seat.remove()
        gone = self.story.gone
        lines = [reason if gone is None else why_gone(gone, self.story.called, self._wire.form)]
        self._game.say(f"{'the match is over' if self._began else 'no match'}: {lines[0]}")
        if self.story.desync is not None and not self._diverged:
            lines.append(f"The peers had diverged at frame {self.story.desync.frame} or before.")
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
        """Call the session; whether it accepted the call. If not, the window says why."""
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

    def _whose(self, peer_id: int) -> str:
        return "your" if peer_id == self.session.peer_id else f"{self.story.peer_name(peer_id)}'s"

    def _tell(self, text: str, seconds: float = NOTICE_SECONDS) -> None:
        self.notice, self._notice_until = text, self._now + seconds

    def _draw_room(self, screen: Surface) -> None:
        screen.fill(BACKGROUND)
        self._room.lines = [*self._room_lines, *room_lines(self.session, self._wire.online), "", "Esc: cancel"]
        self._room.draw(screen)

    def line(self) -> str:
        """The line over the match right now; empty for none."""
        story = self.story
        if story.waiting and self._now - story.waiting_since > STALL_SHOWN_AFTER:
            return story.waiting
        if self._now < self._notice_until and self.notice:
            return self.notice
        over = self._result and self.panel is None and not self._ended
        return story.silent or (f"{self._result}   Esc: rematch or leave" if over else "")


MOST_REPORT_LINES = 7


def room_lines(session: RollbackSession, online: OnlineStatus) -> list[str]:
    """Lines of the waiting room: how others join an online match, and who is here."""
    me, here = session.local_players, names_by_seat(session.roster)
    if not me:
        return ["", "Connecting ..."]
    return [*_invitation(online), ""] + [
        f"player {player + 1}:  " + here.get(player, "waiting ...") + ("  (you)" if player in me else "")
        for player in range(session.sim.num_players)
    ]


def _invitation(online: OnlineStatus) -> list[str]:
    if not online.code or online.ready is None:
        return []
    if online.ready.invite is not None:
        return [
            f"Others join with this line; nobody comes in without it: {online.ready.invite.text()}",
            "It is on the clipboard: send it to those you want to play with.",
        ]
    return [
        f"Others join by this code, at the same relay: {online.code}",
        "The relay vouches for the keys: compare the words when the match starts.",
    ]


def report_lines(report: DesyncReport) -> list[str]:
    """The first lines of a report, without the inputs at its end."""
    lines = list(takewhile(lambda line: not line.startswith("inputs"), str(report).splitlines()))
    more = [f"and {len(lines) - MOST_REPORT_LINES} lines more"] if len(lines) > MOST_REPORT_LINES else []
    return [*lines[:MOST_REPORT_LINES], *more]
