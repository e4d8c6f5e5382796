"""One side of a match, from the waiting room to a rematch or the end: played, watched, or a recording.

It is a page without a window: any framework calls ``turn`` once a picture, tells it of keys, and draws what it holds.
"""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile
from operator import or_
from pathlib import Path
from typing import Any, Self

from retick import replay
from retick.audit.game_loader import press_function_of
from retick.errors import RetickError, UsageError
from retick.playing.controllers import Restless
from retick.playing.keys import Keys
from retick.playing.link_form import why_not_this_game, why_refused
from retick.playing.match_files import SeatFile, lost_seat, note_names, save_desync
from retick.playing.match_line import MatchLine, read_line
from retick.playing.names import Seats
from retick.playing.network_report import NetGraph
from retick.playing.online import OnlineStatus
from retick.playing.pages import Go, MenuChoice, Page, Panel, Pressed, plain
from retick.playing.play_settings import PlaySettings, settings_of
from retick.playing.story import MatchStory, names_by_seat, names_of, why_gone
from retick.playing.way_in import OnlineWay, address_text, way_in
from retick.playing.wire import Wire, announced_name, hosted, hosted_online, joined, practised, watched
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
    SourceChanged,
    SpectatorSession,
    WatchingStarted,
)
from retick.sim.contract import input_size_of
from retick.sim.world import SimulatedWorld

Again = Callable[[MatchLine], "Page | None"]
BAR_SECONDS = 3.0
"""Seconds for which the bar at the bottom stays after a key or a move of the mouse."""


class Bar:
    """The line at the bottom of a replay or a watched match, which goes by itself, since the game draws there too."""

    def __init__(self) -> None:
        self.is_shown = True
        self.text = ""
        self.done: float | None = None
        """The part of a recording that was played, 0 to 1; None for a match that is watched."""
        self._now = 0.0
        self._until: float | None = None

    def touch(self) -> None:
        """Show the bar for a while, since somebody is at this window."""
        self._until = self._now + BAR_SECONDS

    def turn(self, now: float, *, stays: bool = False) -> None:
        """Let time pass; ``stays`` shows the bar however long ago it was touched."""
        self._now = now
        if self._until is None:
            self.touch()
        self.is_shown = stays or self._until is None or now < self._until


