"""Rooms, their codes in time, and bytes that may be sent."""

from hypothesis import given
from hypothesis import strategies as st

from retick.relay.packets import UNTIL_FULL
from retick.relay.rooms import Bytes, RelayRoom
from tests.relay.meeting import TAG


def test_a_code_can_be_used_for_some_time_then_until_the_room_is_full_and_then_no_more() -> None:
    room = RelayRoom(b"roomid", b"12345", 3, TAG, 1000)
    room.given = 1
    assert room.seconds_of_code(1000.0, 600.0) == 600
    assert room.seconds_of_code(2000.0, 600.0) == 0
    assert room.is_expired(1600.0, 600.0)
    assert not room.is_expired(1599.9, 600.0)
    assert room.seconds_of_code(1000.0, 1e9) == UNTIL_FULL - 1
    room.given = 2
    assert room.seconds_of_code(9000.0, 600.0) == UNTIL_FULL
    assert not room.is_expired(9000.0, 600.0)
    room.given = 3
    assert room.is_full
    assert room.seconds_of_code(1000.0, 600.0) == 0


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 300)), max_size=60))
def test_no_more_bytes_pass_than_the_rate_and_what_was_saved_up(steps: list[tuple[float, int]]) -> None:
    budget, now, spent = Bytes(100, 0.0), 0.0, 0
    for later, size in steps:
        now += later
        if budget.left >= size or budget.fill(now) >= size:
            budget.left -= size
            spent += size
        assert spent <= 100 * (now + 1) + 1e-6
        assert budget.left >= 0
