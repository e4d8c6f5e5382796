"""``verify_many``, where people look for it. Its work is in ``retick.verify``, an app: files, threads, processes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from retick.replay.limits import ReadLimits
from retick.verify.batch import Row

__all__ = ["verify_many"]


class _PathLike(Protocol):
    def __fspath__(self) -> str: ...


def verify_many(
    sources: Iterable[str | _PathLike] | str | _PathLike = (),
    game: object = None,
    *,
    engine: str = "auto",
    manifest: str | _PathLike | None = None,
    workers: int | None = None,
    address: str | None = None,
    is_done: Callable[[str], bool] | None = None,
    strict: bool = True,
    limits: ReadLimits | None = None,
) -> Iterator[Row]:
    """Verify many recordings on all cores, or on a cluster; one row for each, in their order, as they are done.

    ``sources`` are files, folders, patterns, archives and URLs; ``manifest`` says what each should end with. ``game``
    is an import path such as ``module:Class``, an id, a game, or None: as each recording says. ``engine`` is "threads",
    "processes", "ray" (with ``address`` for a cluster that runs already) or "auto". ``is_done`` says of a path that it
    needs no run. Nothing that is wrong with a recording, a manifest's entry or a game stops the others: it is a row.
    docs/guides/many-replays.md has the rest.
    """
    from retick.verify.run import Run  # a door of the house: see docs/architecture.md

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
