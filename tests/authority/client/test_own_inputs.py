"""Own inputs: kept until the server has run them, repeated until it has them."""

from hypothesis import given
from hypothesis import strategies as st

from retick.authority.client.play import OwnInputs


def test_a_tick_that_was_left_out_has_the_input_before_it_for_a_while() -> None:
    own = OwnInputs()
    assert own.at(5) == 0
    own.press(5, 7)
    own.press(9, 3)
    assert [own.at(tick) for tick in (4, 5, 6, 8, 9, 15, 16)] == [0, 7, 7, 7, 3, 3, 0]
    own.drop_through(6)
    assert [own.at(tick) for tick in (7, 8, 9)] == [7, 7, 3]
    assert len(own) == 1
    own.drop_through(20)
    assert [own.at(tick) for tick in (15, 16)] == [3, 0]


@given(st.integers(1, 60), st.integers(0, 70), st.integers(0, 70))
def test_a_packet_has_what_is_not_acknowledged_and_at_most_8(newest: int, acknowledged: int, last_sent: int) -> None:
    own = OwnInputs()
    for tick in range(1, newest + 1):
        own.press(tick, tick)
    own.acknowledged = acknowledged
    sent = own.to_send(newest, last_sent)
    assert sent == tuple(range(newest, newest - len(sent), -1))
    assert 1 <= len(sent) <= 8
    oldest = min(acknowledged, last_sent) + 1
    assert sent[-1] == max(1, newest - 7, min(oldest, newest))
