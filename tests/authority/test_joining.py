import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.joining import JoinRequest, decode_acceptance, decode_join, encode_acceptance, encode_join
from retick.errors import InvalidValue, UsageError


def test_rooms_and_tokens_come_back_as_they_were() -> None:
    for request in (JoinRequest(), JoinRequest("arena 7"), JoinRequest("søndag", bytes(range(16)), 2**64 - 1)):
        assert decode_join(encode_join(request)) == request
    assert decode_join(b"") == JoinRequest()
    assert decode_acceptance(encode_acceptance(bytes(16))) == bytes(16)
    assert decode_acceptance(b"something else") == b""


def test_a_room_too_long_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError):
        encode_join(JoinRequest("x" * 33))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    try:
        request = decode_join(data)
    except InvalidValue:
        return
    assert len(request.room.encode()) <= 32
    assert len(request.token) in (0, 16)
