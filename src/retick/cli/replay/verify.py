"""``retick replay verify``: runs replays again and compares the checksums that they hold.

Single files are judged by ``retick.replay.verification``; folders, archives and other sources by ``retick.verify``.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from retick._regular_files import refuse_special
from retick.audit.game_loader import load_game
from retick.cli.arguments import BudgetOption, ProjectOption, asked_project, load_within, read_limits
from retick.cli.exit_codes import NO
from retick.cli.replay.reading import GameOption, Undecided, UnknownGame, for_each, game_of
from retick.cli.terminal import Screen, count, say
from retick.errors import RetickError, Truncated, UsageError
from retick.replay import Replay, Row
from retick.replay import verify as run_again
from retick.verify import ResultFile, Run
from retick.verify.manifest import NO_SOURCE
from retick.verify.sources import is_many

# retick: floats -- a rate for people


class EngineName(StrEnum):
    """The engines that run matches."""

    AUTO = "auto"
    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """The options for folders, archives, URLs and manifests."""

    manifest: Path | None
    results: Path | None
    engine: EngineName
    workers: int | None
    address: str | None
    game: str | None
    project: str | None
    allow_truncated: bool
    quiet: bool
    budget: int | None

    def run(self, sources: list[str]) -> None:
        """Verify everything with a progress bar, and end the command."""
        if self.results is not None and not self.results.absolute().parent.is_dir():
            raise UsageError(f"{self.results} cannot be written: there is no folder {self.results.parent}")
        if self.manifest is not None:
            refuse_special(self.manifest)  # fail before a file of results is made
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
                project=self.project,
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
    """Whether one of the sources may be more than one file."""
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


def verify(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES",
            show_default=False,
            help="Replays; also folders, patterns, archives (.tar, .parquet) and URLs.",
        ),
    ] = None,
    expect: Annotated[
        str | None, typer.Option(metavar="CHECKSUM", help="Checksum of the final state, for example 0x41B73DB7.")
    ] = None,
    game: GameOption = None,
    project: ProjectOption = False,
    allow_truncated: Annotated[
        bool,
        typer.Option("--allow-truncated", help="Accept a recording that was cut off, and verify what is left of it."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only those that are not good.")] = False,
    budget: BudgetOption = None,
    manifest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="CSV or Parquet: path, seed and final checksum of each replay."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a row for each replay: .jsonl or .parquet. Replays in it are not run again."
        ),
    ] = None,
    engine: Annotated[EngineName, typer.Option(help="What runs many replays.")] = EngineName.AUTO,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads or processes.", show_default="by the cores")
    ] = None,
    address: Annotated[str | None, typer.Option(help="Address of a running ray cluster, with --engine ray.")] = None,
) -> None:
    """Run replays again and compare every checksum.

    With a folder, a pattern, an archive, a URL, a manifest or a file of results, many are run at once on all cores.
    Exit code 0 then means that all are ok, and 1 that one is not, for whatever reason, also a missing file; its line
    says why.
    Exit code 0: all are good. 1: one is not. 2: misuse, or a file that cannot be opened. 3: one cannot be judged: it
    has no checksum to compare, or its game is not known here. The game is found by the id in the recording if it is
    Retick's; otherwise name it with --game, or take that of the project in this folder with --project.

    Example: retick replay verify match.rplk --expect 0x41B73DB7
    """
    sources = sources or []
    if not sources and manifest is None:
        raise UsageError("missing argument 'FILES' (see retick replay verify --help)")
    expected = None if expect is None else _checksum(expect)
    is_one_by_one = not (
        manifest or results or address or workers or engine is not EngineName.AUTO or are_many(sources)
    )
    if expected is not None and (len(sources) > 1 or not is_one_by_one):
        raise UsageError("--expect is for a single file")
    asked = asked_project(project, game)
    if game is not None:
        load_game(game)
    if not is_one_by_one:
        Many(
            manifest=manifest,
            results=results,
            engine=engine,
            workers=workers,
            address=address,
            game=game,
            project=asked,
            allow_truncated=allow_truncated,
            quiet=quiet,
            budget=budget,
        ).run(sources)
        return

    def judge(path: Path) -> None:
        replay = _load(path, budget, allow_truncated)
        try:
            sim = game_of(replay, game, asked)
        except UnknownGame as error:
            raise Undecided(str(error)) from None
        verdict = run_again(replay, sim, expected)
        if not verdict.ok:
            raise RetickError(str(verdict))
        if not verdict.compared:
            raise Undecided(f"{verdict}: it holds no checksum; give the final one with --expect")
        if not quiet:
            say(f"ok   {path}: {verdict}")

    for_each([Path(each) for each in sources], judge)


def _load(path: Path, budget: int | None, allow_truncated: bool) -> Replay:
    if allow_truncated:
        return load_within(path, budget)
    try:
        return load_within(path, budget, strict=True)
    except Truncated as error:
        raise RetickError(f"{error}: the recording was cut off; --allow-truncated verifies what is left") from None


def _checksum(text: str) -> int:
    try:
        value = int(text, 16)
    except ValueError:
        value = -1
    if not 0 <= value <= 0xFFFFFFFF:
        raise UsageError(f"--expect takes a checksum of up to eight hex digits, such as 0x41B73DB7, not {text!r}")
    return value
