"""One run over many recordings, from the sources through an engine to the rows."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from retick.errors import UsageError
from retick.replay import ReadLimits
from retick.verify.engines import Engine, Processes, Threads, in_order
from retick.verify.games import GameSpec, spec_of
from retick.verify.reading import BATCH_BYTES, BATCH_FILES, RAY_BYTES, SLOW_BYTES, SLOW_FILES
from retick.verify.rows import Row
from retick.verify.sources import Sources

ENGINES: Final = ("auto", "threads", "processes", "ray")
Name = str | os.PathLike[str]


class Run:
    """One run over many recordings: iterate over it, or over its ``batches`` of rows."""

    def __init__(
        self,
        sources: Iterable[Name] | Name = (),
        game: object = None,
        *,
        engine: str = "auto",
        manifest: Name | None = None,
        workers: int | None = None,
        address: str | None = None,
        is_done: Callable[[str], bool] | None = None,
        project: str | None = None,
        strict: bool = True,
        limits: ReadLimits | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise UsageError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
        if workers is not None and workers < 1:
            raise UsageError(f"workers must be 1 or more, not {workers}")
        if address is not None and engine != "ray":
            raise UsageError("address is for engine='ray'")
        given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
        if not given and manifest is None:
            raise UsageError("nothing to verify: give sources, or a manifest")
        self._spec = spec_of(game, project=project, strict=strict, limits=limits)
        self.engine = engine if engine != "auto" else _chosen(self._spec)
        """Name of the engine that runs, also if ``auto`` was asked for."""
        self._workers, self._address = workers, address
        self.sources = Sources(
            given,
            manifest=manifest,
            is_done=is_done,
            limits=limits,
            piece={"ray": RAY_BYTES, "processes": SLOW_BYTES}.get(self.engine, BATCH_BYTES),
            files=SLOW_FILES if self.engine == "processes" else BATCH_FILES,
        )

    def batches(self) -> Iterator[list[Row]]:
        """Yield rows when they are done, in the order of the sources."""
        engine = self._started()
        try:
            yield from in_order(engine, self.sources.units())
        finally:
            engine.close()

    def __iter__(self) -> Iterator[Row]:
        for rows in self.batches():
            yield from rows

    def _started(self) -> Engine:
        if self.engine == "threads":
            return Threads(self._spec, self._workers)
        if self.engine == "processes":
            return Processes(self._spec, self._workers)
        from retick.verify.ray import RayEngine

        return RayEngine(self._spec, self._workers, address=self._address)


def _chosen(spec: GameSpec) -> str:
    return "threads" if spec.uses_all_cores_by_threads else "processes"


def verify_many(
    sources: Iterable[Name] | Name = (),
    game: object = None,
    *,
    engine: str = "auto",
    manifest: Name | None = None,
    workers: int | None = None,
    address: str | None = None,
    is_done: Callable[[str], bool] | None = None,
    strict: bool = True,
    limits: ReadLimits | None = None,
) -> Iterator[Row]:
    """Verify many recordings on all cores or on a cluster; yield a row for each, in order, when it is done.

    ``sources`` are files, folders, patterns, archives and URLs; ``manifest`` has the expected seeds and checksums.
    ``game`` is an import path such as ``module:Class``, an id, a game, or None if each recording names its own.
    ``engine`` is "threads", "processes", "ray" (with the ``address`` of a running cluster) or "auto". Paths for which
    ``is_done`` is true are left out. A bad recording, manifest entry or game becomes a row and does not stop the
    others. docs/guides/many-replays.md has the rest.
    """
    return iter(
        Run(
            sources,
            game,
            engine=engine,
            manifest=manifest,
            workers=workers,
            address=address,
            is_done=is_done,
            strict=strict,
            limits=limits,
        )
    )
