"""How players are called."""

import getpass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.playing.names import fitting, own_name
from retick.playing.story import names_by_seat, names_of
from retick.rollback import RollbackSession, RosterPeer
from tests.integrations.pygame.runners import Runners

ROSTER = [RosterPeer(0, (0,), "Ann", b""), RosterPeer(1, (1,), "", b""), RosterPeer(2, (2, 3), "Ann", b"")]


def test_players_are_called_by_their_names_and_this_one_you() -> None:
    names = names_by_seat(ROSTER[:2])
    assert names == {0: "Ann", 1: "player 2"}
    assert names_of((0, 1, 2), names, me=(1,)) == "Ann and you and player 3"
    assert names_of((), names) == "somebody"


def test_two_with_one_name_are_told_apart_by_their_seats() -> None:
    assert names_by_seat(ROSTER) == {0: "Ann (1)", 1: "player 2", 2: "Ann (3)", 3: "Ann (4)"}


@given(st.text())
def test_any_text_becomes_a_name_that_a_session_takes(text: str) -> None:
    name = fitting(text)
    assert RollbackSession(Runners(), entropy=bytes, name=name).roster[0].name == name


@pytest.mark.parametrize("error", [OSError, KeyError, ModuleNotFoundError])
def test_a_system_that_knows_no_name_is_no_error(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Any:
        raise error("no name")

    monkeypatch.setattr(getpass, "getuser", fails)
    assert own_name() == ""
