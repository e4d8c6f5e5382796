"""Turns a batch of recordings into rows: in the compiled kernel if they are plain, else by ``loads`` and ``verify``.

A recording that is verified alone does not come here: ``retick.replay.verification`` judges it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from retick.errors import DecodeError, UsageError
from retick.replay.formats import loads
from retick.replay.limits import ReadLimits
from retick.replay.replay import Replay
from retick.replay.verification import verify
from retick.sim.contract import Simulation
from retick.verify.batch import Batch, BatchEntry
from retick.verify.kernel import final_checksums, is_runnable
from retick.verify.rows import Row

NOTHING = "it holds no checksum, and no manifest has one"


class UnknownGame(UsageError):
    """The recording names no known game, and the caller names none either."""


class Judge:
    """Verifies recordings with the games that ``game_for`` finds for them."""

    def __init__(
        self,
        game_for: Callable[[Replay], Simulation[Any]],
        *,
        plain: Simulation[Any] | None = None,
        explain: Callable[[Exception], str] = str,
        strict: bool = True,
        limits: ReadLimits | None = None,
    ) -> None:
        """``plain`` is the game for recordings that name none; the kernel may be able to run it.

        ``explain`` describes what was raised while a game was found or run.
        """
        self._game_for = game_for
        self._plain = plain if plain is not None and is_runnable(plain) else None
        self._explain = explain
        self._strict = strict
        self._limits = bounds = limits or ReadLimits()
        self._most = min(bounds.free_frames, bounds.max_frames, bounds.free_bytes // 4, bounds.max_bytes // 8)
        """Number of frames that no budget refuses, so that the kernel need not check it."""

    def rows(self, batch: Batch) -> list[Row]:
        """One row for each entry, in order. Nothing in a recording stops it."""
        if self._plain is None:
            return [self._row(batch.data, entry) for entry in batch.entries]
        spans = [(entry[1], entry[2]) for entry in batch.entries]
        found = final_checksums(self._plain, batch.data, spans, self._most)
        return list(self._all(batch, found))

    def _all(self, batch: Batch, found: list[tuple[int, int, int] | None]) -> Iterator[Row]:
        for entry, run in zip(batch.entries, found, strict=True):
            path, _, _, seed, checksum, problem, _ = entry
            if run is None or problem or (seed is not None and seed != run[0]):
                yield self._row(batch.data, entry)
            elif checksum is None:
                yield Row(path, "unknown", NOTHING, *run)
            elif checksum == run[2]:
                yield Row(path, "ok", "", *run, checksum, 1)
            else:
                yield self._row(batch.data, entry)

    def _row(self, data: Any, entry: BatchEntry) -> Row:
        if entry.problem:
            return Row(entry.path, "manifest" if entry.is_manifests_fault else "unreadable", entry.problem)
        try:
            replay = loads(memoryview(data)[entry.start : entry.end], strict=self._strict, limits=self._limits)
        except DecodeError as error:
            return Row(entry.path, "corrupt", str(error), expected=entry.checksum)
        except MemoryError:
            return Row(entry.path, "unreadable", "there is too little memory for it", expected=entry.checksum)
        known = Row(entry.path, "failed", "", replay.seed, len(replay), expected=entry.checksum)
        if entry.seed is not None and entry.seed != replay.seed:
            reason = f"the manifest says seed {entry.seed}, but the recording has {replay.seed}"
            return known._replace(verdict="differs", reason=reason)
        try:
            verdict = verify(replay, self._game_for(replay), entry.checksum)
        except UnknownGame as error:
            return known._replace(verdict="unknown", reason=str(error))
        except Exception as error:
            return known._replace(reason=self._explain(error))
        known = known._replace(
            verdict="ok",
            checksum=verdict.checksum,
            compared=verdict.compared,
            first_bad_frame=verdict.first_bad_frame,
            last_good_frame=None if verdict.ok else verdict.last_good_frame,
        )
        if not verdict.ok:
            return known._replace(verdict="differs", reason=str(verdict))
        if not verdict.compared:
            return known._replace(verdict="unknown", reason=NOTHING)
        return known
