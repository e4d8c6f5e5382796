"""The program around a game: ``play`` and its command line, the window, the menu and the loop."""

import os
import signal
import sys
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pygame
from pygame import Surface
from pygame.event import Event

from retick.errors import RetickError, UsageError
from retick.integrations.pygame.files import LostSeat, lost_seat
from retick.integrations.pygame.match_page import MatchPage
from retick.integrations.pygame.names import fitting, own_name
from retick.integrations.pygame.pages import AskPage, ChoicePage, Go, HostsPage, MenuChoice, MenuPage, Page, copied
from retick.integrations.pygame.pages import plain as printable
from retick.integrations.pygame.replay_page import ReplayPage, recordings_page
from retick.integrations.pygame.watch_page import WatchPage
from retick.integrations.pygame.window_game import Press, WindowGame, window_game_of
from retick.integrations.pygame.wire import Clock, announced_name, hosted, hosted_online, joined, practised, watched
from retick.playing.way_in import RELAY_VARIABLE, OnlineWay, address_text, relay_address, way_in
from retick.replay import Replay
from retick.rollback import MatchConfig
from retick.transport import BAD_LINK, Conditions
from retick.transport.discovery import FoundHost, can_search

PICTURES_A_SECOND = 120
"""Most pictures per second; frames of the match run when they are due."""


