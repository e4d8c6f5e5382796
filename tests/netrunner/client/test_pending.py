from hypothesis import given
from hypothesis import strategies as st

from retick.games.runner import RunnerCommand
from retick.netrunner.client.prediction import CAPACITY, PendingCommands


def filled(count: int) -> PendingCommands:
    pending = PendingCommands()
    for seq in range(1, count + 1):
        pending.add(RunnerCommand(seq, seq + 10, 1))
    return pending


@given(st.integers(0, 40), st.integers(0, 50))
def test_what_the_server_has_run_is_dropped_and_nothing_else(count: int, seq: int) -> None:
    pending = filled(count)
    pending.drop_through(seq)
    assert [command.seq for command in pending] == list(range(seq + 1, count + 1))


@given(st.integers(0, 40), st.integers(0, 60))
def test_commands_for_passed_ticks_are_dropped_and_counted(count: int, tick: int) -> None:
    pending = filled(count)
    dropped = pending.drop_stale(tick)
    assert [command.tick for command in pending] == [seq + 10 for seq in range(1, count + 1) if seq + 10 > tick]
    assert dropped == count - len(pending)


def test_a_bundle_has_the_newest_first_and_no_more_than_there_are() -> None:
    assert [command.seq for command in filled(7).newest(5)] == [7, 6, 5, 4, 3]
    assert [command.seq for command in filled(2).newest(5)] == [2, 1]


def test_it_is_full_at_its_capacity() -> None:
    assert not filled(CAPACITY - 1).is_full
    assert filled(CAPACITY).is_full