class MatchPage(Page):
    """A match without a window; :func:`Match` makes one that is played, watched or a recording."""

    session: Any = None
    """The session of a match that is played or watched; None for a recording."""
    playback: Any = None
    """The player of a recording; None for a match."""
    bar: Bar | None = None
    """The line at the bottom; None for a match that is played."""

    def __init__(
        self,
        settings: PlaySettings,
        way: MatchLine,
        *,
        back: Go | None = None,
        again: Again | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.settings, self._way = settings, way
        self.room = Panel(settings.title)
        """What is shown while there is nothing to draw."""
        self.keys = Keys()
        self.graph = NetGraph()
        self.why = ""
        """Why the match is over; empty before."""
        self._clock, self._back, self._again = clock, back or (lambda: None), again
        self._leave_label = "Leave" if back is None else "Back to the menu"
        self._now = clock()
        self._drawn: Any = None
        self._other: Any = None
        self._open_line()

    def _open_line(self) -> None:
        """Open the session or the recording."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.leave()

    @property
    def left(self) -> bool:
        """Whether the person has chosen to leave this match."""
        return self.go is not None

    @property
    def over(self) -> bool:
        """Whether no frame comes any more."""
        return self.left or bool(self.why)

    @property
    def world(self) -> Any:
        """What to draw: a world that is never in the middle of a frame, or the state of a game without one."""
        if self._drawn is None and (sim := self._sim()) is not None:
            self._drawn = self._state()
            if isinstance(sim, SimulatedWorld):
                if self._other is None:
                    other: Any = self.settings.make()
                    self._other = other.world
                sim.load_into(self._other, self._drawn)
                self._drawn = self._other
        return self._drawn

    def _sim(self) -> Any:
        """The game of the state that is drawn; None while there is nothing to draw."""

    def _state(self) -> Any:
        """The state that is drawn."""

    @property
    def me(self) -> Seats:
        """The seats played here, with the names of all players."""
        return Seats.named((), 0, {})

    def line(self) -> str:
        """The line over the match right now; empty for none."""
        return ""

    @property
    def notices(self) -> list[str]:
        """Every line to show right now, for a window that draws no panels."""
        panel = self.panel or (self.room if self.world is None else None)
        lines = [] if panel is None else panel.text()
        if self.graph.shown:
            lines = [*self.graph.lines, *lines]
        if self.bar is not None and self.bar.is_shown:
            lines = [*lines, self.bar.text]
        return [*filter(None, [*lines, self.line()])]

    def cues(self) -> list[Hashable]:
        """The cues that began since the last call, each once."""
        return []

    def pause(self) -> None:
        """Wish for a pause of all; a second time, wish no more. It is for those who play."""

    def rematch(self) -> None:
        """Propose a rematch, or agree to one. It is for those who play."""

    def turn(self, pressed: Pressed | None = None) -> None:
        """Receive, run the frames that are due, send; call it once a picture."""
        self._now, self._drawn = self._clock(), None
        self._turn(pressed)

    def _turn(self, pressed: Pressed | None) -> None:
        """What ``turn`` does in a match of this kind."""

    def key_down(self, name: str, code: int | None = None) -> None:
        if self.bar is not None:
            self.bar.touch()

    def point(self, x: float, y: float, *, clicked: bool = False) -> None:
        if self.bar is not None:
            self.bar.touch()
        if self.panel is not None and (chosen := self.panel.point(x, y, clicked=clicked)) is not None:
            chosen.action()

    def _leads_to(self, go: Go) -> Callable[[], None]:
        def leave() -> None:
            self.go = go

        return leave


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


class PlayedMatch(MatchPage):
    """A match of players here: a waiting room until it starts, then the match, with panels over it."""

    session: RollbackSession

    def _open_line(self) -> None:
        self.notice = ""
        self._wire, lines, again = self._opened()
        self.session = self._wire.session
        sim = self.session.sim
        self.story = MatchStory(self.session, compares_words=self._wire.form.is_open)
        record = self._wire.record
        self._seat = None if record is None else SeatFile(record.path, announced_name(sim))
        self._bot = None if not self.settings.bot else press_function_of(sim) or Restless(input_size_of(sim)).press
        self._room_lines = [*filter(None, lines)]
        for line in self._room_lines:
            self.settings.say(line)
        if self._wire.form.invite is not None and self._way.kind == "host" and not self._way.online:
            self._copied(self._wire.form.invite.text())
        self._offered = [] if self._again is None else [MenuChoice(again, self._leads_to(self._once_more))]
        self._pause = Panel("Paused")
        self._rematch_seats: tuple[int, ...] = ()
        self._began = self._diverged = self._ended = self._paused = self._unrecorded = False
        self._notice_until = self._strays_until = 0.0
        self._decided = 0
        self._result = ""
        """What the result says that was shown; empty before, and when the game takes it back."""
        self._show_room()

    def _opened(self) -> tuple[Wire, list[str], str]:
        """Open the session as the line says; lines for the waiting room, and the words for doing it again."""
        settings, way, clock = self.settings, self._way, self._clock
        if way.kind == "here":
            return practised(settings, clock), [], "Play again"
        if way.kind == "host" and way.online:
            wire = hosted_online(settings, clock, everybody=way.everybody)
            wire.on_invite = lambda invite: settings.copy(invite.text())
            return wire, ["A match at the relay"], "Host again"
        if way.kind == "host":
            return *hosted(settings, clock, everybody=way.everybody), "Host again"
        if way.kind == "back":
            return self._opened_again()
        typed = way_in(way.target, default_port=settings.port, is_online=way.online)
        where = typed.code if isinstance(typed, OnlineWay) else address_text(*typed.target)
        return joined(settings, typed, clock), [f"Joining {where}"], "Join again"

    def _opened_again(self) -> tuple[Wire, list[str], str]:
        """Take back the seat of a program that crashed, under the same name."""
        seat = self._way.seat or lost_seat(self.settings.folder, announced_name(self.settings.make()))
        if seat is None:
            raise UsageError("there is no match to go back to: no program crashed in one, or it was another folder")
        seat.path.unlink(missing_ok=True)
        later = seat._replace(addresses=(*seat.addresses[1:], seat.addresses[0]))
        self._way = replace(self._way, seat=later)
        self.settings = replace(self.settings, name=seat.name or self.settings.name)
        at = way_in(seat.addresses[0], default_port=self.settings.port)
        return joined(self.settings, at, self._clock, seat=seat), ["Going back to the match"], "Try again"

    def _once_more(self) -> Page | None:
        return None if self._again is None else self._again(self._way)

    def _copied(self, invite: str) -> None:
        if self.settings.copy(invite):
            self._room_lines[1:1] = ["It is on the clipboard: send it to those you want to play with."]

    # What the window calls.

    def _sim(self) -> Any:
        return self.session.sim if self._began else None

    def _state(self) -> Any:
        return self.session.state

    @property
    def me(self) -> Seats:
        return Seats.named(self.session.local_players, self.session.sim.num_players, self.story.names)

    def cues(self) -> list[Hashable]:
        if not self._began or not hasattr(self.session.sim, "cues"):
            return []
        return [event.cue for event in self.session.cues(tolerance=CUE_MOVES) if isinstance(event, CueStarted)]

    def key_up(self, code: int) -> None:
        self.keys.up(code)

    def release_all(self) -> None:
        self.keys.release_all()

    def key_down(self, name: str, code: int | None = None) -> None:
        if code is not None:
            self.keys.down(code)
        if name == "f3":
            self.graph.shown = not self.graph.shown
        elif name == "p" and not self._is_used(code) and self.panel in (None, self._pause):
            self.pause()
        elif name != "escape":
            is_stray = self._now < self._strays_until and self._is_used(code)
            chosen = None if self.panel is None or is_stray else self.panel.key(name)
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
            pause = MenuChoice("Pause", self.pause)
            self._open(
                "Leave the match?", [MenuChoice("Play on", self._close), pause, *self._rematch(), *self._leave()]
            )
            self._strays_until = self._now

    def _is_used(self, code: int | None) -> bool:
        return code is not None and self.keys.is_used(code)

    def _turn(self, pressed: Pressed | None) -> None:
        now = self._now
        for event in self._wire.poll(now):
            self._happened(event)
        ran = False
        while not self._diverged and self.session.due(now=now):
            self._advance(pressed)
            ran = True
        if ran:
            self._wire.flush(now)
            self._look_for_result()
        self._look_for_pause()
        self._look_at_files()
        self._show_room()

    def leave(self) -> None:
        """Say goodbye on every way out; the session finishes its recording."""
        if self._seat is not None:
            self._seat.remove()
        for event in self._wire.leave():
            if isinstance(event, DesyncReported):
                self._explain(event)  # to save the bundle, though nobody sees the panel any more
        if self._began:
            if not self._ended:
                self.settings.say("you left the match")
            if self._wire.record is not None:
                self.settings.say(self._wire.record.summary())
        self.why = self.why or "you left"

    # The match.

    def _advance(self, pressed: Pressed | None) -> None:
        # While a panel has the keys, this player stands still and the others play on.
        seats = self.session.local_players
        each = self._pressed(seats, pressed)
        each = (0,) * len(seats) if self.panel is not None else each
        self.session.advance(each if len(seats) > 1 else each[0], now=self._now)
        self.keys.frame_read()
        if self.graph.shown:
            self.graph.note(self.session.stats(now=self._now), self._wire.online.way)

    def _pressed(self, seats: tuple[int, ...], pressed: Pressed | None) -> tuple[int, ...]:
        """The inputs of one frame. A single person may use everybody's keys; several people have their own."""
        if self._bot is not None:
            return tuple(self._bot(seat, self.session.state) for seat in seats)
        given = pressed(seats) if callable(pressed) else pressed
        if isinstance(given, int):
            return (given, *(0 for _ in seats[1:]))
        each = tuple(press(self.keys) for press in self.settings.press) if given is None else tuple(given)
        return (reduce(or_, each, 0),) if len(seats) == 1 else (each + (0,) * len(seats))[: len(seats)]

    def _look_for_result(self) -> None:
        if self.settings.result is None or self.panel is not None or self._ended:
            return
        self._drawn = None
        said = self.settings.result(self.world)
        self._decided = self._decided + 1 if said else 0
        if said and self._decided == RESULT_FRAMES:
            self.settings.say(f"the result: {said}")
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
        first = MenuChoice("Go on", self.pause) if mine else MenuChoice("Keep waiting", lambda: None)
        self._pause.lines = [f"by {' and '.join([*(['you'] if mine else []), *others])}"] if wanted_by else []
        self._pause.choices = [first, *self._leave()]

    def pause(self) -> None:
        """Wish for a pause of all; a second time, wish no more."""
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
            self.settings.say(line)

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
        folder = self.settings.folder
        saved = [] if folder is None else [*save_desync(folder, self.session.sim, event), ""]
        for line in ("the peers have diverged", *filter(None, saved)):
            self.settings.say(line)
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
        self.why = reason if gone is None else why_gone(gone, self.story.called, self._wire.form)
        lines = [self.why]
        self.settings.say(f"{'the match is over' if self._began else 'no match'}: {lines[0]}")
        if self.story.desync is not None and not self._diverged:
            lines.append(f"The peers had diverged at frame {self.story.desync.frame} or before.")
        if self._diverged and self.panel is not None:
            self.panel.choices = self._leave()
            self.panel.lines = [*lines, "", *self.panel.lines]
            return
        title = "The match is over" if self._began else "No match"
        record = self._wire.record
        if record is not None and self._began:
            lines += ["", record.summary().capitalize()]
        self._open(title, [*self._offered, *self._leave(self._leave_label)], lines=lines)

    def rematch(self) -> None:
        """Propose a rematch, or agree to one."""
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

    def _leave(self, label: str = "Leave") -> list[MenuChoice]:
        return [MenuChoice(label, self._leads_to(self._back))]

    def _rematch(self, label: str = "Rematch") -> list[MenuChoice]:
        return [MenuChoice(label, self.rematch)]

    def _whose(self, peer_id: int) -> str:
        return "your" if peer_id == self.session.peer_id else f"{self.story.peer_name(peer_id)}'s"

    def _tell(self, text: str, seconds: float = NOTICE_SECONDS) -> None:
        self.notice, self._notice_until = text, self._now + seconds

    def _show_room(self) -> None:
        if not self._began:
            self.room.lines = [*self._room_lines, *room_lines(self.session, self._wire.online), "", "Esc: cancel"]

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


HELP = "space: pause   arrows: step   + -: speed   0-9: jump   Esc: back"
KEY_NAMES = {"space": " ", "escape": "\x1b", "plus": "+", "minus": "-"}


class ReplayedMatch(MatchPage):
    """A recording, played at the speed of the match."""

    bar: Bar

    def _open_line(self) -> None:
        """RetickError if the recording cannot be read, or belongs to another game."""
        way, settings = self._way, self.settings
        recorded = replay.load(Path(way.target)) if way.recorded is None else way.recorded
        sim: Any = settings.make()
        own = getattr(sim, "game_id", "")
        if recorded.game_id and own and recorded.game_id != own:
            raise UsageError(f"{way.target} is a match of {recorded.game_id}, not of {own}")
        self.bar = Bar()
        self.playback = replay.Playback(replay.ReplayPlayer(recorded, sim))
        self._names = {player: plain(name) for player, name in recorded.names.items()}
        self._tick_rate = recorded.tick_rate or settings.config.tick_rate
        self._before: float | None = None
        self._game = sim

    def _sim(self) -> Any:
        return self._game

    def _state(self) -> Any:
        return self.playback.player.state

    @property
    def me(self) -> Seats:
        return Seats.named((), self._game.num_players, self._names)

    def key_down(self, name: str, code: int | None = None) -> None:
        super().key_down(name, code)
        self.playback.press(KEY_NAMES.get(name, name))
        if self.playback.quit:
            self.go = self._back

    def _turn(self, pressed: Pressed | None) -> None:
        if self._before is not None:
            self.playback.tick((self._now - self._before) * self._tick_rate)
        self._before = self._now
        player = self.playback.player
        self.why = "the recording has ended" if player.finished else ""
        mode = "paused" if self.playback.paused else f"{self.playback.speed:g}x"
        self.bar.text = f"{mode}   {HELP}"
        self.bar.done = (player.frame - self.playback.first) / max(self.playback.length, 1)
        self.bar.turn(self._now, stays=self.playback.paused or player.finished)


class WatchedMatch(MatchPage):
    """A match of others: frame after frame, a little late, until it ends; Esc goes back."""

    session: SpectatorSession
    bar: Bar

    def _open_line(self) -> None:
        self._wire = watched(self.settings, self._way.target, self._clock)
        self.session = self._wire.session
        self.bar = Bar()
        self.room.lines = ["Connecting ...   (Esc: back)"]
        self._game: Any = None
        self._num_players = self.settings.make().num_players
        self._ended = ""

    def _sim(self) -> Any:
        return self._game

    def _state(self) -> Any:
        return self.session.state

    @property
    def me(self) -> Seats:
        return Seats.named((), self._num_players, names_by_seat(self.session.roster))

    def key_down(self, name: str, code: int | None = None) -> None:
        super().key_down(name, code)
        if name == "escape":
            self.go = self._back
        elif self.panel is not None and (chosen := self.panel.key(name)) is not None:
            chosen.action()

    def _turn(self, pressed: Pressed | None) -> None:
        now = self._now
        for event in self._wire.poll(now):
            if isinstance(event, WatchingStarted):
                self._game = self.settings.make()
            elif isinstance(event, SourceChanged):
                self.session.delay = 0  # show everything that has arrived, since no more may come
            elif isinstance(event, MatchEnded):
                refused, text = self.session.ended_by, event.reason
                self._ended = why_refused(refused, text, self._wire.form) or why_not_this_game(refused, text) or text
        while self.session.due(now=now):
            self.session.advance(now=now)
        names = names_by_seat(self.session.roster)
        self.bar.text = f"watching {names_of(sorted(names), names) if names else ''}   Esc: back"
        self.bar.turn(now)
        if self._ended and not self.why and not self.session.waiting:
            self._end()

    def _end(self) -> None:
        self.why, self.bar.is_shown = self._ended, False
        title = "The match is over" if self._game is not None else "There is nothing to watch"
        self.settings.say(f"{title.lower()}: {self.why}")
        leave = MenuChoice(self._leave_label, self._leads_to(self._back))
        self.panel = Panel(title, [leave], lines=[self.why])

    def leave(self) -> None:
        self._wire.leave()


def Match(
    game: Callable[[], Any] | PlaySettings,
    line: str | Sequence[str] | MatchLine = "",
    *,
    back: Go | None = None,
    again: Again | None = None,
    clock: Callable[[], float] = time.monotonic,
    **given: Any,
) -> MatchPage:
    """Make a match that begins as ``line`` says, which a person has typed, a program gives, or a menu has made.

    ``game`` is a class, a function that makes a game, or settings; ``given`` are fields of :class:`PlaySettings`.
    ``back`` makes the page to which the match leads back, None to end; ``again`` makes another match by the same line,
    where a window can show one. RetickError if the match cannot be opened.
    """
    settings = settings_of(game, **given)
    if not isinstance(line, MatchLine):
        said, changes = read_line(line)
        line, settings = said or MatchLine(), replace(settings, **changes)
    kind = {"watch": WatchedMatch, "replay": ReplayedMatch}.get(line.kind, PlayedMatch)
    return kind(settings, line, back=back, again=again, clock=clock)
