"""What is said about a session."""

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from retick.link import Reason
from retick.playing.match import MOST_REPORT_LINES, report_lines, room_lines
from retick.playing.online import OnlineStatus
from retick.playing.story import why_gone
from retick.rollback import PeerDisconnected, RollbackSession
from tests.integrations.pygame.runners import Runners


def called(players: Sequence[int]) -> str:
    return f"players {players}"


@pytest.mark.parametrize(
    ("reason", "players", "text", "said"),
    [
        (Reason.GOODBYE, (1,), "goodbye", "players (1,) left"),
        (Reason.GOODBYE, (1,), "I am tired", "players (1,) left: I am tired"),
        (Reason.GOODBYE, (), "goodbye", "the host left"),
        (Reason.NO_ANSWER, (), "no answer", "There is no answer."),
        (Reason.TIMEOUT, (1,), "nothing heard", "players (1,): nothing heard"),
        (Reason.DENIED, (), "the match is full", "the match is full"),
    ],
)
def test_a_goodbye_names_who_left_and_why(reason: int, players: tuple[int, ...], text: str, said: str) -> None:
    event = PeerDisconnected(peer=1, players=players, reason=int(reason), text=text)
    assert why_gone(event, called).startswith(said)


def test_a_room_has_a_line_for_each_seat_and_who_has_none_connects() -> None:
    host = RollbackSession(Runners(), entropy=os.urandom, name="Ann")
    assert room_lines(host, OnlineStatus()) == ["", "player 1:  Ann  (you)", "player 2:  waiting ..."]
    joiner = RollbackSession(Runners(), entropy=os.urandom, host_address=("127.0.0.1", 9))
    assert room_lines(joiner, OnlineStatus()) == ["", "Connecting ..."]


def test_a_long_report_is_cut_and_its_inputs_are_left_out() -> None:
    class Report(SimpleNamespace):
        def __str__(self) -> str:
            return "\n".join([*map(str, range(20)), "inputs, one for each player:", "frame 1"])

    report: Any = Report()
    assert report_lines(report) == [*map(str, range(MOST_REPORT_LINES)), f"and {20 - MOST_REPORT_LINES} lines more"]
