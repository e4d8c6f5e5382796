"""Requests to connect: each says its version and what it wants; other versions are named in words."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.connect import (
    VERSION,
    ConnectRequest,
    Want,
    announced_reach,
    decode_acceptance,
    decode_request,
    encode_acceptance,
    encode_call,
    encode_play,
    encode_watch,
    version_fault,
)
from retick.rollback.session.messages.roster import Reach
from tests.rollback.session.messages.values import frames, keys, peer_ids, reaches

tokens = st.binary(min_size=16, max_size=16)
pair_tokens = st.binary(min_size=8, max_size=8)


@given(frames, frames, tokens, pair_tokens, peer_ids, reaches, keys)
def test_requests_come_back_as_they_were(
    frame: int, match: int, token: bytes, pair: bytes, peer_id: int, reach: Reach, key: bytes
) -> None:
    play, watch, call = encode_play(reach), encode_watch(frame, match), encode_call(token, peer_id, reach, pair, key)
    assert decode_request(play) == ConnectRequest(Want.PLAY, reach=reach)
    assert decode_request(watch) == ConnectRequest(Want.WATCH, frame=frame, match=match)
    assert decode_request(call) == ConnectRequest(
        Want.CALL, token=token, pair_token=pair, peer_id=peer_id, reach=reach, key=key
    )
    accepted = encode_acceptance(reach)
    assert decode_acceptance(accepted) == reach
    assert [announced_reach(data) for data in (play, call, accepted)] == [reach] * 3
    for data in (play, watch, call, accepted):
        assert version_fault(data) is None


@given(st.binary(min_size=16, max_size=16), st.booleans(), reaches)
def test_a_play_says_the_token_and_whether_its_sender_has_the_match(token: bytes, keeps: bool, reach: Reach) -> None:
    data = encode_play(reach, token, keeps_match=keeps)
    assert decode_request(data) == ConnectRequest(Want.PLAY, reach=reach, seat_token=token, keeps_match=keeps)
    with pytest.raises(DecodeError, match="0 or 1, not 2"):
        decode_request(data[:18] + b"\x02" + data[19:])


@pytest.mark.parametrize("data", [b"", b"\x03", b"\x03\x0c", b"\x03\x01\x0c\x02"])
def test_an_acceptance_of_another_length_is_refused(data: bytes) -> None:
    with pytest.raises(DecodeError, match=f"an acceptance has 35 bytes, not {len(data)}"):
        decode_acceptance(data)


@given(st.binary(max_size=40))
def test_any_bytes_decode_or_raise_decode_error_and_have_a_version(data: bytes) -> None:
    version_fault(data)
    with contextlib.suppress(DecodeError):
        decode_request(data)


@given(st.integers(4, 255), st.binary(max_size=12))
def test_an_unknown_tag_is_refused(tag: int, rest: bytes) -> None:
    with pytest.raises(DecodeError, match=f"tag {tag}"):
        decode_request(bytes((VERSION, tag)) + rest)


@given(pair_tokens, peer_ids)
def test_requests_of_the_first_version_are_known_by_their_shape(token: bytes, peer_id: int) -> None:
    old = [b"", b"WATCH\xff\xff\xff\xff\0", token + bytes((peer_id,))]
    words = "session protocol 6 here, 1 there: update Retick on the side with the lower number"
    assert [version_fault(data) for data in old] == [words] * 3


def test_a_later_version_is_named() -> None:
    fault = version_fault(b"\x07\x01anything")
    assert fault == "session protocol 6 here, 7 there: update Retick on the side with the lower number"
    assert len(fault) <= 120


def test_no_token_is_in_the_repr_of_a_request() -> None:
    secret = b"ABCDEFGHIJKLMNOP"
    assert "ABC" not in repr(decode_request(encode_play(Reach(8, 2), secret)))
    assert "ABC" not in repr(decode_request(encode_call(secret, 1, Reach(8, 2), secret[:8])))