class Program:
    """The pages of one game. ``run`` opens a window; a test calls ``turn`` with its own events."""

    def __init__(self, game: WindowGame, *, name: str = "", clock: Clock = time.monotonic) -> None:
        """``name`` is the player's name for the others; by default the system's name for the user."""
        self.game = game
        self.clock = clock
        self.name = fitting(name) or own_name()
        self.page: Page | None = self.menu()

    def begin(self, *, host: bool = False, join: str = "", watch: str = "", online: bool = False) -> None:
        """Skip the menu: host (with ``online`` at the relay), join with what was pasted, or watch."""
        if host + bool(join) + bool(watch) > 1:
            raise UsageError("give only one of host, join and watch")
        if host or join or watch:
            hosting = self.host_online if online else self.host
            self.show(lambda: hosting() if host else self.join(join) if join else self.watch(watch))

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
        title = self.game.title or str(getattr(sim, "game_id", ""))
        return MenuPage(
            title, choices, lost=lambda: lost_seat(self.game.folder, announced_name(sim)), back=self.go_back
        )

    def _ways_to_others(self) -> list[MenuChoice]:
        """The choices that lead to a match with others, without those that cannot work here."""
        online = not self.game.plain and _has_relay(self.game)
        return [
            MenuChoice("Host a match", self.host),
            MenuChoice("Host for everybody on the local network", lambda: self.host(everybody=True)),
            *([MenuChoice("Host online", self.ask_for_whom)] if online else []),
            MenuChoice("Join with an invite", lambda: self._ask("Join with an invite", self.join)),
            *([MenuChoice("Join by code", self.ask_code)] if online else []),
            *([MenuChoice("Join on the local network", self.find)] if can_search() else []),
            MenuChoice("Watch a match", lambda: self._ask("Watch a match", self.watch)),
        ]

    def _ways_alone(self, num_players: int) -> list[MenuChoice]:
        """The choices that need nobody else: to play at this keyboard, and to look at recordings."""
        here = {1: "Play", 2: "Two at this keyboard"}.get(num_players, "All at this keyboard")
        play = [MenuChoice(here, self.practise)] if len(self.game.press) > 1 or num_players == 1 else []
        replays = MenuChoice("Replays", lambda: recordings_page(self.game, back=self.menu))
        listed = [replays] if self.game.folder is not None else []
        return [*play, *listed] if num_players == 1 else [*listed, *play]

    def ask_name(self) -> Page:
        """Ask for the player's name."""

        def answered(name: str) -> Page:
            self.name = fitting(name) or self.name
            return self.menu()

        return AskPage("Your name", answered, back=self.menu, lines=["The other players see it."], answer=self.name)

    def host(self, *, everybody: bool | None = None) -> Page:
        """Wait for others to join: those who have the invite, or everybody."""

        def page() -> Page:
            wire, lines = hosted(self.game, self.clock, name=self.name, everybody=everybody)
            if wire.form.invite is not None and copied(wire.form.invite.text()):
                lines[1:1] = ["It is on the clipboard: send it to those you want to play with."]
            again = MenuChoice("Host again", lambda: self.host(everybody=everybody))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=list(filter(None, lines)))

        return self._or_message(page)

    def ask_for_whom(self) -> Page:
        """Ask who may join a match at the relay."""
        choices = [
            MenuChoice("For those who have the invite: a line to paste", lambda: self.host_online(everybody=False)),
            MenuChoice(
                "For everybody with the code: eight characters to say", lambda: self.host_online(everybody=True)
            ),
            MenuChoice("Back", self.menu),
        ]
        return ChoicePage("Host online", choices, back=self.menu)

    def host_online(self, *, everybody: bool | None = None) -> Page:
        """Wait for others to join by a code, wherever they are: those who have the invite, or everybody."""

        def page() -> Page:
            wire = hosted_online(self.game, self.clock, name=self.name, everybody=everybody)
            wire.on_invite = lambda invite: copied(invite.text())
            again = MenuChoice("Host again", lambda: self.host_online(everybody=everybody))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=["A match at the relay"])

        return self._or_message(page)

    def ask_code(self) -> Page:
        """Ask for the code of a match at the relay."""
        lines = ["Ask the host: eight characters, such as 4XK7-M2QP."]
        return AskPage("Join by code", lambda code: self.join(code, is_code=True), back=self.menu, lines=lines)

    def join(self, way: str, *, is_code: bool = False) -> Page:
        """Ask a host, or any peer of a match with a free seat, for a seat: with an invite, by code, or at an address.

        With ``is_code`` it is a code or an invite, never a host name.
        """

        def page() -> Page:
            typed = way_in(way, default_port=self.game.port, is_online=is_code)
            wire = joined(self.game, typed, self.clock, name=self.name)
            again = MenuChoice("Join again", lambda: self.join(way, is_code=is_code))
            where = typed.code if isinstance(typed, OnlineWay) else address_text(*typed.target)
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=[f"Joining {where}"])

        return self._or_message(page)

    def go_back(self, seat: LostSeat) -> Page:
        """Take back the seat of a window that crashed."""

        def page() -> Page:
            at = way_in(seat.addresses[0], default_port=self.game.port)
            wire = joined(self.game, at, self.clock, name=self.name, seat=seat)
            later = seat._replace(addresses=(*seat.addresses[1:], seat.addresses[0]))
            again = MenuChoice("Try again", lambda: self.go_back(later))
            return MatchPage(self.game, wire, back=self.menu, again=again, lines=["Going back to the match"])

        seat.path.unlink(missing_ok=True)
        self.name = seat.name or self.name
        return self._or_message(page)

    def find(self) -> Page:
        """Search the local network for hosts."""
        return HostsPage(
            "Join on the local network",
            announced_name(self.game.make()),
            self._join_found,
            back=self.menu,
            unfound=MenuChoice("Join with an invite", lambda: self._ask("Join with an invite", self.join)),
        )

    def _join_found(self, host: FoundHost) -> Page:
        """Join a host that was found; ask for its invite first if it needs one, since announcements have no secret."""
        if host.link == "invite":
            return self._ask(f"The invite of {host.name}", self.join)
        return self.join(address_text(host.address, host.port))

    def watch(self, way: str) -> Page:
        """Watch a match: with its invite, or through the peer at an address."""

        def page() -> Page:
            return WatchPage(self.game, watched(self.game, way, self.clock), back=self.menu)

        return self._or_message(page)

    def practise(self) -> Page:
        """Play with everybody at this keyboard."""
        again = MenuChoice("Play again", self.practise)
        return self._or_message(
            lambda: MatchPage(self.game, practised(self.game, self.clock), back=self.menu, again=again)
        )

    def replay(self, recorded: Replay, name: str) -> ReplayPage:
        """Play one recording, then end; RetickError if it belongs to another game."""
        return ReplayPage(self.game, recorded, name, back=lambda: None)

    def _ask(self, title: str, answered: Callable[[str], Page]) -> Page:
        lines = [
            "Paste (Ctrl+V) the line that the host shows: retick:192.168.1.20:7777#...",
            "For a host open to everybody the address is enough: 192.168.1.20, or 192.168.1.20:7778",
        ]
        return AskPage(title, answered, back=self.menu, lines=lines)

    def _or_message(self, make: Go) -> Page:
        """Make a page, or a message with the reason why it cannot be opened."""
        try:
            page = make()
            assert page is not None
            return page
        except RetickError as error:
            self.game.say(f"that did not work: {error}")
            return ChoicePage("That did not work", [MenuChoice("Back", self.menu)], back=self.menu, lines=[str(error)])

    # The loop.

    def turn(self, events: Iterable[Event]) -> bool:
        """Run one turn of the loop; False when the program is over."""
        page = self.page
        for event in events:
            if event.type == pygame.QUIT:
                self.show(None)
                return False
            if page is not None and page.go is None:  # later events are not meant for the next page
                page.handle(event)
        if page is not None:
            page.turn(self.clock())
            if page.go is not None:
                self.show(page.go)
        return self.page is not None

    def show(self, go: Go | None) -> None:
        """Leave the present page, and only then make the next one, which may need the same port."""
        before, self.page = self.page, None
        if before is not None:
            before.leave()
        self.page = None if go is None else go()

    def draw(self, screen: Surface) -> None:
        """Draw the present page."""
        if self.page is not None:
            self.page.draw(screen)

    def run(self) -> None:
        """Open the window and run until it is closed. However it ends, the other peers get a goodbye."""
        try:
            window = _open_window(self.game)
            pygame.key.start_text_input()
            ticks = pygame.time.Clock()
            screen = Surface(self.game.size)
            with _closed_by_signals():
                while self.turn([_scaled(event, window, screen) for event in pygame.event.get()]):
                    self.draw(screen)
                    _show(window, screen)
                    ticks.tick(PICTURES_A_SECOND)
        finally:
            try:
                self.show(None)
            finally:
                pygame.display.quit()


