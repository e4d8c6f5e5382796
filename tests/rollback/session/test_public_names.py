"""A session has the names that docs/guides/rollback-sessions.md lists, and no others: its parts are its own."""

import pydoc
import re
from pathlib import Path
from random import Random

from retick.rollback.session.inside import SessionInside, inside_of
from retick.rollback.session.session import RollbackSession
from tests.toys import Tally

PAGE = Path(__file__).parents[3] / "docs/guides/rollback-sessions.md"
HEADING = "## Everything a session has"


def documented() -> set[str]:
    section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def public(names: list[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def made() -> RollbackSession:
    return RollbackSession(Tally(2), entropy=Random(1).randbytes, seats=2)


def test_a_session_has_exactly_the_names_that_its_page_lists() -> None:
    assert public(dir(RollbackSession)) == documented()
    assert public(dir(made())) == documented()


def test_help_shows_every_documented_name_and_nothing_of_the_inside() -> None:
    text = pydoc.plain(pydoc.render_doc(RollbackSession))
    shown = set(re.findall(r"^ \|  (\w+)", text, flags=re.MULTILINE))
    assert documented() - shown == set()
    inside = public(dir(inside_of(made()))) - documented()
    assert {"membership", "tell", "expel", "parts", "link", "match", "lobby"} <= inside
    assert shown & inside == set()
    assert SessionInside.__name__ not in text


def test_help_has_a_signature_and_a_text_for_every_call() -> None:
    for name in documented():
        member = getattr(RollbackSession, name)
        assert member.__doc__, name
        if callable(member):
            assert re.search(
                rf"^ \|  {name}\(self.*\) -> ", pydoc.plain(pydoc.render_doc(RollbackSession)), re.MULTILINE
            )


def test_what_an_application_reads_it_cannot_change() -> None:
    session = made()
    calls = {name for name in documented() if callable(getattr(RollbackSession, name))}
    for name in documented() - calls:
        try:
            setattr(session, name, None)
        except AttributeError:
            continue
        raise AssertionError(f"{name} can be set")
