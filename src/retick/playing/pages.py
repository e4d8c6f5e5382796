"""Pages, of which a window shows one at a time: their base class, panels, menus and questions. Knows no framework.

A window tells the page of keys by name, of typed text and of the mouse, calls ``turn`` once a picture, and draws what
the page holds. What the main menu offers is in ``menu``; a match is a page too, in ``match``.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from retick.errors import MissingExtra
from retick.playing.match_files import LostSeat
from retick.transport.discovery import FoundHost, HostSearch

# A title, lines of text and choices: a whole page, or a box over a match.

MOST_LETTERS = 300
"""Most letters of a line, since texts come from other peers, too."""
SHOWN = 11
"""Choices that are shown at the same time."""


class MenuChoice(NamedTuple):
    """A line that can be chosen."""

    label: str
    action: Callable[[], Any]


def plain(text: str) -> str:
    """Shorten a text that may come from another peer, and replace what cannot be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])


class Panel:
    """A title, lines and choices. Up, Down and Enter choose, or the mouse."""

    def __init__(self, title: str, choices: Sequence[MenuChoice] = (), *, lines: Sequence[str] = ()) -> None:
        self.title = title
        self.lines = list(lines)
        self.choices = list(choices)
        self.selected = 0
        self.places: list[tuple[tuple[int, int, int, int], int]] = []
        """Left, top, width and height of each choice that is drawn, and its number; set by whoever draws."""

    def key(self, name: str) -> MenuChoice | None:
        """Handle a key; return the choice that it makes, None if it makes none."""
        count = len(self.choices)
        if not count:
            return None
        self.selected = min(self.selected, count - 1)
        if name in ("up", "down"):
            self.selected = (self.selected + (1 if name == "down" else -1)) % count
        # The space bar fires in many games, and a panel may open while somebody still plays.
        return self.choices[self.selected] if name == "return" else None

    def point(self, x: float, y: float, *, clicked: bool) -> MenuChoice | None:
        """Handle the mouse; return the choice that a click makes."""
        for (left, top, width, height), number in self.places:
            if left <= x < left + width and top <= y < top + height and number < len(self.choices):
                self.selected = number
                return self.choices[number] if clicked else None
        return None

    def shown(self) -> list[tuple[int, MenuChoice]]:
        """The choices around the selected one, as many as are shown at the same time, with their numbers."""
        first = max(min(self.selected - SHOWN // 2, len(self.choices) - SHOWN), 0)
        return list(enumerate(self.choices))[first : first + SHOWN]

    def text(self) -> list[str]:
        """Everything as lines, with a mark at the selected choice."""
        choices = [f"{'>' if number == self.selected else ' '} {choice.label}" for number, choice in self.shown()]
        return [self.title, *self.lines, *choices]


LONGEST_ANSWER = 300
"""Most letters of an answer: an invite with the longest address."""
LETTERS_SHOWN = 36
"""Letters of an answer's end that are shown."""
LOOKED_EVERY = 1.0
"""Seconds between two searches of the menu for a match to go back to."""
Go: TypeAlias = Callable[[], "Page | None"]
"""Makes the page to go to; None ends the program."""
Pressed: TypeAlias = int | Sequence[int] | Callable[[tuple[int, ...]], int | Sequence[int]]
"""The buttons of the seat here, of several, or a function of the seats here that is called for each frame."""


class Page:
    """Base class of pages; every hook is optional."""

    panel: Panel | None = None
    """What is asked and told, to be drawn."""

    def __init__(self) -> None:
        self.go: Go | None = None
        """Set this to leave the page: it makes the next page, or returns None to end the program."""

    def key_down(self, name: str, code: int | None = None) -> None:
        """Handle a key by its name, such as ``up``, ``return``, ``escape`` or ``a``; ``code`` is the framework's."""

    def key_up(self, code: int) -> None:
        """Handle a key that was released."""

    def release_all(self) -> None:
        """Handle the loss of the keyboard."""

    def type(self, text: str) -> None:
        """Handle typed or pasted text."""

    def point(self, x: float, y: float, *, clicked: bool = False) -> None:
        """Handle the mouse, in pixels of the picture from its upper left corner."""

    def turn(self, pressed: Pressed | None = None) -> None:
        """Called once for each picture."""

    def leave(self) -> None:
        """Called once, on every way out of this page."""


class ChoicePage(Page):
    """A menu, or a message with ways to go on; Esc goes back."""

    panel: Panel

    def __init__(self, title: str, choices: Sequence[MenuChoice], *, back: Go, lines: Sequence[str] = ()) -> None:
        super().__init__()
        self.panel = Panel(title, choices, lines=lines)
        self.back = back

    def key_down(self, name: str, code: int | None = None) -> None:
        if name == "escape":
            self.go = self.back
        else:
            self._choose(self.panel.key(name))

    def point(self, x: float, y: float, *, clicked: bool = False) -> None:
        self._choose(self.panel.point(x, y, clicked=clicked))

    def _choose(self, chosen: MenuChoice | None) -> None:
        if chosen is not None:
            self.go = chosen.action


class MenuPage(ChoicePage):
    """The menu, which also offers the way back to a match if there is one. Esc ends the program."""

    def __init__(
        self,
        title: str,
        choices: Sequence[MenuChoice],
        *,
        clock: Callable[[], float],
        lost: Callable[[], LostSeat | None],
        back: Callable[[LostSeat], Page | None],
    ) -> None:
        super().__init__(title, choices, back=lambda: None)
        self._usual, self._clock, self._lost, self._go_back = list(choices), clock, lost, back
        self._looked: float | None = None

    def turn(self, pressed: Pressed | None = None) -> None:
        now = self._clock()
        if self._looked is not None and now < self._looked + LOOKED_EVERY:
            return
        seat = self._lost()
        before = len(self.panel.choices)
        way = [] if seat is None else [MenuChoice("Go back to the match", lambda: self._go_back(seat))]
        self.panel.choices = [*way, *self._usual]
        if self._looked is not None:  # keep the selection, which is the way back only at first
            self.panel.selected = max(self.panel.selected + len(self.panel.choices) - before, 0)
        self._looked = now


class AskPage(ChoicePage):
    """Asks for a line of text; Enter accepts it."""

    def __init__(
        self, title: str, answered: Callable[[str], Page | None], *, back: Go, lines: Sequence[str], answer: str = ""
    ) -> None:
        super().__init__(title, [], back=back, lines=[*lines, "", "Enter: go on    Esc: back"])
        self._answered = answered
        self.answer = answer

    @property
    def shown(self) -> str:
        """The end of the answer, with a mark where the next letter stands."""
        return f"{self.answer[-LETTERS_SHOWN:]}_"

    def key_down(self, name: str, code: int | None = None) -> None:
        if name == "backspace":
            self.answer = self.answer[:-1]
        elif name == "return":
            if answer := self.answer.strip():
                self.go = lambda: self._answered(answer)
        else:
            super().key_down(name, code)

    def type(self, text: str) -> None:
        self.answer = (self.answer + plain(text))[:LONGEST_ANSWER]


class HostsPage(ChoicePage):
    """Lists the hosts on the local network while they come and go."""

    def __init__(
        self, title: str, game: str, chosen: Callable[[FoundHost], Page | None], *, back: Go, unfound: MenuChoice
    ) -> None:
        """``unfound`` is the choice for somebody whose host is not in the list."""
        super().__init__(title, [unfound], back=back)
        self._chosen, self._unfound = chosen, unfound
        self.search: HostSearch | None = None
        self._why = ""
        try:
            self.search = HostSearch(game)
        except MissingExtra as error:
            self._why = str(error)
        except OSError as error:
            self._why = f"the local network cannot be searched: {error.strerror or error}"

    def turn(self, pressed: Pressed | None = None) -> None:
        hosts = self.search.hosts() if self.search is not None else []
        self.panel.choices = [*map(self._choice, hosts), self._unfound]
        self.panel.lines = [self._why or ("Choose a host:" if hosts else "Searching the local network ...")]

    def _choice(self, host: FoundHost) -> MenuChoice:
        needs = "   (with its invite)" if host.link == "invite" else ""
        return MenuChoice(f"{host.name}   {host.address}{needs}", lambda: self._chosen(host))

    def leave(self) -> None:
        if self.search is not None:
            self.search.close()
