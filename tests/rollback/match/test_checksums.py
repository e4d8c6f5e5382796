"""Checksums of two sides, compared in whatever order they come."""

from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.match.match import PAGES, ChecksumBook


def test_equal_checksums_are_agreement() -> None:
    book = ChecksumBook(16)
    assert book.write(16, 5) is None
    assert book.claim(16, 5) is None
    assert (book.last_agreed, book.compared) == (16, 1)


def test_different_checksums_are_reported_with_both_values_in_either_order() -> None:
    ours_first, theirs_first = ChecksumBook(16), ChecksumBook(16)
    assert ours_first.write(32, 1) is None
    assert ours_first.claim(32, 2) == (32, 1, 2)
    assert theirs_first.claim(32, 2) is None
    assert theirs_first.write(32, 1) == (32, 1, 2)
    assert ours_first.last_agreed == theirs_first.last_agreed == -1


def test_claims_of_frames_that_are_not_compared_or_are_judged_already_are_passed_over() -> None:
    book = ChecksumBook(16)
    book.write(16, 1)
    assert book.claim(16, 1) is None
    assert [book.claim(frame, 9) for frame in (15, 16, 8, 0)] == [None] * 4
    assert book.compared == 1


@given(st.integers(1, 40), st.data())
def test_agreement_does_not_depend_on_the_order_of_arrival(frames: int, data: st.DataObject) -> None:
    book = ChecksumBook(1)
    ours = [(frame, True) for frame in range(1, frames + 1)]
    theirs = [(frame, False) for frame in range(1, frames + 1)]
    mixed = sorted(ours + theirs, key=lambda entry: (entry[0], data.draw(st.booleans())))
    for frame, is_ours in mixed:
        assert (book.write(frame, frame) if is_ours else book.claim(frame, frame)) is None
    assert (book.last_agreed, book.compared) == (frames, frames)


def test_a_side_that_claims_without_end_fills_no_memory() -> None:
    book = ChecksumBook(1)
    for frame in range(1, 10 * PAGES):
        book.claim(frame, 1)
    assert book.write(1, 2) is None, "the oldest claims are forgotten"
    assert book.write(10 * PAGES - 1, 2) == (10 * PAGES - 1, 2, 1)


def test_a_page_older_than_the_one_in_its_place_is_passed_over() -> None:
    book = ChecksumBook(4)
    newest = 4 * (PAGES + 1)
    assert book.claim(newest, 1) is None
    assert book.claim(4, 1) is None, "it would be in the place of the newest"
    assert book.write(4, 2) is None, "the claim for it was not kept"
    assert book.write(newest, 2) == (newest, 2, 1)
    assert book.write(4, 3) is None
    assert book.claim(newest + 4, 5) is None
    assert book.write(newest + 4, 5) is None
    assert (book.last_agreed, book.compared) == (newest + 4, 2)
