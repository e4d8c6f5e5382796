"""What is kept of one peer's ranges: each way in which two of them cannot both be true is found."""

from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.desync.equivocation import ShownRange, SignedRange, difference, digest_of
from retick.rollback.session.messages.forward import SHORT, SeenRanges
from retick.rollback.session.signing import KEPT, Book

WIDTH = 2
STORY = bytes(range(200))
OTHER = STORY[:60] + b"\xff" + STORY[61:]
"""Another input for frame 30."""


def shown(story: bytes, first: int, end: int, *, known: bool = True) -> ShownRange:
    inputs = story[first * WIDTH : end * WIDTH]
    return ShownRange(SignedRange(first, end - first, digest_of(inputs), bytes(64)), inputs if known else b"")


def seen(each: ShownRange) -> SeenRanges:
    return SeenRanges(3, each.range.first, each.range.digest[:SHORT])


cuts = st.tuples(st.integers(0, 98), st.integers(1, 100)).filter(lambda cut: cut[0] < cut[1])


@given(cuts, cuts)
def test_ranges_of_one_story_never_contradict_each_other_however_they_are_cut(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    for known in (True, False):
        assert difference(shown(STORY, *one), shown(STORY, *other, known=known), WIDTH) is None


@given(cuts, cuts)
def test_ranges_of_two_stories_contradict_each_other_where_both_cover_the_frame(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    covers = one[0] <= 30 < one[1] and other[0] <= 30 < other[1]
    assert difference(shown(STORY, *one), shown(OTHER, *other), WIDTH) == (30 if covers else None)


def test_two_hashes_of_the_same_frames_are_a_contradiction_without_inputs() -> None:
    assert difference(shown(STORY, 20, 40), shown(OTHER, 20, 40, known=False), WIDTH) == 20
    assert difference(shown(STORY, 20, 40), shown(OTHER, 20, 41, known=False), WIDTH) is None


def test_what_another_peer_has_is_compared_now_or_when_ours_comes() -> None:
    book = Book(bytes(32), WIDTH)
    ours, theirs = shown(STORY, 20, 40), shown(OTHER, 20, 40)
    assert book.compare(1, seen(theirs)) == []
    assert book.keep(ours) == ([(1, ours)], None)
    assert book.compare(1, seen(theirs)) == [ours]
    assert book.compare(1, seen(ours)) == []
    assert book.compare(1, seen(shown(OTHER, 25, 40))) == [ours]
    assert book.compare(1, seen(shown(OTHER, 5, 20))) == []


def test_two_ranges_are_found_whichever_comes_first() -> None:
    ours, theirs = shown(STORY, 20, 40), shown(OTHER, 25, 45)
    first, second = Book(bytes(32), WIDTH), Book(bytes(32), WIDTH)
    first.keep(ours)
    assert first.add_shown(theirs) == (theirs, ours)
    assert second.add_shown(theirs) is None
    assert second.keep(ours) == ([], (ours, theirs))


def test_only_the_newest_are_kept() -> None:
    book = Book(bytes(32), WIDTH)
    for at in range(0, 80, 10):
        book.keep(shown(STORY, at, at + 10))
        book.add_shown(shown(STORY, at, at + 10, known=False))
    assert len(book._kept) == len(book._shown) == KEPT
    assert book.compare(1, seen(shown(OTHER, 30, 40))) == []


def test_short_ranges_are_kept_for_as_many_frames_as_long_ones() -> None:
    book = Book(bytes(32), WIDTH, span=60)
    for at in range(80):
        book.keep(shown(OTHER, at, at + 1))
    assert [each.range.first for each in book.newest_first()] == list(range(79, 19, -1))
    assert book.add_shown(shown(STORY, 20, 40)) is not None
    assert book.add_shown(shown(STORY, 0, 20)) is None
    assert book.has(shown(OTHER, 79, 80).range)
    assert not book.has(shown(STORY, 20, 40).range)
