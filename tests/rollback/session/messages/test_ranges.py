"""RANGE and SIGNED: what was written is read, and nothing longer or stranger is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue
from retick.rollback.desync.equivocation import MOST_INPUT_BYTES, SignedRange
from retick.rollback.session.messages.forward import (
    InputRange,
    SeenRanges,
    Signed,
    decode_range,
    decode_signed,
    encode_range,
    encode_signed,
)

BYTE = st.integers(0, 255)
FRAME = st.integers(0, 2**31)
SIGNED = st.builds(
    SignedRange, FRAME, st.integers(1, 300), st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64)
)
SEEN = st.lists(
    st.builds(SeenRanges, BYTE, FRAME, st.binary(min_size=8, max_size=8)),
    max_size=16,
    unique_by=lambda each: each.peer_id,
)
ONE = SignedRange(0, 10, bytes(32), bytes(64))


@given(st.builds(InputRange, BYTE, SIGNED, SEEN.map(tuple)))
def test_a_range_is_read_as_it_was_written(message: InputRange) -> None:
    assert decode_range(encode_range(message)) == message


@given(BYTE, BYTE, SIGNED, st.integers(0, 8))
def test_a_signed_one_is_read_as_it_was_written(match: int, peer_id: int, found: SignedRange, width: int) -> None:
    message = Signed(match, peer_id, found, bytes(found.frames * width))
    assert decode_signed(encode_signed(message)) == message


@pytest.mark.parametrize(
    "data",
    [
        encode_range(InputRange(0, ONE, ()))[:-1],
        encode_range(InputRange(0, ONE, ())) + b"\0",
        encode_range(InputRange(0, ONE._replace(frames=0), ())),
        encode_range(InputRange(0, ONE._replace(first=2**32 - 5), ())),
        encode_range(InputRange(0, ONE, (SeenRanges(1, 0, bytes(8)), SeenRanges(1, 5, bytes(8))))),
        encode_range(InputRange(0, ONE, tuple(SeenRanges(number, 0, bytes(8)) for number in range(17)))),
    ],
    ids=["cut", "longer", "no frame", "past the last frame", "one twice", "too many"],
)
def test_bad_ranges_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_range(data)


def test_inputs_that_are_too_long_or_no_whole_frames_are_refused() -> None:
    with pytest.raises(InvalidValue, match="bytes of inputs"):
        decode_signed(encode_signed(Signed(0, 1, ONE, bytes(11))))
    with pytest.raises(InvalidValue, match="bytes of inputs"):
        decode_signed(encode_signed(Signed(0, 1, ONE, bytes(MOST_INPUT_BYTES + 4))))
