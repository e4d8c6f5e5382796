"""Kinds and the two short layouts: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.kinds import (
    MessageKind,
    decode_byte,
    decode_byte_and_number,
    encode_byte,
    encode_byte_and_number,
)
from tests.rollback.session.messages.values import frames, peer_ids


@given(peer_ids, frames)
def test_short_messages_come_back_as_they_were(value: int, number: int) -> None:
    assert decode_byte(encode_byte(MessageKind.PROPOSE, value)) == value
    assert decode_byte_and_number(encode_byte_and_number(MessageKind.COMMIT, value, number)) == (value, number)


@pytest.mark.parametrize("reader", [decode_byte, decode_byte_and_number])
@given(data=st.binary(min_size=1, max_size=12))
def test_any_bytes_decode_or_raise_decode_error(reader: Callable[[bytes], Any], data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        reader(data)


def test_kinds_are_counted_without_a_gap() -> None:
    # 12 is FORWARD.
    assert set(range(max(MessageKind) + 1)) - set(MessageKind) <= {0x12}
