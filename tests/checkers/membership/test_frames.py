"""Frames are found by their size, in bytes and in facts."""

from hypothesis import given
from hypothesis import strategies as st

from retick.rollback.session.messages.kinds import MessageKind, decode_byte_and_number, encode_byte_and_number
from retick.wire import rbn1
from tests.checkers.membership.frames import ORIGIN, is_frame, shift_fact, shift_item, shift_message

SHIFTS = st.integers(-200, 200)


@given(SHIFTS)
def test_the_frame_of_a_session_message_is_moved_and_nothing_else(by: int) -> None:
    message = encode_byte_and_number(MessageKind.COMMIT, 3, ORIGIN + 7)
    assert decode_byte_and_number(shift_message(message, by)) == (3, ORIGIN + 7 + by)
    assert shift_message(b"\x01\x02 no frame \xa5", by) == b"\x01\x02 no frame \xa5"


@given(SHIFTS)
def test_moving_there_and_back_changes_nothing(by: int) -> None:
    packet = rbn1.InputPacket(ORIGIN + 4, ORIGIN + 2, (1, 1), time_sync=rbn1.TimeSync((ORIGIN + 5) & 0xFFFF, 0))
    payload = rbn1.encode(packet, rbn1.ALL_EXTENSIONS)
    moved = shift_message(payload, by)
    assert rbn1.decode(moved, rbn1.ALL_EXTENSIONS).start_frame == ORIGIN + 4 + by
    assert shift_message(moved, -by) == payload
    item = ("message", encode_byte_and_number(MessageKind.PROMISE, 1, ORIGIN))
    assert shift_item(shift_item(item, by), -by) == item


def test_small_numbers_are_no_frames() -> None:
    assert is_frame(ORIGIN + 100)
    assert not is_frame(4096)
    assert shift_fact(("dropped", 2, 1, ORIGIN + 3), 5) == ("dropped", 2, 1, ORIGIN + 8)
