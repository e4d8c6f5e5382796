"""The wish to play again on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.decisions import decode_rematch, encode_rematch, is_order

orders = st.integers(0, 16).flatmap(lambda size: st.permutations(range(size))).map(tuple)


@given(st.integers(0, 255), orders)
def test_a_rematch_comes_back_as_it_was(number: int, seats: tuple[int, ...]) -> None:
    assert decode_rematch(encode_rematch(number, seats)) == (number, seats)


@given(st.binary(max_size=24))
def test_any_bytes_are_an_order_of_seats_or_refused(data: bytes) -> None:
    try:
        _, seats = decode_rematch(data)
    except DecodeError:
        return
    assert is_order(seats)


def test_seventeen_seats_are_too_many() -> None:
    with pytest.raises(DecodeError):
        decode_rematch(encode_rematch(1, tuple(range(17))))
