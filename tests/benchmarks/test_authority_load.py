"""A server under load from senders in another process."""

from benchmarks.commands.authority import measure_load


def test_the_load_run_seats_its_senders_and_says_where_time_goes() -> None:
    load = measure_load(rooms=2, players=2, seconds=1.0)
    assert load.joined == 4
    assert load.ticks
    assert set(load.spent) == {"receive", "tick", "snapshots", "send"}
    assert all(seconds > 0 for seconds in load.spent.values())
