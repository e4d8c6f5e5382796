"""The ray engine of ``verify_many``: batches of bytes as tasks, on this machine or a running cluster.

Ray retries a task whose worker is lost. The rows of a batch depend only on its bytes and the game, so a second run
gives the same rows. Every worker needs this package, and the game under the same import path. A worker that sees the
same archive as we do, on this machine or on a shared disk, reads its part itself; others are sent the bytes.
"""

import os
import socket
from pickle import PickleBuffer
from typing import Any

from retick.errors import MissingExtra, NetworkUnavailable
from retick.verify.batch import Batch, BatchEntry, columns, from_columns
from retick.verify.engines import WINDOW, Unit, Work, cores, single_entries, worker_for
from retick.verify.games import GameSpec
from retick.verify.reading import RAY_BYTES, AnotherFile, ByteRange, FileReader, Files
from retick.verify.rows import Row

ANSWER_WITHIN = 5.0
"""Seconds that a cluster has to accept a connection."""
TRIES_AGAIN = 3
"""How often a batch is retried whose worker was lost."""
_kept: dict[str, Work] = {}
"""In a worker: the work function of the newest run, by the run's key."""


class RayEngine:
    """Runs batches as ray tasks."""

    def __init__(self, spec: GameSpec, workers: int | None = None, *, address: str | None = None) -> None:
        """Without an ``address``, ray is started here with ``workers`` cores."""
        self._ray = ray = _library()
        self._owns = not ray.is_initialized()
        if self._owns:
            try:
                if address is not None:
                    _knock(address)
                ray.init(
                    address=address,
                    num_cpus=None if address else workers,
                    object_store_memory=None if address else store_bytes(workers),
                    include_dashboard=None if address else False,
                    log_to_driver=False,
                    configure_logging=False,
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise NetworkUnavailable(f"ray does not start: {str(error).splitlines()[0]}") from None
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._spec = ray.put(spec)
        self._key = os.urandom(8).hex()
        self._reader = FileReader(spec.limits)
        self._sees_our_files = True
        """False once a worker has reported that it does not see an archive."""
        self._task = ray.remote(num_cpus=1, max_retries=TRIES_AGAIN)(_rows_of)

    def submit(self, unit: Unit) -> Any:
        if isinstance(unit, ByteRange):
            if self._sees_our_files:
                return self._given((unit.archive, unit.start, unit.identity), unit.entries)
            unit = self._reader.read_range(unit)
        batch = self._reader.read(unit) if isinstance(unit, Files) else unit
        end = max((entry.end for entry in batch.entries), default=0)
        return self._given(PickleBuffer(memoryview(batch.data)[:end]), batch.entries)

    def _given(self, source: Any, entries: list[BatchEntry]) -> Any:
        # The rows get their paths here: without paths, most tasks are small enough for ray to send at once.
        return self._task.remote(self._key, self._spec, source, columns(entries)[1:])

    def result(self, handle: Any, unit: Unit) -> list[Row]:
        lost = (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.ObjectLostError)
        try:
            rows = self._rows(handle, unit)
        except lost:  # after all tries: find out which of its matches kills the worker
            rows = [row for entry, one in single_entries(unit) for row in self._one(entry, one, lost)]
        if isinstance(unit, Batch) and unit.done is not None:
            unit.done()
        return rows

    def _rows(self, handle: Any, unit: Unit) -> list[Row]:
        found = self._ray.get(handle)
        if found is None:  # the worker does not have this archive: send bytes from now on
            self._sees_our_files = False
            found = self._ray.get(self.submit(unit))
        entries = unit if isinstance(unit, Files) else unit.entries
        return from_columns(Row, [tuple(entry[0] for entry in entries), *found])

    def _one(self, entry: BatchEntry, unit: Unit, lost: Any) -> list[Row]:
        try:
            return self._rows(self.submit(unit), unit)
        except lost:
            return [Row(entry.path, "failed", "the process that ran it died", expected=entry.checksum)]

    def close(self) -> None:
        if self._owns:
            self._ray.shutdown()


def store_bytes(workers: int | None = None) -> int:
    """Room for twice the batches that are under way; by default, ray takes a third of the machine's memory."""
    return max(128 << 20, 2 * WINDOW * (workers or cores()) * RAY_BYTES)


def _rows_of(key: str, spec: GameSpec, source: Any, parts: list[tuple[Any, ...]]) -> list[tuple[Any, ...]] | None:
    """In a worker: return the rows as columns without their paths; None if the worker does not see the archive.

    ``source`` is bytes, or the name, the start and the identity of an archive.
    """
    if key not in _kept:
        _kept.clear()
        _kept[key] = worker_for(spec, is_elsewhere=True)
    entries = from_columns(BatchEntry, [("",) * len(parts[0]), *parts])
    if not isinstance(source, tuple):
        return columns(_kept[key](Batch(source, entries)))[1:]
    archive, start, identity = source
    try:
        return columns(_kept[key](ByteRange(archive, start, identity, entries)))[1:]
    except AnotherFile:
        return None


def _knock(address: str) -> None:
    """Raise a ConnectionError if nobody answers; ray itself would go on trying for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or "//" in host:  # "auto" or "ray://…", which only ray understands
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_WITHIN).close()
    except (OSError, OverflowError):
        raise ConnectionError(f"nobody answers at {address}") from None


def _library() -> Any:
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError:
        raise MissingExtra("engine='ray' needs ray: pip install ray") from None
    return ray
