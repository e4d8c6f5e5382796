"""WANT and PASS: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.session.messages.forward import (
    MOST_PASSED,
    PASS,
    WANT,
    PassedInputs,
    WantedInputs,
    decode_pass,
    decode_want,
    encode_pass,
    encode_want,
)
from retick.wire import rbn1
from tests.rollback.session.messages.values import frames, peer_ids

wants = st.builds(WantedInputs, peer_ids, st.integers(0, 15), frames)
passes = st.builds(
    PassedInputs,
    peer_ids,
    st.integers(0, 15),
    frames,
    st.lists(st.integers(0, 65535), min_size=1, max_size=MOST_PASSED).map(tuple),
)


@given(wants)
def test_a_want_comes_back_as_it_was(want: WantedInputs) -> None:
    assert decode_want(encode_want(want)) == want


@given(passes)
def test_a_pass_comes_back_as_it_was(passed: PassedInputs) -> None:
    assert decode_pass(encode_pass(passed, 2), 2) == passed


@pytest.mark.parametrize("count", [0, MOST_PASSED + 1])
def test_a_pass_has_one_to_thirty_two_inputs(count: int) -> None:
    with pytest.raises(DecodeError):
        decode_pass(encode_pass(PassedInputs(0, 1, 5, (7,) * count), 2), 2)


@pytest.mark.parametrize("input_size", [1, 2, 8])
@given(data=st.binary(min_size=1, max_size=300))
def test_any_bytes_decode_or_raise_decode_error(input_size: int, data: bytes) -> None:
    for decode in (decode_want, lambda data: decode_pass(data, input_size)):
        with contextlib.suppress(DecodeError):
            decode(data)


def test_the_payloads_cannot_be_taken_for_packets_of_inputs() -> None:
    for first in (WANT, PASS):
        assert first != rbn1.MAGIC[0]
        assert first >= 0xF0 > rbn1.MAGIC[0]
