"""Each cue starts once, and ends once: confirmed by the server's, or cancelled."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client import cue_book
from retick.authority.client.cue_book import CueBook
from retick.authority.frames import Cue
from retick.sim.contract import CueCancelled, CueConfirmed, CueStarted


def told(book: CueBook) -> list[tuple[str, int, Any]]:
    return [(type(each).__name__[3:], each.frame, each.cue) for each in book.drain()]


def test_a_predicted_cue_starts_early_and_is_confirmed_by_one_with_other_floats_and_a_tick_nearby() -> None:
    book = CueBook(6)
    book.predicted(10, {10: [("shot", 1, 2.5)]}, 8)
    assert told(book) == [("Started", 10, ("shot", 1, 2.5))]
    book.predicted(10, {10: [], 11: [("shot", 1, 2.75)]}, 9)
    assert told(book) == []
    book.happened([Cue(12, ("shot", 1, 2.25))], 12)
    assert told(book) == [("Confirmed", 10, ("shot", 1, 2.5))]
    book.predicted(13, {13: []}, 12)
    assert told(book) == []


def test_a_cue_that_nobody_predicted_starts_and_is_confirmed_at_its_tick() -> None:
    book = CueBook(6)
    book.happened([Cue(4, ("hit", 2))], 6)
    assert told(book) == [("Started", 4, ("hit", 2)), ("Confirmed", 4, ("hit", 2))]


def test_a_cue_that_is_no_longer_predicted_or_that_the_server_passed_is_cancelled() -> None:
    book = CueBook(3)
    book.predicted(10, {10: [("a",)], 11: [("b",)]}, 9)
    book.drain()
    book.predicted(10, {10: [("a",)]}, 9)
    assert told(book) == [("Cancelled", 11, ("b",))]
    book.happened([], 12)
    assert told(book) == []
    book.happened([], 13)
    assert told(book) == [("Cancelled", 10, ("a",))]


def test_shots_in_a_row_are_different_ones() -> None:
    book = CueBook(6)
    for tick in (10, 13, 16):
        book.predicted(tick, {tick: [("shot",)]}, 5)
    assert [each[1] for each in told(book)] == [10, 13, 16]
    book.predicted(6, {10: [("shot",)], 13: [("shot",)], 16: [("shot",)]}, 5)
    assert told(book) == []
    book.happened([Cue(10, ("shot",)), Cue(13, ("shot",))], 14)
    assert told(book) == [("Confirmed", 10, ("shot",)), ("Confirmed", 13, ("shot",))]


def test_true_and_one_are_not_the_same_cue() -> None:
    book = CueBook(6)
    book.predicted(10, {10: [("a", True)]}, 9)
    book.happened([Cue(10, ("a", 1))], 10)
    assert [each[0] for each in told(book)] == ["Started", "Started", "Confirmed"]


CUES = st.lists(st.sampled_from([("a",), ("b", 1.5), ("b", 2.5)]), max_size=2)


@given(st.lists(st.tuples(CUES, CUES, st.booleans()), max_size=30), st.integers(0, 4))
def test_every_cue_starts_once_and_ends_once_and_no_true_one_is_missing(ticks: Any, tolerance: int) -> None:
    book = CueBook(tolerance)
    events = []
    true = []
    base = 0
    for tick, (guess, truth, snapshot) in enumerate(ticks, 1):
        book.predicted(tick + 5, {tick + 5: guess}, base)
        true += [Cue(tick, cue) for cue in truth]
        if snapshot:
            book.happened([cue for cue in true if cue.tick > base], tick)
            base = tick
            book.predicted(base + 1, {base + 5: guess}, base)
        events += book.drain()
    book.cancel()
    events += book.drain()
    open_: Counter[Any] = Counter()
    for event in events:
        key = (event.frame, event.cue)
        if isinstance(event, CueStarted):
            open_[key] += 1
        else:
            assert isinstance(event, CueConfirmed | CueCancelled)
            assert open_[key] > 0
            open_[key] -= 1
    assert not +open_
    assert sum(isinstance(each, CueConfirmed) for each in events) == sum(cue.tick <= base for cue in true)


def test_cues_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cue_book, "MOST_OPEN", 3)
    monkeypatch.setattr(cue_book, "MOST_UNREAD", 4)
    book = CueBook(6)
    book.predicted(10, {10: [("a", number) for number in range(9)]}, 9)
    assert len(told(book)) == 3
    book.happened([Cue(10, ("x", number)) for number in range(9)], 10)
    assert book.dropped == 14
    assert len(book.drain()) == 4
