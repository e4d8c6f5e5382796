"""Who runs batches: threads of this process, or processes beside it. Ray is in ``retick.verify.ray``.

An engine is given batches one after the other and answers them in this order. So rows come in the order of the sources,
whoever ran them, and a window of batches under way is all that has to be kept.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.synchronize import Barrier
from typing import Any, Protocol

from retick.errors import UsageError
from retick.verify.batch import Batch, BatchEntry, Row
from retick.verify.games import GameSpec, judge_for
from retick.verify.reading import ByteRange, FileReader, Files

__all__ = ["WINDOW", "Engine", "Processes", "Threads", "Unit", "cores", "in_order", "single_entries", "worker_for"]

WINDOW = 4
"""Batches under way for each worker."""
Unit = Files | Batch | ByteRange
Work = Callable[[Unit], list[Row]]


class Engine(Protocol):
    """Runs batches."""

    workers: int

    def submit(self, unit: Unit) -> Any:
        """Begin with a batch; the handle is for ``result``."""

    def result(self, handle: Any, unit: Unit) -> list[Row]:
        """Its rows, once they are there."""

    def close(self) -> None:
        """Stop; what is under way is left."""


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(engine: Engine, units: Iterable[Unit]) -> Iterator[list[Row]]:
    """The rows of each batch, in their order; no further batch is taken before one is done."""
    pending: deque[tuple[Any, Unit]] = deque()
    for unit in units:
        pending.append((engine.submit(unit), unit))
        if len(pending) >= WINDOW * engine.workers:
            yield engine.result(*pending.popleft())
    while pending:
        yield engine.result(*pending.popleft())


def worker_for(spec: GameSpec, *, is_elsewhere: bool = False) -> Work:
    """The work of one thread or process; elsewhere, an AnotherFile says that it does not see an archive."""
    judge, reader = judge_for(spec), FileReader(spec.limits, is_elsewhere=is_elsewhere)

    def work(unit: Unit) -> list[Row]:
        if isinstance(unit, Files):
            return judge.rows(reader.read(unit))
        if isinstance(unit, ByteRange):
            return [row for part in unit.parts() for row in judge.rows(reader.read_range(part))]
        rows = judge.rows(unit)
        if unit.done is not None:
            unit.done()
        return rows

    return work


class Threads:
    """Threads of this process: for games that run without Python's lock."""

    def __init__(self, spec: GameSpec, workers: int | None = None) -> None:
        # One thread more than cores: while one waits for the lock or a file, the cores have work.
        self.workers = workers or cores() + 1
        self._local = threading.local()
        self._spec = spec
        self._pool = ThreadPoolExecutor(self.workers, "verify")

    def submit(self, unit: Unit) -> "Future[list[Row]]":
        return self._pool.submit(self._work, unit)

    def _work(self, unit: Unit) -> list[Row]:
        work: Work | None = getattr(self._local, "work", None)
        if work is None:
            work = self._local.work = worker_for(self._spec)
        return work(unit)

    def result(self, handle: "Future[list[Row]]", unit: Unit) -> list[Row]:
        return handle.result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class Processes:
    """A process for each core: for games in Python. One that dies takes no other match with it."""

    def __init__(self, spec: GameSpec, workers: int | None = None) -> None:
        self.workers = workers or cores()
        self._spec = spec
        try:
            self._pool = self._new_pool()
        except BrokenProcessPool:  # before any match: no recording is to blame
            raise UsageError(
                "worker processes end as they start. A script that calls verify_many must do so below "
                'if __name__ == "__main__": since every worker imports the script'
            ) from None

    def _new_pool(self) -> ProcessPoolExecutor:
        """All its processes have begun: one that the pool starts as another dies would be waited for without end."""
        # A fresh interpreter: a copy of this one could hold a lock of one of our threads.
        fresh = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, fresh, _begin, (self._spec, fresh.Barrier(self.workers)))
        with _without_ctrl_c():  # the pool starts its processes here, one by one
            started = [pool.submit(_has_begun) for _ in range(self.workers)]
        for each in started:
            each.result()
        return pool

    def submit(self, unit: Unit) -> "Future[list[Row]] | None":
        try:
            return self._pool.submit(_in_process, unit)
        except BrokenProcessPool:
            return None

    def result(self, handle: "Future[list[Row]] | None", unit: Unit) -> list[Row]:
        try:
            if handle is not None:
                return handle.result()
        except BrokenProcessPool:
            pass
        try:  # perhaps another batch was to blame: alone
            return self._alone(unit)
        except BrokenProcessPool:
            return [row for entry, one in single_entries(unit) for row in self._one(entry, one)]

    def _alone(self, unit: Unit) -> list[Row]:
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._new_pool()
        return self._pool.submit(_in_process, unit).result()

    def _one(self, entry: BatchEntry, unit: Unit) -> list[Row]:
        try:
            return self._alone(unit)
        except BrokenProcessPool:
            return [Row(entry.path, "failed", "the process that ran it died", expected=entry.checksum)]

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def single_entries(unit: Unit) -> Iterator[tuple[BatchEntry, Unit]]:
    """Each entry of a batch with a batch of its own."""
    for entry in unit if isinstance(unit, Files) else unit.entries:
        if isinstance(unit, Files):
            yield entry, Files([entry])
        elif isinstance(unit, ByteRange):
            alone = entry._replace(start=0, end=entry.end - entry.start)
            yield entry, ByteRange(unit.archive, unit.start + entry.start, unit.identity, [alone])
        else:
            own = bytes(memoryview(unit.data)[entry.start : entry.end])
            yield entry, Batch(own, [entry._replace(start=0, end=len(own))])


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Ctrl-C waits until the end of this block, and never comes to a process that is started in it.

    A terminal sends it to every process. One that still starts would end with a long text and break the pool.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # as it starts, it lets the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_work: Work | None = None
"""In a process of the pool: what it does."""


def _begin(spec: GameSpec, all_are_here: Barrier) -> None:
    """Of a process of the pool. None has time for work before all are there, so that the pool starts them all."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems that cannot keep it from a process as it is started
    _work = worker_for(spec)
    all_are_here.wait()


def _has_begun() -> bool:
    return _work is not None


def _in_process(unit: Unit) -> list[Row]:
    if _work is None:
        raise UsageError("a worker process was not started by this pool")
    return _work(unit)
