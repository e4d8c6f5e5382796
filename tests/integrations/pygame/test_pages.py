"""Pages that only ask: a line of text, and the hosts on the local network."""

import pytest

from retick.errors import MissingExtra
from retick.playing import pages
from retick.playing.pages import LONGEST_ANSWER, AskPage, HostsPage, MenuChoice, Page
from retick.transport.discovery import FoundHost


def ask(answers: list[str]) -> AskPage:
    return AskPage("title", lambda answer: answers.append(answer), back=Page, lines=["line"])  # type: ignore[func-returns-value] # None ends the program


def test_a_line_is_typed_corrected_and_taken_with_enter() -> None:
    answers: list[str] = []
    page = ask(answers)
    page.key_down("return")
    assert page.go is None
    page.type(" hostx")
    page.key_down("backspace")
    page.type("\x00" * LONGEST_ANSWER)
    assert page.answer == (" host" + "?" * LONGEST_ANSWER)[:LONGEST_ANSWER]
    page.key_down("return")
    assert page.go is not None
    assert page.go() is None
    assert answers == [page.answer.strip()]


def test_escape_goes_back() -> None:
    page = ask([])
    page.key_down("escape")
    assert page.go is Page


class Search:
    """Hosts from a list."""

    found: list[FoundHost] = []

    def __init__(self, game: str) -> None:
        self.game, self.closed = game, False

    def hosts(self) -> list[FoundHost]:
        return self.found

    def close(self) -> None:
        self.closed = True


def hosts_page(chosen: list[FoundHost]) -> HostsPage:
    return HostsPage("title", "a game 1", chosen.append, back=Page, unfound=MenuChoice("Join with an invite", Page))  # type: ignore[arg-type] # None ends the program


def test_hosts_are_listed_as_they_come_and_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "HostSearch", Search)
    chosen: list[FoundHost] = []
    page = hosts_page(chosen)
    page.turn()
    assert page.panel.lines == ["Searching the local network ..."]
    desk = FoundHost("desk", "10.0.0.5", 7777, "a game 1", 2)
    monkeypatch.setattr(Search, "found", [desk])
    page.turn()
    assert [choice.label for choice in page.panel.choices] == ["desk   10.0.0.5", "Join with an invite"]
    page.key_down("return")
    assert page.go is not None
    page.go()
    assert chosen == [desk]
    page.leave()
    assert page.search is not None
    assert page.search.closed  # type: ignore[attr-defined] # the one above


@pytest.mark.parametrize("error", [MissingExtra("needs zeroconf"), OSError(101, "no network")])
def test_a_network_that_cannot_be_searched_is_said_in_words(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fails(game: str) -> None:
        raise error

    monkeypatch.setattr(pages, "HostSearch", fails)
    page = hosts_page([])
    page.turn()
    assert str(error).rpartition("] ")[2] in page.panel.lines[0]
    page.leave()
