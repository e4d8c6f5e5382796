"""The messages of leaving and entering: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session import messages as wire
from retick.rollback.session import roster as lobby

numbers = st.integers(0, 255)
frames = st.integers(0, 2**32 - 1)
seats = st.sets(st.integers(0, 15), min_size=1, max_size=4).map(lambda players: tuple(sorted(players)))
addresses = st.one_of(
    st.text(st.characters(codec="ascii", exclude_characters=" "), min_size=1, max_size=20),
    st.tuples(st.sampled_from(["127.0.0.1", "::1", "fe80::2"]), st.integers(0, 65535)),
)


@st.composite
def rosters(draw: st.DrawFn) -> tuple[lobby.Member, ...]:
    order = draw(st.permutations(range(8)))
    size = draw(st.integers(1, 8))
    return tuple(lobby.Member(number, (order[number],), draw(addresses)) for number in range(size))


known = st.builds(
    lambda player, before, inputs: wire.Known(player, before + len(inputs), tuple(inputs)),
    st.integers(0, 15),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 65535), max_size=wire.KNOWN_INPUTS),
)
drops = st.builds(
    wire.Drop,
    st.frozensets(numbers, max_size=8),
    st.lists(known, max_size=4).map(tuple),
    st.lists(st.tuples(numbers, st.integers(1, 65535), frames), max_size=4).map(tuple),
    numbers,
).flatmap(
    lambda drop: st.builds(
        lambda before: drop._replace(before=frozenset(before)),
        st.sets(st.sampled_from(sorted(drop.lost))) if drop.lost else st.just(set()),
    )
)


@given(drops)
def test_a_drop_comes_back_as_it_was(drop: wire.Drop) -> None:
    assert wire.decode_drop(wire.encode_drop(drop, 2), 2) == drop


@given(rosters(), numbers, frames, st.binary(min_size=8, max_size=8), seats)
def test_a_welcome_comes_back_as_it_was(
    members: tuple[lobby.Member, ...], number: int, frame: int, token: bytes, gone: tuple[int, ...]
) -> None:
    welcome = wire.Welcome(0, number, token, 7, 3, frame, 0xFFFFFFFF, 12345, gone, members)
    assert wire.decode_welcome(wire.encode_welcome(welcome)) == welcome


@given(numbers, seats, frames, addresses)
def test_a_meeting_comes_back_as_it_was(number: int, players: tuple[int, ...], frame: int, address: Any) -> None:
    meeting = wire.Meeting(number, players, frame, address)
    assert wire.decode_meeting(wire.encode_meeting(meeting)) == meeting


@given(frames, st.binary(max_size=100), st.one_of(st.just(()), rosters()))
def test_a_feed_comes_back_as_it_was(first: int, rows: bytes, members: tuple[lobby.Member, ...]) -> None:
    feed = wire.Feed(first, rows, members)
    assert wire.decode_feed(wire.encode_feed(feed)) == feed


@given(numbers, frames, st.binary(min_size=1, max_size=50))
def test_small_messages_come_back_as_they_were(number: int, frame: int, part: bytes) -> None:
    assert wire.decode_number(wire.encode_number(wire.PROPOSE, number)) == number
    assert wire.decode_numbered(wire.encode_numbered(wire.COMMIT, number, frame)) == (number, frame)
    assert wire.decode_chunk(wire.encode_chunk(frame, part)) == (frame, part)


READERS: dict[str, Callable[[bytes], Any]] = {
    "drop": lambda data: wire.decode_drop(data, 2),
    "wide drop": lambda data: wire.decode_drop(data, 8),
    "welcome": wire.decode_welcome,
    "meeting": wire.decode_meeting,
    "feed": wire.decode_feed,
    "number": wire.decode_number,
    "numbered": wire.decode_numbered,
    "chunk": wire.decode_chunk,
}


@pytest.mark.parametrize("reader", READERS)
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_decode_or_raise_decode_error(reader: str, data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        READERS[reader](data)


@given(drops, st.data())
def test_a_cut_drop_is_refused(drop: wire.Drop, data: st.DataObject) -> None:
    whole = wire.encode_drop(drop, 2)
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(DecodeError):
        wire.decode_drop(whole[:cut], 2)
    with pytest.raises(DecodeError):
        wire.decode_drop(whole + b"\0", 2)


def test_a_state_that_is_too_large_is_refused_before_any_of_it_comes() -> None:
    members = (lobby.Member(0, (0,), "a"),)
    welcome = wire.Welcome(0, 1, bytes(8), 1, 0, 0, 0, wire.LARGEST_STATE + 1, (), members)
    with pytest.raises(DecodeError, match="at most"):
        wire.decode_welcome(wire.encode_welcome(welcome))
