"""Names and profiles on the wire."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, UsageError
from retick.rollback.events import RosterPeer
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.profile import (
    MAX_NAME,
    MAX_PROFILE,
    Profile,
    check_profile,
    decode_list,
    decode_profile,
    encode_list,
    encode_profile,
)

names = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=16)
datas = st.binary(max_size=MAX_PROFILE)


@given(st.builds(Profile, names, datas, st.binary(min_size=16, max_size=16)))
def test_a_profile_comes_back_as_it_was(profile: Profile) -> None:
    assert decode_profile(encode_profile(profile)) == check_profile(profile) == profile


@given(st.lists(st.tuples(names, datas), max_size=16))
def test_a_list_comes_back_as_it_was(found: list[tuple[str, bytes]]) -> None:
    peers = tuple(RosterPeer(peer_id, (peer_id,), *words) for peer_id, words in enumerate(found))
    assert decode_list(encode_list(peers)) == peers


@given(st.sampled_from([decode_profile, decode_list]), st.binary(max_size=80))
def test_any_bytes_decode_or_raise_a_decode_error(decode: object, data: bytes) -> None:
    with suppress(DecodeError):
        decode(data)  # type: ignore[operator]  # both are functions


def test_names_and_profiles_past_their_bounds_are_refused() -> None:
    check_profile(Profile("é" * (MAX_NAME // 2), bytes(MAX_PROFILE)))
    for profile in (Profile("é" * 33), Profile("two\nlines"), Profile("", bytes(MAX_PROFILE + 1)), Profile("\ud800")):
        with pytest.raises(UsageError, match=r"a name is|a profile has"):
            check_profile(profile)
    for profile in (Profile("x" * (MAX_NAME + 1)), Profile("a\x1b[2J"), Profile("", bytes(MAX_PROFILE + 1))):
        with pytest.raises(DecodeError):
            decode_profile(encode_profile(profile))


def test_a_list_is_bounded_and_has_nobody_twice() -> None:
    one = RosterPeer(1, (1,), "", b"")
    for bad in ((one, one._replace(players=(2,))), (one, one._replace(peer_id=2))):
        with pytest.raises(DecodeError):
            decode_list(encode_list(bad))
    with pytest.raises(DecodeError, match="at most 16"):
        decode_list(bytes((MessageKind.LIST, 17)) + bytes(17 * 5))
    with pytest.raises(DecodeError):
        decode_list(encode_list((one,)) + b"x")
    with pytest.raises(DecodeError):
        decode_profile(encode_profile(Profile()) + b"x")
