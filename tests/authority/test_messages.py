"""The reliable messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.messages import (
    LONGEST_NAME,
    SPECTATOR,
    Ended,
    Gone,
    LossNotice,
    Presence,
    RoomMessage,
    RoomOver,
    RoomWelcome,
    SeatNews,
    WorldMessage,
    decode_message,
    encode_message,
)
from retick.errors import (
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    TrailingData,
    Truncated,
    UnsupportedVersion,
)

WORDS = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=32)
MESSAGES = (
    st.builds(RoomWelcome, st.integers(0, 2), st.integers(3, 255), st.integers(1, 65535), st.integers(1, 255),
              st.integers(0, 0xFFFFFFFF))
    | st.builds(RoomMessage, st.binary(max_size=50))
    | st.builds(SeatNews, st.integers(0, 254), st.sampled_from(Presence), WORDS)
    | st.builds(RoomOver, st.sampled_from(Ended), WORDS)
    | st.builds(LossNotice, st.sampled_from(Gone), st.integers(0, 0xFFFFFFFF))
)  # fmt: skip


@given(MESSAGES)
def test_a_message_comes_back(message: WorldMessage) -> None:
    assert decode_message(encode_message(message)) == message


@given(st.binary(max_size=30), st.integers(0x30, 0x36))
def test_any_bytes_are_a_message_in_its_one_form_or_a_decode_error(data: bytes, kind: int) -> None:
    for octets in (data, bytes((kind,)) + data):
        try:
            message = decode_message(octets)
        except DecodeError:
            continue
        assert encode_message(message) == octets


def test_a_welcome_has_the_bytes_of_the_page() -> None:
    assert encode_message(RoomWelcome(1, 8, 60, 3, 300)).hex() == "310101083c00032c010000"
    assert decode_message(encode_message(RoomWelcome(SPECTATOR, 8, 60, 3, 300))) == RoomWelcome(
        SPECTATOR, 8, 60, 3, 300
    )


@pytest.mark.parametrize(
    ("octets", "error"),
    [
        ("", Truncated),
        ("30", InvalidValue),
        ("31", Truncated),
        ("3102", UnsupportedVersion),
        ("310101083c00032c0100", Truncated),
        ("310101083c00032c01000000", TrailingData),
        ("310108083c00032c010000", InvalidValue),  # a seat that there is not
        ("310101080000032c010000", InvalidValue),  # no ticks a second
        ("33ff01", InvalidValue),
        ("330004", InvalidValue),
        ("3300", Truncated),
        ("330001ff", InvalidValue),
        ("33000107", InvalidValue),  # not printable
        ("330001" + "61" * 33, LimitExceeded),
        ("3405", InvalidValue),
        ("34", Truncated),
        ("3502", Truncated),
        ("350200000000", InvalidValue),
    ],
)
def test_wrong_messages_are_refused(octets: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_message(bytes.fromhex(octets))


@pytest.mark.parametrize("name", ["x" * (LONGEST_NAME + 1), "\n"])
def test_names_that_cannot_be_sent_are_refused(name: str) -> None:
    with pytest.raises(EncodeError):
        encode_message(SeatNews(0, Presence.PLAYING, name))
