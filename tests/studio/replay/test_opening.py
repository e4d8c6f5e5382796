"""Files of every kind, and files that are none."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.audit.desync.bundle import load_bundle
from retick.replay import Replay, dumps
from retick.studio.replay.slot import open_file
from retick.studio.room import FeedError, FileSent

MATCH = Replay(seed=3, frames=[(1, 2)] * 20)
BUNDLE = Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync"


@pytest.mark.parametrize("form", ["rplk", "rtk"])
def test_a_replay_of_either_format_is_opened_by_what_is_in_it(form: str) -> None:
    opened = open_file(FileSent("some.name", 0, dumps(MATCH, format=form)))  # type: ignore[arg-type]  # one of two words
    assert (opened.format, opened.replay, opened.bundle) == (form, MATCH, None)


def test_a_bundle_is_opened_with_the_frames_around_its_difference() -> None:
    opened = open_file(FileSent("x.desync", 0, BUNDLE.read_bytes()))
    assert opened.format == "desync"
    assert opened.bundle == load_bundle(BUNDLE)
    assert opened.replay == load_bundle(BUNDLE).around


def test_a_file_that_is_nothing_of_this_is_named_and_its_start_is_shown() -> None:
    with pytest.raises(FeedError, match=r"cat.jpg is neither a replay .* it starts with b'\\xff\\xd8"):
        open_file(FileSent("cat.jpg", 0, b"\xff\xd8\xff\xe0"))
    with pytest.raises(FeedError, match="it is empty"):
        open_file(FileSent("nothing", 0, b""))


@given(st.binary(max_size=64), st.sampled_from((b"", b"RPLK", b"RTK\n", b"PK\3\4")))
def test_any_bytes_are_opened_or_refused_in_words(data: bytes, start: bytes) -> None:
    with suppress(FeedError):
        open_file(FileSent("any", 0, start + data))
