"""Local inputs, given to an engine: several seats, and delays that grow and shrink."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from tests.effort import examples
from tests.rollback.engine.perfect_network import engine, straight
from tests.toys import Tally


def test_several_local_seats_advance_together() -> None:
    sim = Tally(4)
    e = engine(sim, local_player=None, local_players=(1, 3))
    for frame in range(5):
        e.advance((frame, frame + 1))
    for player in (0, 2):
        e.add_remote_inputs(player, 0, [7, 7, 8, 8, 9])
    remote = [7, 7, 8, 8, 9]
    assert e.state == straight(sim, [remote, [0, 1, 2, 3, 4], remote, [1, 2, 3, 4, 5]])
    with pytest.raises(UsageError, match="advance takes 2 local inputs"):
        e.advance(1)


def test_everyone_local_is_always_confirmed() -> None:
    sim = Tally(2)
    e = engine(sim, local_player=None, local_players=(0, 1))
    e.advance((1, 2))
    assert e.confirmed_frame == 0
    assert e.state == straight(sim, [[1], [2]])


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40))
def test_a_changing_delay_gives_each_frame_one_input_in_order(delays: list[int]) -> None:
    e = engine(Tally(2), history=16, input_delay=delays[0])
    sent: dict[int, int] = {}
    for frame, delay in enumerate(delays):
        e.set_input_delay(delay)
        before = e.local_frontier
        e.advance(frame + 1)
        for at, value in zip(range(before, e.local_frontier), e.inputs_of(0, before, e.local_frontier), strict=True):
            assert at not in sent
            sent[at] = value
        assert e.local_frontier >= e.frame
    assert sorted(sent) == list(range(e.local_frontier))
    assert e.inputs_of(0, 0, e.local_frontier) == [sent[at] for at in range(e.local_frontier)]
    values = [sent[at] for at in sorted(sent)]
    assert values == sorted(values)


def test_delay_moves_a_press_to_a_later_frame() -> None:
    e = engine(Tally(2), input_delay=2)
    for value in (5, 6, 7):
        e.advance(value)
    assert e.inputs_of(0, 0, 5) == [0, 0, 5, 6, 7]
    assert e.input_delay == 2


def test_a_longer_delay_holds_the_last_input_and_a_shorter_one_passes_presses_over() -> None:
    e = engine(Tally(2))
    e.advance(1)
    e.set_input_delay(3)
    e.advance(2)
    assert e.inputs_of(0, 0, 5) == [1, 1, 1, 1, 2]
    e.set_input_delay(1)
    e.advance(3)
    e.advance(4)
    e.advance(5)
    assert e.inputs_of(0, 0, 6) == [1, 1, 1, 1, 2, 5]
