from hypothesis import given
from hypothesis import strategies as st

from retick.games.runner import RunnerCommand
from retick.netrunner.server.player import CAPACITY, CommandBuffer


def test_a_command_is_found_at_its_tick_and_only_there() -> None:
    buffer = CommandBuffer()
    buffer.store(RunnerCommand(7, 100, 1))
    assert buffer.command_for(100) == RunnerCommand(7, 100, 1)
    assert buffer.command_for(99) is None
    assert buffer.command_for(100 + CAPACITY) is None


def test_a_higher_seq_wins_the_tick_and_a_lower_one_does_not() -> None:
    buffer = CommandBuffer()
    assert buffer.store(RunnerCommand(7, 100, 1))
    assert not buffer.store(RunnerCommand(6, 100, 1))
    assert buffer.store(RunnerCommand(8, 100, 1))
    held = buffer.command_for(100)
    assert held is not None
    assert held.seq == 8


def test_a_later_tick_keeps_its_slot_against_an_earlier_one() -> None:
    buffer = CommandBuffer()
    buffer.store(RunnerCommand(7, 100 + CAPACITY, 1))
    assert not buffer.store(RunnerCommand(9, 100, 1))
    assert buffer.command_for(100 + CAPACITY) is not None


@given(st.lists(st.tuples(st.integers(1, 200), st.integers(1, 64)), max_size=60), st.integers(0, 300))
def test_pruning_forgets_exactly_what_is_before(pairs: list[tuple[int, int]], tick: int) -> None:
    buffer = CommandBuffer()
    for seq, wanted in pairs:
        buffer.store(RunnerCommand(seq, wanted, 1))
    buffer.prune(tick)
    ticks = {wanted for _, wanted in pairs}
    assert {wanted for wanted in ticks if buffer.command_for(wanted)} == {wanted for wanted in ticks if wanted >= tick}
    assert buffer.waiting == len({wanted for wanted in ticks if wanted >= tick})
