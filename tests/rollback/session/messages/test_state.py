"""STATE and RESYNC: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    StateHeader,
    decode_chunk,
    decode_resync,
    encode_chunk,
    encode_resync,
)
from tests.rollback.session.messages.values import frames, peer_ids


@given(frames, st.binary(max_size=50))
def test_a_chunk_comes_back_as_it_was(offset: int, chunk: bytes) -> None:
    assert decode_chunk(encode_chunk(offset, chunk)) == (offset, chunk)


@given(peer_ids, st.integers(0, LARGEST_STATE), frames)
def test_a_resync_comes_back_as_it_was(match: int, size: int, checksum: int) -> None:
    header = StateHeader(size, checksum)
    assert decode_resync(encode_resync(match, header)) == (match, header)


@pytest.mark.parametrize("reader", [decode_chunk, decode_resync])
@given(data=st.binary(min_size=1, max_size=60))
def test_any_bytes_decode_or_raise_decode_error(reader: Callable[[bytes], Any], data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        reader(data)


def test_a_state_that_is_too_large_is_refused_before_any_of_it_comes() -> None:
    with pytest.raises(DecodeError, match="at most"):
        decode_resync(encode_resync(1, StateHeader(LARGEST_STATE + 1, 0)))
