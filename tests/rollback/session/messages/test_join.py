"""WELCOME, MEET and JOINED: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.join import (
    LARGEST_STATE,
    LAST_WELCOME_FRAME,
    Meet,
    StateHeader,
    Welcome,
    decode_joined,
    decode_meet,
    decode_welcome,
    encode_joined,
    encode_meet,
    encode_welcome,
)
from retick.rollback.session.messages.roster import Reach, RosterEntry
from tests.rollback.session.messages.values import addresses, entries, frames, keys, peer_ids, reaches, seats

GOOD = Welcome(0, 1, bytes(16), 8.0, 1, 0, 0, StateHeader(8, 0), (), (RosterEntry(0, (0,), "a"),))


@given(entries(), peer_ids, st.integers(0, LAST_WELCOME_FRAME), st.binary(min_size=16, max_size=16), seats)
def test_a_welcome_comes_back_as_it_was(
    roster: tuple[RosterEntry, ...], peer_id: int, frame: int, token: bytes, gone: tuple[int, ...]
) -> None:
    welcome = Welcome(0, peer_id, token, 2.125, 7, 300, frame, StateHeader(12345, 0xFFFFFFFF), gone, roster)
    assert decode_welcome(encode_welcome(welcome)) == welcome


@given(peer_ids, seats, frames, addresses, peer_ids, st.binary(min_size=8, max_size=8), keys, reaches)
def test_a_meet_comes_back_as_it_was(
    peer_id: int,
    players: tuple[int, ...],
    frame: int,
    address: Any,
    match: int,
    token: bytes,
    key: bytes,
    reach: Reach,
) -> None:
    meet = Meet(peer_id, players, frame, address, match, token, key, reach)
    assert decode_meet(encode_meet(meet)) == meet


@pytest.mark.parametrize("reader", [decode_welcome, decode_meet, decode_joined])
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_decode_or_raise_decode_error(reader: Callable[[bytes], Any], data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        reader(data)


def test_a_state_that_is_too_large_is_refused_before_any_of_it_comes() -> None:
    with pytest.raises(DecodeError, match="at most"):
        decode_welcome(encode_welcome(GOOD._replace(state=StateHeader(LARGEST_STATE + 1, 0))))


def test_a_welcome_so_far_on_that_later_frames_would_not_fit_a_message_is_refused() -> None:
    with pytest.raises(DecodeError, match="the last that is allowed"):
        decode_welcome(encode_welcome(GOOD._replace(frame=LAST_WELCOME_FRAME + 1)))


def test_a_welcome_without_a_seed_is_refused() -> None:
    with pytest.raises(DecodeError, match="seed"):
        decode_welcome(encode_welcome(GOOD._replace(seed=0)))


def test_a_joined_with_more_behind_it_is_refused() -> None:
    decode_joined(encode_joined())
    with pytest.raises(DecodeError):
        decode_joined(encode_joined() + b"\0")
