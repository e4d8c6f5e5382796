"""STATE and its header: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    Chunk,
    StateHeader,
    check_header,
    decode_chunk,
    encode_chunk,
)
from tests.rollback.session.messages.values import frames


@given(st.builds(Chunk, frames, st.binary(max_size=50), st.integers(0, 255)))
def test_a_chunk_comes_back_as_it_was(chunk: Chunk) -> None:
    assert decode_chunk(encode_chunk(chunk)) == chunk


@given(data=st.binary(min_size=1, max_size=60))
def test_any_bytes_decode_or_raise_decode_error(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode_chunk(data)


def test_a_state_that_is_too_large_is_refused_before_any_of_it_comes() -> None:
    assert check_header(StateHeader(LARGEST_STATE, 0)).size == LARGEST_STATE
    with pytest.raises(DecodeError, match="at most"):
        check_header(StateHeader(LARGEST_STATE + 1, 0))
