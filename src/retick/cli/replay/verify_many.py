"""``retick replay verify`` for folders, archives, URLs and manifests: a progress line, a file of results, a summary."""

# retick: floats -- a rate for people

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from retick.bulk import ResultFile, Run
from retick.bulk.manifest import NO_SOURCE
from retick.bulk.sources import is_many
from retick.cli.exit_codes import NO
from retick.cli.plurals import count
from retick.cli.project_game import project_game
from retick.cli.read_budget import read_limits
from retick.cli.terminal import Screen, say
from retick.errors import UsageError
from retick.replay import Row

__all__ = ["EngineName", "Many", "are_many"]


class EngineName(StrEnum):
    """Who runs the matches."""

    AUTO = "auto"
    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """What the options of the command ask for."""

    manifest: Path | None
    results: Path | None
    engine: EngineName
    workers: int | None
    address: str | None
    game: str | None
    allow_truncated: bool
    quiet: bool
    budget: int | None

    def run(self, sources: list[str]) -> None:
        """Verify everything, and end the command."""
        if self.results is not None and not self.results.absolute().parent.is_dir():
            raise UsageError(f"{self.results} cannot be written: there is no folder {self.results.parent}")
        if self.manifest is not None:
            self.manifest.open("rb").close()  # now, and not after a file of results was made
        with ResultFile(self.results) if self.results is not None else nullcontext() as file:
            held = file.paths if file is not None else set()
            run = Run(
                sources,
                self.game,
                engine=self.engine,
                manifest=self.manifest,
                workers=self.workers,
                address=self.address,
                is_done=held.__contains__ if held else None,
                project=None if self.game is not None else project_game(),
                strict=not self.allow_truncated,
                limits=read_limits(self.budget),
            )
            verdicts = self._follow(run, file, len(held))
        if verdicts.total() != verdicts["ok"]:
            raise typer.Exit(NO)

    def _follow(self, run: Run, file: ResultFile | None, held: int) -> Counter[str]:
        verdicts: Counter[str] = Counter()
        frames = missing = 0
        started = time.perf_counter()
        with _progress(run, held) as progress:
            for rows in run.batches():
                if file is not None:
                    file.write(rows)
                verdicts.update([row.verdict for row in rows])
                frames += sum([row.frames or 0 for row in rows])
                missing += sum([row.reason == NO_SOURCE for row in rows])
                _tell([row for row in rows if row.verdict != "ok"])
                seconds = max(1e-9, time.perf_counter() - started)
                progress.update(
                    progress.task_ids[0], advance=len(rows), rate=f"{verdicts.total() / seconds:,.0f} a second"
                )
        seconds = max(1e-9, time.perf_counter() - started)
        fresh = verdicts.total() - verdicts["ok"]
        if not self.quiet:
            matches = verdicts.total() - missing
            rate = f"{matches / seconds:,.0f} a second, {frames / seconds / 1e6:.1f} million frames"
            say(f"{count(matches, 'match', 'matches')} in {seconds:.1f} s by {run.engine}: {rate}")
            if missing:
                say(f"{count(missing, 'path')} of {self.manifest} {'is' if missing == 1 else 'are'} in no source")
            if held:
                say(f"{held} were in {self.results} already")
        if file is not None and file.not_ok:
            bad = sum(file.verdicts.values()) - file.verdicts["ok"] - fresh
            more = f" and {bad - len(file.not_ok)} more" if bad > len(file.not_ok) else ""
            say(
                f"{count(bad, 'row')} of {self.results} {'is' if bad == 1 else 'are'} not ok from before: "
                f"{', '.join(file.not_ok)}{more}; {_how_to_run_again(self.results)}"
            )
        whole = verdicts if file is None else file.verdicts
        if not self.quiet or whole.total() != whole["ok"]:
            say(", ".join(f"{number} {word}" for word, number in sorted(whole.items())) or "nothing to verify")
        return whole


def _how_to_run_again(results: Path | None) -> str:
    is_parquet = results is not None and results.suffix.lower() == ".parquet"
    return "to run them again, " + ("give --results another file" if is_parquet else "remove their lines from it")


def are_many(sources: list[str]) -> bool:
    """Whether one of them may be more than one file."""
    return any(map(is_many, sources))


def _tell(rows: list[Row]) -> None:
    if rows:
        say(*(f"{row.verdict}  {row.path}: {row.reason}" for row in rows))


@contextmanager
def _progress(run: Run, held: int) -> Iterator[Progress]:
    console = Screen(stderr=True)
    columns = (
        TextColumn("verify"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal
    with Progress(
        *columns, console=console, disable=hidden, transient=True, redirect_stdout=sys.stdout.isatty()
    ) as progress:
        total = None if hidden else run.sources.count()
        progress.add_task("verify", total=None if total is None else max(0, total - held), rate="")
        yield progress
