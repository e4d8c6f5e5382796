"""FEED: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.join import Feed, decode_feed, encode_feed
from retick.rollback.session.messages.roster import RosterEntry
from tests.rollback.session.messages.values import entries, frames


@given(frames, st.binary(max_size=100), st.one_of(st.just(()), entries()))
def test_a_feed_comes_back_as_it_was(first: int, rows: bytes, roster: tuple[RosterEntry, ...]) -> None:
    feed = Feed(first, rows, roster)
    assert decode_feed(encode_feed(feed)) == feed


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_decode_or_raise_decode_error(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode_feed(data)
