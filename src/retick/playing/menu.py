"""The menu of a game and the pages behind it, of which one is shown at a time."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from retick import replay
from retick.errors import RetickError, UsageError
from retick.playing.match import Match, MatchPage
from retick.playing.match_files import LostSeat, lost_seat
from retick.playing.match_line import MatchLine, read_line
from retick.playing.names import fitting, own_name
from retick.playing.pages import AskPage, ChoicePage, Go, HostsPage, MenuChoice, MenuPage, Page, Pressed
from retick.playing.play_settings import PlaySettings
from retick.playing.way_in import RELAY_VARIABLE, address_text
from retick.playing.wire import Clock, announced_name
from retick.replay import Replay
from retick.transport.discovery import FoundHost, can_search

MOST_FILES = 200
"""Most recordings in the list."""


class Menu:
    """The pages of one game. A window tells ``page`` of keys, calls ``step`` once a picture, and draws ``page``."""

    def __init__(self, game: PlaySettings, *, name: str = "", clock: Clock = time.monotonic) -> None:
        """``name`` is the player's name for the others; by default the system's name for the user."""
        self.game = replace(game, name=fitting(name) or fitting(game.name) or own_name())
        self.clock = clock
        self.page: Page | None = self.menu()

    @property
    def name(self) -> str:
        """What the other players call this one."""
        return self.game.name

    def begin(
        self,
        line: str | Sequence[str] = (),
        *,
        host: bool = False,
        join: str = "",
        watch: str = "",
        online: bool = False,
    ) -> None:
        """Skip the menu if a line says how, or else one of the arguments."""
        if host + bool(join) + bool(watch) > 1:
            raise UsageError("give only one of host, join and watch")
        way, changes = read_line(line, hosts=host)
        # The menu was made before the line was read: it may offer more now, or less.
        self.game = replace(self.game, **changes)
        if way is None and (host or join or watch):
            way = MatchLine("host", online=online) if host else MatchLine("join" if join else "watch", join or watch)
        elif way is not None and way.kind == "host" and online:
            way = replace(way, online=True)
        self.show((lambda: self.match(way)) if way is not None else self.menu)

    # The pages.

    def menu(self) -> Page:
        """The page where the program begins, and to which every page leads back."""
        sim = self.game.make()
        choices = [
            *(self._ways_to_others() if sim.num_players > 1 else []),
            *self._ways_alone(sim.num_players),
            MenuChoice(f"Your name: {self.name or '?'}", self.ask_name),
            MenuChoice("Quit", lambda: None),
        ]
        return MenuPage(
            self.game.title,
            choices,
            clock=self.clock,
            lost=lambda: lost_seat(self.game.folder, announced_name(sim)),
            back=self.go_back,
        )

    def _ways_to_others(self) -> list[MenuChoice]:
        """The choices that lead to a match with others, without those that cannot work here."""
        online = not self.game.plain and _has_relay(self.game)
        everybody = MatchLine("host", everybody=True)
        return [
            MenuChoice("Host a match", lambda: self.match(MatchLine("host"))),
            MenuChoice("Host for everybody on the local network", lambda: self.match(everybody)),
            *([MenuChoice("Host online", self.ask_for_whom)] if online else []),
            MenuChoice("Join with an invite", lambda: self._ask("Join with an invite")),
            *([MenuChoice("Join by code", self.ask_code)] if online else []),
            *([MenuChoice("Join on the local network", self.find)] if can_search() else []),
            MenuChoice("Watch a match", lambda: self._ask("Watch a match", kind="watch")),
        ]

    def _ways_alone(self, num_players: int) -> list[MenuChoice]:
        """The choices that need nobody else: to play at this keyboard, and to look at recordings."""
        here = {1: "Play", 2: "Two at this keyboard"}.get(num_players, "All at this keyboard")
        can_play = len(self.game.press) > 1 or num_players == 1
        play = [MenuChoice(here, lambda: self.match(MatchLine()))] if can_play else []
        listed = [MenuChoice("Replays", self.recordings)] if self.game.folder is not None else []
        return [*play, *listed] if num_players == 1 else [*listed, *play]

    def match(self, line: MatchLine) -> Page:
        """The page of a match that begins like this, or a message with the reason why it cannot be opened."""
        try:
            return Match(self.game, line, back=self.menu, again=self.match, clock=self.clock)
        except RetickError as error:
            self.game.say(f"that did not work: {error}")
            return ChoicePage("That did not work", [MenuChoice("Back", self.menu)], back=self.menu, lines=[str(error)])

    def ask_name(self) -> Page:
        """Ask for the player's name."""

        def answered(name: str) -> Page:
            self.game = replace(self.game, name=fitting(name) or self.name)
            return self.menu()

        return AskPage("Your name", answered, back=self.menu, lines=["The other players see it."], answer=self.name)

    def ask_for_whom(self) -> Page:
        """Ask who may join a match at the relay."""
        invited, everybody = (MatchLine("host", online=True, everybody=each) for each in (False, True))
        choices = [
            MenuChoice("For those who have the invite: a line to paste", lambda: self.match(invited)),
            MenuChoice("For everybody with the code: eight characters to say", lambda: self.match(everybody)),
            MenuChoice("Back", self.menu),
        ]
        return ChoicePage("Host online", choices, back=self.menu)

    def ask_code(self) -> Page:
        """Ask for the code of a match at the relay."""
        lines = ["Ask the host: eight characters, such as 4XK7-M2QP."]
        return AskPage(
            "Join by code", lambda code: self.match(MatchLine("join", code, online=True)), back=self.menu, lines=lines
        )

    def go_back(self, seat: LostSeat) -> Page:
        """Take back the seat of a window that crashed."""
        self.game = replace(self.game, name=seat.name or self.name)
        return self.match(MatchLine("back", seat=seat))

    def find(self) -> Page:
        """Search the local network for hosts."""
        return HostsPage(
            "Join on the local network",
            announced_name(self.game.make()),
            self._join_found,
            back=self.menu,
            unfound=MenuChoice("Join with an invite", lambda: self._ask("Join with an invite")),
        )

    def _join_found(self, host: FoundHost) -> Page:
        """Join a host that was found; ask for its invite first if it needs one, since announcements have no secret."""
        if host.link == "invite":
            return self._ask(f"The invite of {host.name}")
        return self.match(MatchLine("join", address_text(host.address, host.port)))

    def recordings(self) -> Page:
        """A page with the newest recordings in the game's folder."""
        folder = self.game.folder or Path()
        found = [*folder.glob("*.rtk"), *folder.glob("*.rtk.*.part")]
        newest = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[:MOST_FILES]
        lines = [] if newest else [f"There is no recording in {folder}: play a match first."]
        choices = [MenuChoice(path.name, partial(self._recording, path)) for path in newest]
        return ChoicePage("Replays", [*choices, MenuChoice("Back", self.menu)], back=self.menu, lines=lines)

    def _recording(self, path: Path) -> Page:
        try:
            return self.replay(replay.load(path), path.name, back=self.recordings)
        except (RetickError, OSError) as error:
            back = [MenuChoice("Back", self.recordings)]
            return ChoicePage("This file cannot be played", back, back=self.recordings, lines=[str(error)])

    def replay(self, recorded: Replay, name: str, *, back: Go = lambda: None) -> MatchPage:
        """Play one recording; RetickError if it belongs to another game."""
        return Match(self.game, MatchLine("replay", name, recorded=recorded), back=back, clock=self.clock)

    def _ask(self, title: str, kind: Literal["join", "watch"] = "join") -> Page:
        lines = [
            "Paste (Ctrl+V) the line that the host shows: retick:192.168.1.20:7777#...",
            "For a host open to everybody the address is enough: 192.168.1.20, or 192.168.1.20:7778",
        ]
        return AskPage(title, lambda way: self.match(MatchLine(kind, way)), back=self.menu, lines=lines)

    # The loop.

    def step(self, pressed: Pressed | None = None) -> bool:
        """Run one turn of the loop; False when the program is over."""
        if self.page is not None:
            self.page.turn(pressed)
            if self.page.go is not None:
                self.show(self.page.go)
        return self.page is not None

    def show(self, go: Go | None) -> None:
        """Leave the present page, and only then make the next one, which may need the same port."""
        before, self.page = self.page, None
        if before is not None:
            before.leave()
        self.page = None if go is None else go()


def _has_relay(game: PlaySettings) -> bool:
    """Whether a relay is named, even one that cannot be read: choosing the entry then says what is wrong with it."""
    return bool(game.relay or os.environ.get(RELAY_VARIABLE))
