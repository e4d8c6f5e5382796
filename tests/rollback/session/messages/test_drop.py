"""DROP: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue
from retick.rollback.session.messages.decisions import (
    KNOWN_INPUTS,
    LARGEST_DROP,
    SERIAL_END,
    Drop,
    Known,
    decode_drop,
    encode_drop,
    serial_of,
)
from tests.rollback.session.messages.values import frames, peer_ids

known = st.builds(
    lambda player, before, inputs: Known(player, before + len(inputs), tuple(inputs)),
    st.integers(0, 15),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 65535), max_size=KNOWN_INPUTS),
)
drops = st.builds(
    Drop,
    st.frozensets(peer_ids, max_size=8),
    st.lists(known, max_size=4, unique_by=lambda each: each.player).map(tuple),
    st.lists(st.tuples(peer_ids, st.integers(1, 65535), frames), max_size=4).map(tuple),
    peer_ids,
    st.just(frozenset()),
    st.lists(st.tuples(peer_ids, st.integers(0, 255)), max_size=4).map(tuple),
    st.lists(st.tuples(st.integers(0, 15), frames), max_size=4).map(tuple),
    st.integers(0, 0xFFFFFFFF),
).flatmap(
    lambda drop: st.builds(
        lambda before: drop._replace(before=frozenset(before)),
        st.sets(st.sampled_from(sorted(drop.lost))) if drop.lost else st.just(set()),
    )
)


@given(drops)
def test_a_drop_comes_back_as_it_was(drop: Drop) -> None:
    assert decode_drop(encode_drop(drop, 2), 2) == drop


@pytest.mark.parametrize("input_size", [2, 8])
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_decode_or_raise_decode_error(input_size: int, data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode_drop(data, input_size)


@given(drops, st.data())
def test_a_cut_drop_is_refused(drop: Drop, data: st.DataObject) -> None:
    whole = encode_drop(drop, 2)
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(DecodeError):
        decode_drop(whole[:cut], 2)
    with pytest.raises(DecodeError):
        decode_drop(whole + b"\0", 2)


@given(drops)
def test_the_serial_is_read_without_the_rest(drop: Drop) -> None:
    assert serial_of(encode_drop(drop, 2)[:SERIAL_END]) == drop.serial


def test_a_peer_dropped_before_that_is_not_lost_is_refused() -> None:
    with pytest.raises(DecodeError, match="dropped before"):
        decode_drop(encode_drop(Drop(frozenset({1}), (), (), 0, frozenset({2})), 2), 2)


def test_a_drop_that_names_a_player_twice_or_is_too_long_is_refused() -> None:
    twice = Drop(frozenset({1}), (Known(1, 9, ()), Known(1, 8, ())), ())
    with pytest.raises(InvalidValue, match="names a player twice"):
        decode_drop(encode_drop(twice, 2), 2)
    with pytest.raises(InvalidValue, match="where 16384 are allowed"):
        decode_drop(encode_drop(Drop(frozenset(), (), ()), 2).ljust(LARGEST_DROP + 1, b"\0"), 2)
