import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import InvalidValue, UsageError
from retick.host.admission import Guest
from retick.host.joining import (
    JoinAcceptance,
    JoinRequest,
    decode_acceptance,
    decode_join,
    encode_acceptance,
    encode_join,
)


def test_rooms_and_tokens_come_back_as_they_were() -> None:
    for request in (JoinRequest(), JoinRequest("arena 7"), JoinRequest("søndag", bytes(range(16)), 2**64 - 1)):
        assert decode_join(encode_join(request)) == request
    assert decode_join(b"") == JoinRequest()
    for compact in (False, True):
        assert decode_acceptance(encode_acceptance(JoinAcceptance(bytes(16), compact))) == JoinAcceptance(
            bytes(16), compact
        )
    assert decode_acceptance(b"something else") == decode_acceptance(b"\3" + bytes(16)) == JoinAcceptance()


def test_a_compact_hash_comes_back() -> None:
    request = JoinRequest("arena", bytes(range(16)), 7, compact=2**64 - 1)
    for each in (request, request._replace(name="Ada", watches=True)):
        assert decode_join(encode_join(each)) == each
    made = encode_join(JoinRequest("ab", b"", 1, compact=2)).hex()
    assert made == "03" + "01" + 14 * "0" + "02" + 14 * "0" + "02" + "6162" + "0000"
    for size in range(1, 18):
        with pytest.raises(InvalidValue):
            decode_join(encode_join(request)[:size])


def test_names_and_the_wish_to_watch_come_back_as_they_were() -> None:
    for request in (
        JoinRequest("arena", name="Ána"),
        JoinRequest("", bytes(range(16)), 7, "x" * 32, watches=True),
        JoinRequest(watches=True),
    ):
        assert decode_join(encode_join(request)) == request


def test_a_request_without_a_name_has_the_bytes_that_it_always_had() -> None:
    assert encode_acceptance(JoinAcceptance(b"t" * 16)).hex() == "01" + "74" * 16
    assert encode_join(JoinRequest("ab", b"t" * 16, 1)).hex() == "01010000000000000002" + "6162" + "74" * 16


@pytest.mark.parametrize(
    "tail",
    [b"", b"\0", b"\2\0", b"\1\5abc", b"\0\41" + b"x" * 33, b"\0\1\n", b"\0\1\xff", b"\0\0token"],
    ids=["no flags", "no length", "flags", "short name", "long name", "not printable", "not UTF-8", "token"],
)
def test_a_bad_name_is_refused(tail: bytes) -> None:
    with pytest.raises(InvalidValue):
        decode_join(b"\2" + bytes(8) + b"\0" + tail)


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
    assert len(request.name.encode()) <= 32


def test_the_token_of_a_seat_is_not_in_the_repr() -> None:
    token = bytes(range(65, 81))
    assert "ABC" not in repr(JoinRequest("arena", token))
    assert "ABC" not in repr(Guest(room=None, token=token, opened_at=0.0))