def _has_relay(game: WindowGame) -> bool:
    """Whether a relay is named, even one that cannot be read: choosing the entry then says what is wrong with it."""
    return bool(game.relay or os.environ.get(RELAY_VARIABLE))


@contextmanager
def _closed_by_signals() -> Iterator[None]:
    """Close the window when the process or its terminal is ended, so that the other peers get a goodbye."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set signal handlers
        yield
        return
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, lambda *_: pygame.event.post(Event(pygame.QUIT)))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _open_window(game: WindowGame) -> Surface:
    try:
        pygame.display.init()
        pygame.font.init()
        window = pygame.display.set_mode(game.size, pygame.RESIZABLE)
    except pygame.error as error:
        raise RetickError(f"the window cannot be opened: {error}") from None
    pygame.display.set_caption(game.title)
    return window


def _place(window: Surface, screen: Surface) -> pygame.Rect:
    """Where the picture is in the window: as large as possible, in the middle."""
    return screen.get_rect().fit(window.get_rect())


def _show(window: Surface, screen: Surface) -> None:
    place = _place(window, screen)
    if place.size == screen.get_size():
        window.blit(screen, place)
    else:
        window.fill((0, 0, 0))
        window.blit(pygame.transform.scale(screen, place.size), place)
    pygame.display.flip()


def _scaled(event: Event, window: Surface, screen: Surface) -> Event:
    """Convert mouse events to pixels of the picture."""
    if event.type not in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        return event
    place = _place(window, screen)
    x = (event.pos[0] - place.left) * screen.get_width() // max(place.width, 1)
    y = (event.pos[1] - place.top) * screen.get_height() // max(place.height, 1)
    return Event(event.type, {**event.dict, "pos": (x, y)})


def play(
    game: Callable[[], Any],
    draw: Callable[..., object] | None = None,
    press: Press | Sequence[Press] | None = None,
    *,
    title: str | None = None,
    size: tuple[int, int] | None = None,
    result: Callable[[Any], str | None] | None = None,
    hear: Callable[[Hashable], object] | None = None,
    sounds: Mapping[str, Any] | None = None,
    config: MatchConfig | None = None,
    port: int = 7777,
    folder: str | Path | None = "matches",
    name: str = "",
    host: bool = False,
    join: str = "",
    watch: str = "",
    link: str = "",
    online: bool = False,
    relay: str = "",
    relay_only: bool = False,
    everybody: bool = False,
    plain: bool = False,
    identity: str | Path | None = None,
    keylog: str | Path | None = None,
    bot: bool = False,
    argv: Sequence[str] | None = None,
) -> None:
    """Play ``game`` in a window, alone or online, until the window is closed; :class:`WindowGame` has the arguments.

    Arguments that are not given are taken from the game's class or its module: ``draw``, ``press``, ``title`` and so
    on. ``name`` is the player's name for the others; the menu can change it. ``host``, ``join`` and ``watch`` skip the
    menu. ``link`` makes the network of this window bad: round trip, jitter and loss, ``"120ms,10ms,5%"``. ``bot`` lets
    the game's ``bot(player, world)`` (or ``bot(player, state)``) play here, or random buttons.

    Only players with the invite, which the window shows, can join a hosted match; with ``everybody`` all who know the
    address can. ``join`` and ``watch`` take an invite, a code or an address. With ``online``, ``host`` waits at the
    ``relay`` (or at RETICK_RELAY), where others join by a code; ``relay_only`` hides players' addresses.

    ``argv`` has the words of a command line: --host, --online, --relay, --relay-only, --open, --join INVITE,
    --watch INVITE, --name, --port, --bot, --bad-link, --link, --plain, --identity, --keylog. If it is not given and the
    main program calls ``play``, the program's own arguments are used.
    """
    if argv is None:
        started = sys._getframe(1).f_globals.get("__name__") == "__main__"
        argv = sys.argv[1:] if started else ()
    words = _read(argv, hosts=host)
    link = words.link or (BAD_LINK if words.bad_link else link)
    window_game = window_game_of(
        game,
        draw=draw,
        press=press,
        title=title,
        size=size,
        result=result,
        hear=hear,
        sounds=sounds,
        config=config,
        port=port if words.port is None else words.port,
        bot=bot or words.bot,
        relay=words.relay or relay,
        relay_only=relay_only or words.relay_only,
        everybody=everybody or words.open,
        plain=plain or words.plain,
        identity=_path(words.identity or identity),
        keylog=_path(words.keylog or keylog),
        bad_link=Conditions.from_text(link) if link else None,
        folder=None if folder is None else Path(folder),
        say=_say,
    )
    program = Program(window_game, name=words.name or name)
    with suppress(KeyboardInterrupt):
        if words.host or words.join or words.watch:
            host, join, watch = words.host, words.join, words.watch
        program.begin(host=host, join=join, watch=watch, online=online or words.online)
        program.run()


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _say(line: str) -> None:
    """Print a line, if there is a terminal; characters that it may take as commands are replaced."""
    with suppress(OSError):
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        print(printable(line).encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _checked(check: Callable[[str], object]) -> Callable[[str], str]:
    """A type for argparse: the word as it was typed, if ``check`` raises no UsageError."""

    def word(text: str) -> str:
        try:
            check(text)
        except UsageError as error:
            raise ArgumentTypeError(str(error)) from None
        return text

    return word


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"a port is 0 to 65535, not {text}")
    return int(text)


def _read(argv: Sequence[str], *, hosts: bool) -> Namespace:
    parser = ArgumentParser(epilog="A program with options of its own calls play(..., argv=[]).")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--host", action="store_true", help="host a match at once, without the menu")
    way.add_argument("--join", metavar="INVITE", default="", help="join at once: invite, code or address")
    way.add_argument("--watch", metavar="INVITE", default="", help="watch at once, in the same way")
    parser.add_argument("--online", action="store_true", help="with --host: at a relay, where others join by a code")
    relay = _checked(relay_address)
    parser.add_argument("--relay", metavar="ADDRESS", type=relay, help="the relay of online matches; or RETICK_RELAY")
    parser.add_argument("--relay-only", action="store_true", help="online: no player learns the address of another")
    parser.add_argument("--open", action="store_true", help="host for everybody who knows the address")
    parser.add_argument("--plain", action="store_true", help="unsealed links; all sides must say it")
    parser.add_argument("--identity", metavar="FILE", help="a lasting key of this machine; made at first use")
    parser.add_argument("--keylog", metavar="FILE", help="append the keys of all links to this file")
    parser.add_argument("--name", default="", help="what the other players call you")
    parser.add_argument("--port", type=_port, help="UDP port of a host, and of addresses without one")
    parser.add_argument("--bot", action="store_true", help="let the game's bot play here, or random buttons")
    bad = BAD_LINK.replace("%", "%%")
    parser.add_argument("--bad-link", action="store_true", help=f"make the network of this window bad: --link {bad}")
    link = _checked(Conditions.from_text)
    parser.add_argument("--link", metavar="RTT,JITTER,LOSS", type=link, help="what to add to the network")
    words = parser.parse_args(argv)
    if words.online and not (words.host or hosts):
        parser.error("--online is for --host; others join with --join and the code")
    return words
