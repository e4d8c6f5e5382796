"""Who runs batches: order, window, and Ctrl-C."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retick.replay import Row
from retick.verify.batch import Batch, BatchEntry
from retick.verify.engines import Processes, Threads, in_order, single_entries
from retick.verify.games import spec_of
from retick.verify.reading import Files

FIGHTER = "retick.fighter"


class Counting:
    """An engine that does nothing, and counts what is under way."""

    workers = 2

    def __init__(self) -> None:
        self.under_way = self.most = 0

    def submit(self, unit: Any) -> int:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        return self.under_way

    def result(self, handle: int, unit: Any) -> list[Row]:
        self.under_way -= 1
        return [Row(entry.path, "ok") for entry in unit]

    def close(self) -> None:
        pass


def units(count: int) -> Iterator[Files]:
    for number in range(count):
        yield Files([BatchEntry(str(number))])


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 30])
def test_rows_come_in_order_and_a_window_of_batches_is_under_way(count: int) -> None:
    engine = Counting()
    rows = [row.path for rows in in_order(engine, units(count)) for row in rows]
    assert rows == [str(number) for number in range(count)]
    assert engine.most == min(count, 8)
    assert engine.under_way == 0


def test_a_buffer_is_given_back_when_its_batch_is_done(folder: Path) -> None:
    data = (folder / "000000.rplk").read_bytes()
    given: list[str] = []
    engine = Threads(spec_of(FIGHTER), 1)
    try:
        unit = Batch(data, [BatchEntry("one", 0, len(data))], lambda: given.append("back"))
        rows = engine.result(engine.submit(unit), unit)
    finally:
        engine.close()
    assert [(row.path, row.seed) for row in rows] == [("one", 1)]
    assert given == ["back"]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be held back here")
def test_a_process_that_is_just_starting_does_not_get_ctrl_c(folder: Path) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    engine = Processes(spec_of(FIGHTER), 1)
    unit = Files([BatchEntry(str(folder / "000000.rplk"))])
    try:
        handle = engine.submit(unit)
        assert handle is not None
        for process in engine._pool._processes:
            os.kill(process, signal.SIGINT)
        assert handle.exception() is None
        assert [row.seed for row in engine.result(handle, unit)] == [1]
    finally:
        engine.close()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before, "here it comes through again"


def test_each_entry_of_a_batch_can_travel_alone() -> None:
    batch = Batch(b"onetwo", [BatchEntry("1", 0, 3, 7, 8), BatchEntry("2", 3, 6), BatchEntry("3", problem="gone")])
    alone = list(single_entries(batch))
    assert [entry for entry, _ in alone] == batch.entries
    assert [unit.data for _, unit in alone if isinstance(unit, Batch)] == [b"one", b"two", b""]
    assert alone[0][1] == Batch(b"one", [BatchEntry("1", 0, 3, 7, 8)])
    files = Files([BatchEntry("a"), BatchEntry("b")])
    assert [unit for _, unit in single_entries(files)] == [Files([BatchEntry("a")]), Files([BatchEntry("b")])]


def test_a_script_without_its_guard_is_told_so_and_no_match_is_called_bad(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from retick.games.fighter import Fighter\n\n\nclass Own(Fighter):\n    game_id = 'own'\n", encoding="utf-8"
    )
    script = tmp_path / "script.py"
    script.write_text(
        "from retick import replay\n\n"
        "for row in replay.verify_many(['nothing.rplk'], 'own.py:Own', engine='processes', workers=1):\n"
        "    print(row)\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "UsageError: worker processes end as they start" in done.stderr
    assert 'if __name__ == "__main__"' in done.stderr
