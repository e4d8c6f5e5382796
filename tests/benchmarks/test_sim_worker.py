"""The process that times one form of the kernels."""

from benchmarks.commands.sim_worker import Bench

from retick.games.fighter.bots import bout


def test_run_takes_no_more_memory_for_more_frames() -> None:
    timer = Bench(bout(1, 200), None)
    timer.memory(10)
    few, many = timer.memory(200), timer.memory(6000)
    assert few["heap_peak"] is not None
    assert many["heap_peak"] is not None
    assert many["heap_peak"] - few["heap_peak"] < 6000
