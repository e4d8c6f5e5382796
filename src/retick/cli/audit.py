"""``retick audit``: checks that a game is deterministic, by reading its source and by running it."""

from typing import Annotated

import typer

from retick.audit import AuditReport, DynamicReport, Finding, RunDivergence, StaticReport, audit_dynamic, audit_static
from retick.audit.game_loader import worlds_in
from retick.audit.report import EXCEPTION
from retick.audit.targets import split_target
from retick.cli.arguments import wanted_game
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen, count, say_json, working
from retick.errors import UsageError

_SHOWN_FIELDS = 8


def audit(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH-OR-MODULE[:CLASS]]",
            help="A file, directory or module to read; with :CLASS, or with one world in it, a game to run too.",
            show_default="[tool.retick] game of pyproject.toml",
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Also read the modules of its own package that it imports.")
    ] = True,
    static_only: Annotated[bool, typer.Option("--static-only", help="Read the source; do not run the game.")] = False,
    frames: Annotated[int, typer.Option(min=1, help="Frames to play.")] = 600,
    seed: Annotated[int, typer.Option(min=1, max=0xFFFFFFFF, help="Seed of the match and of its inputs.")] = 1,
    mask: Annotated[str, typer.Option(help="Bits that an input may have, such as 0x0F.", show_default="all")] = "",
    interpreters: Annotated[int, typer.Option(min=2, help="Python processes, each with its own PYTHONHASHSEED.")] = 4,
    timeout: Annotated[float, typer.Option(help="Seconds that the runs may take.")] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check that a game is deterministic.

    The source is searched for floats, clocks, random numbers, set order and the like; hidden folders and virtual
    environments below a directory are left out. If a game is named, or the file declares one world, a match of random
    inputs is also played in several Python processes with different hash seeds, and with a save and load at every
    frame: its code is run. --static-only reads it alone.
    Exit code 0: nothing was found. 1: something was found. 2: misuse.

    Example: retick audit retick.games.fighter:Fighter
    """
    # Piped output is one line for each finding and never wrapped, as with other linters.
    console = Screen()
    bits = _bits(mask)
    target = wanted_game(target)
    played = not static_only and (split_target(target)[1] is not None or len(worlds_in(target)) == 1)
    if bits is not None and not played:
        raise UsageError("--mask needs a game to run: name one as module:Class, without --static-only")
    with working("reading the source ...") as show:
        report = AuditReport(static=audit_static(target, follow=follow, progress=show))
    if not as_json:
        _print_static(console, report.static)
    if played:
        with working("playing the match ...") as show:
            dynamic = audit_dynamic(
                target,
                frames=frames,
                seed=seed,
                mask=bits,
                interpreters=interpreters,
                timeout=timeout,
                progress=lambda frame: show(f"playing the match ... frame {frame + 1} of {frames}"),
            )
        report = AuditReport(static=report.static, dynamic=dynamic)
        if not as_json:
            _print_dynamic(console, dynamic)
    if as_json:
        say_json(report.to_json(), indent=2)
    raise typer.Exit(0 if report.ok else NO)


def _bits(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"--mask must be a number such as 0x0F, not {text!r}") from None


def _print_finding(console: Screen, finding: Finding) -> None:
    if not console.is_terminal:
        console.tell(str(finding))
        return
    place = f"{finding.path}:{finding.line}:{finding.column}"
    console.tell((place, "bold"), "  ", (finding.rule, "bold red"), "  ", finding.what)
    console.tell(f"    why      {finding.reason}", style="dim")
    console.tell(f"    instead  {finding.advice}", style="dim")


def _mark(ok: bool) -> tuple[str, str]:
    return ("clean", "bold green") if ok else ("found", "bold red")


def _print_static(console: Screen, report: StaticReport) -> None:
    for finding in report.findings:
        _print_finding(console, finding)
    found, files = count(len(report.findings), "finding"), count(len(report.files), "file")
    counts = f"{found}, {len(report.allowed)} allowed, in {files}"
    if report.outside:
        counts += f"; not part of a simulation: {', '.join(report.outside)}"
    console.tell("source  ", _mark(report.ok), "  ", counts)


def _print_divergence(console: Screen, divergence: RunDivergence) -> None:
    if not console.is_terminal:
        console.tell(str(divergence))
        return
    where = "initial state" if divergence.frame < 0 else f"frame {divergence.frame}"
    console.tell((where, "bold"), "  ", (divergence.check, "bold red"), "  ", divergence.what)
    for name, first, second in divergence.differences[:_SHOWN_FIELDS]:
        console.tell("    ", (name, "bold"), f": {first} in one, {second} in the other")
    if len(divergence.differences) > _SHOWN_FIELDS:
        console.tell(f"    and {count(len(divergence.differences) - _SHOWN_FIELDS, 'field')} more", style="dim")
    if not divergence.differences and divergence.check != EXCEPTION:
        console.tell("    no field differs, the checksums do", style="dim")


def _print_dynamic(console: Screen, report: DynamicReport) -> None:
    for divergence in report.divergences:
        _print_divergence(console, divergence)
    frames, played = count(report.frames, "frame"), count(len(report.hash_seeds), "interpreter")
    runs = f"{frames} of seed {report.seed}, {played}, save/load every frame"
    console.tell("match   ", _mark(report.ok), "  ", runs)
