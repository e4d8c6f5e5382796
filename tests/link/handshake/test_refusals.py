"""Refusals are counted by their text, and a flood of different texts takes no more room."""

import pytest

from retick.link import Reason
from retick.link.handshake import strangers
from retick.link.handshake.strangers import OTHERS, RecentRefusal, Refusals
from retick.link.request import Refuse


def test_refusals_with_one_text_are_one_entry_with_the_last_address() -> None:
    found = Refusals()
    for port in range(3):
        found.note(Refuse(text="the room is full"), ("10.0.0.1", port))
    found.note(Refuse(reason=Reason.DENIED), "there")
    found.note(Refuse(reason=Reason.REDIRECT, text="port 7778"), "there")
    assert found.take() == [RecentRefusal("the room is full", 3, ("10.0.0.1", 2)), RecentRefusal("refused", 1, "there")]
    assert found.take() == []


def test_texts_past_the_limit_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "MOST_TEXTS", 2)
    found = Refusals()
    for number in range(5):
        found.note(Refuse(text=f"late by {number} s"), number)
    assert [(each.text, each.times) for each in found.take()] == [("late by 0 s", 1), ("late by 1 s", 1), (OTHERS, 3)]
