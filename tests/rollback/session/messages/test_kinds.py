"""Kinds and the short layout: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.kinds import MessageKind, decode_byte, encode_byte
from tests.rollback.session.messages.values import peer_ids


@given(peer_ids)
def test_short_messages_come_back_as_they_were(value: int) -> None:
    assert decode_byte(encode_byte(MessageKind.CANCEL, value)) == value


@given(data=st.binary(min_size=1, max_size=12))
def test_any_bytes_decode_or_raise_decode_error(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        decode_byte(data)
