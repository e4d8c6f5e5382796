"""Engines run batches: threads of this process, or other processes. ``retick.verify.ray`` has a third one.

An engine gets batches one after the other and returns their rows in this order. So rows come in the order of the
sources, and only the batches of a window are kept.
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
from retick.verify.batch import Batch, BatchEntry
from retick.verify.games import GameSpec, judge_for
from retick.verify.reading import ByteRange, FileReader, Files
from retick.verify.rows import Row

WINDOW = 4
"""Batches that are under way for each worker."""
Unit = Files | Batch | ByteRange
Work = Callable[[Unit], list[Row]]


class Engine(Protocol):
    """Runs batches."""

    workers: int

    def submit(self, unit: Unit) -> Any:
        """Start a batch; the returned handle is for ``result``."""

    def result(self, handle: Any, unit: Unit) -> list[Row]:
        """Wait for the rows of a batch."""

    def close(self) -> None:
        """Stop, without waiting for batches that are under way."""


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(engine: Engine, units: Iterable[Unit]) -> Iterator[list[Row]]:
    """Yield the rows of each batch in order; when the window is full, a batch must finish before the next starts."""
    pending: deque[tuple[Any, Unit]] = deque()
    for unit in units:
        pending.append((engine.submit(unit), unit))
        if len(pending) >= WINDOW * engine.workers:
            yield engine.result(*pending.popleft())
    while pending:
        yield engine.result(*pending.popleft())


def worker_for(spec: GameSpec, *, is_elsewhere: bool = False) -> Work:
    """Make the function that one thread or process runs. With ``is_elsewhere`` it raises AnotherFile for an archive
    that its machine does not see."""
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
    """Threads of this process, for games that run without the GIL."""

    def __init__(self, spec: GameSpec, workers: int | None = None) -> None:
        # One thread more than cores, so that the cores have work while one waits for the GIL or a file.
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
    """A process for each core, for games in Python. A process that dies costs only the match that killed it."""

    def __init__(self, spec: GameSpec, workers: int | None = None) -> None:
        self.workers = workers or cores()
        self._spec = spec
        try:
            self._pool = self._new_pool()
        except BrokenProcessPool:  # before any match, so no recording is to blame
            raise UsageError(
                "worker processes end as they start. A script must call verify_many below "
                'if __name__ == "__main__": since every worker imports the script'
            ) from None

    def _new_pool(self) -> ProcessPoolExecutor:
        """Make a pool whose processes have all started: one started while another dies would be awaited forever."""
        # Fresh interpreters: a fork could hold a lock of one of our threads.
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
        try:  # another batch may have killed the pool, so run this one alone
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
    """Split a batch into batches of one entry each."""
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
    """Delay Ctrl-C until the end of this block, and keep it from processes that are started in it.

    A terminal sends Ctrl-C to every process. One that is still starting would print a traceback and break the pool.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it unblocks the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_work: Work | None = None
"""In a process of the pool: the function that runs its batches."""


def _begin(spec: GameSpec, all_are_here: Barrier) -> None:
    """Set up a process of the pool. It waits for all the others, so that the pool starts every process."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems that cannot block it for a process that starts
    _work = worker_for(spec)
    all_are_here.wait()


def _has_begun() -> bool:
    return _work is not None


def _in_process(unit: Unit) -> list[Row]:
    if _work is None:
        raise UsageError("a worker process was not started by this pool")
    return _work(unit)
