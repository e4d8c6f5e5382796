"""Explains a desync offline: which peer's state the code here reproduces, and which line wrote the differing values.

The frames from the last one that agreed are run again by each *side*: one game over the bundle's inputs, or two games
over them (an old and a new build), or one game over the recordings of two peers. Each side is run twice: as it is
installed, for its checksum, and from Python source, to trace every line.
"""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from retick.audit.desync.bundle import Bundle
from retick.audit.desync.explanation import DesyncExplanation, Side, WrittenAt, first_line_divergence
from retick.audit.desync.line_trace import MAX_LINES, Executed
from retick.audit.game_loader import locate_game
from retick.audit.interpreter import InterpreterDied, interpreters
from retick.errors import RetickError, UsageError
from retick.replay import Replay
from retick.replay.comparison import first_difference
from retick.rollback.desync.field_values import Value
from retick.rollback.desync.report import DesyncReport

# A part of the match is run again in another interpreter, by ``audit.desync.worker``.

_WORKER = "retick.audit.desync.worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The result of running a game here over the recorded inputs."""

    checksum: int
    """Checksum of the state at the frame that was asked for."""
    diverged_at: int | None
    """The first earlier frame whose checksum differs from the one that all peers agreed on; None if there is none."""
    lines: tuple[Executed, ...]
    """Every line that the last step ran; empty if it was not traced."""
    cut: bool
    """Whether more lines ran than are kept."""


def rerun(
    game: str,
    source: Replay,
    frame: int,
    agreed: int,
    *,
    watch: tuple[str, ...],
    trace: bool,
    timeout: float,
    elsewhere: int = 0,
) -> Rerun:
    """Run ``game`` (module:Class or file.py:Class) over ``source`` up to the state at ``frame``.

    Frames up to ``agreed`` are compared with the checksums in ``source``. With ``trace`` the game is run from Python
    source, and every line of the last step is watched for changes of the fields in ``watch``. ``timeout`` is in
    seconds. ``elsewhere`` is the seed of another time and user, 0 for the present ones. UsageError if this game cannot
    play the recording, another RetickError if it failed on it.
    """
    job = {
        **locate_game(game),
        "replay": _replay_to_json(source),
        "checks": {number: checksum for number, checksum in source.checkpoints.items() if number <= agreed},
        "frame": frame,
        "watch": watch,
        "trace": trace,
        "elsewhere": elsewhere,
    }
    answer = _ask(game, job, {"RETICK_PURE": "1"} if trace else {}, timeout)
    return Rerun(
        checksum=answer["checksum"],
        diverged_at=answer["diverged_at"],
        lines=tuple(Executed(*line) for line in answer["lines"]),
        cut=answer["cut"],
    )


def _replay_to_json(source: Replay) -> dict[str, Any]:
    return {
        "seed": source.seed,
        "frames": source.frames.hex(),
        "num_players": source.num_players,
        "input_size": source.input_size,
        "start_frame": source.start_frame,
        "start_state": None if source.start_state is None else source.start_state.hex(),
    }


def _ask(game: str, job: dict[str, Any], environment: dict[str, str], timeout: float) -> dict[str, Any]:
    try:
        with interpreters(timeout) as start:
            answer: dict[str, Any] = json.loads(start(_WORKER, job, environment).read_line())
    except InterpreterDied as death:
        if death.timed_out:
            raise RetickError(f"{game} did not finish within {timeout:g} seconds") from None
        raise RetickError(f"{game} ended its process with code {death.code}: {death.last_line}") from None
    if "misused" in answer:
        raise UsageError(f"{game} could not be run: {answer['misused']}")
    if "failed" in answer:
        raise RetickError(f"{game} failed when it was run again: {answer['failed']}")
    return answer


_NAME = re.compile(r"[^\W\d]\w*")


def explain(
    bundle: Bundle,
    games: tuple[str, ...],
    *,
    timeout: float = 300.0,
    progress: Callable[[str], None] = lambda text: None,
) -> DesyncExplanation:
    """Run the match in ``bundle`` again with one game, or with two to compare them.

    Games are named as module:Class or file.py:Class. ``timeout`` is in seconds for each run. ``progress`` is called
    with the label of each side before it is run.
    """
    report = bundle.report
    notes = _notes_on_inputs(bundle)
    plan, missing = _plan(bundle, games)
    notes += missing
    sides: list[Side] = []
    traces: list[Rerun] = []
    for label, game, source in plan:
        progress(label)
        try:
            side, traced = _run_side(label, game, source, report, timeout)
        except UsageError:
            raise
        except RetickError as error:
            notes.append(str(error))
            continue
        sides.append(side)
        traces.append(traced)
    divergence = None
    if len(traces) == 2:
        divergence = first_line_divergence(traces[0].lines, traces[1].lines)
    notes += _notes_on_sides(sides, traces, report, games)
    same_inputs = not any(difference.frame < (report.first_differing or 0) for difference in report.input_differences)
    return DesyncExplanation(
        report=report,
        sides=tuple(sides),
        divergence=divergence,
        notes=tuple(notes),
        explained=report.first_differing is not None and (not same_inputs or any(s.reproduces for s in sides)),
    )


def _plan(bundle: Bundle, games: tuple[str, ...]) -> tuple[list[tuple[str, str, Replay]], list[str]]:
    """Choose the games and recordings to run, each with a label; with notes if nothing can be run."""
    frame = bundle.report.first_differing
    if frame is None:
        return [], ["there is no difference to explain"]
    if not games:
        return [], ["no game was named, so nothing was run again"]
    if frame == 0:
        return [], ["the first states differ already: initial_state made them different, or the seeds differ"]
    long_enough = {m: r for m, r in bundle.recordings.items() if r.start_frame < frame <= r.end_frame}
    inputs = bundle.around or next(iter(long_enough.values()), None)
    if len(games) == 1 and len(long_enough) >= 2:
        chosen = sorted(long_enough.items())[:2]
        return [(f"{games[0]} on the recording of peer {m}", games[0], r) for m, r in chosen], []
    if inputs is None:
        why = "the bundle has neither a state to start from nor a recording"
        return [], [f"{why}: give the game a pack_state, or record matches"]
    return [(game, game, inputs) for game in games], []


def _run_side(label: str, game: str, source: Replay, report: DesyncReport, timeout: float) -> tuple[Side, Rerun]:
    frame = report.first_differing or 0
    agreed = -1 if report.last_agreed is None else report.last_agreed
    watch = tuple(field.name for field in report.fields)
    plain = rerun(game, source, frame, agreed, watch=watch, trace=False, timeout=timeout)
    traced = rerun(game, source, frame, agreed, watch=watch, trace=True, timeout=timeout)
    same = (
        group
        for group, checksum in zip(report.groups, report.divergences[0].checksums, strict=True)
        if checksum == plain.checksum
    )
    side = Side(
        label=label,
        checksum=plain.checksum,
        reproduces=next(same, ()),
        diverged_at=plain.diverged_at,
        pure_differs=plain.checksum != traced.checksum,
        written=_written(traced.lines, report),
    )
    return replace(side, repeats=_repeats(side, plain, game, source, report, timeout)), traced


def _repeats(side: Side, before: Rerun, game: str, source: Replay, report: DesyncReport, timeout: float) -> bool:
    """Whether the same run gives the same states at other times; one is enough if a peer had this state too."""
    frame, agreed = report.first_differing or 0, -1 if report.last_agreed is None else report.last_agreed
    again = (
        rerun(game, source, frame, agreed, watch=(), trace=False, timeout=timeout, elsewhere=seed)
        for seed in ((1,) if side.reproduces else (1, 2))
    )
    return all((each.checksum, each.diverged_at) == (before.checksum, before.diverged_at) for each in again)


def _written(lines: tuple[Executed, ...], report: DesyncReport) -> tuple[WrittenAt, ...]:
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        last.update(dict.fromkeys(line.writes, number))
    holders = {field.name: field.by_value() for field in report.fields}
    found = []
    for name, number in sorted(last.items(), key=lambda item: item[1]):
        line = lines[number]
        value = line.writes[name]
        peers = next((peers for held, peers in holders.get(name, []) if held == value), ())
        found.append(
            WrittenAt(
                field=name, value=value, peers=peers, line=line, computed=_computed(lines[: number + 1], name, value)
            )
        )
    return tuple(found)


def _computed(lines: tuple[Executed, ...], field: str, value: Value) -> Executed | None:
    """Find the line that computed the value, long before a step that builds a new state writes it.

    That is the last line that assigned the value to a variable used by the writing statement, or else to the same field
    of a local record, or that returned it from a function which the statement calls, or else the line of the field's
    own argument in a statement over several lines.
    """
    *before, writing = lines
    named, leaf = set(_NAME.findall(writing.text)), field.rpartition(".")[2]
    argument = re.compile(rf"{re.escape(leaf)}\s*=[^=]")
    ways: tuple[Callable[[Executed], bool], ...] = (
        lambda line: any(held == value and name in named for name, held in line.variables.items()),
        lambda line: any(held == value and name.endswith(f".{leaf}") for name, held in line.variables.items()),
        lambda line: line.variables.get("returned") == value and line.function.rpartition(".")[2] in named,
        lambda line: line.function == writing.function and argument.match(line.text) is not None,
    )
    for way in ways:
        for line in reversed(lines if way is ways[0] else before):
            if way(line):
                return line
    return None


def _notes_on_inputs(bundle: Bundle) -> list[str]:
    """Notes on recordings with different inputs for the same frame, which explain a desync by themselves."""
    notes = []
    peers = sorted(bundle.recordings)
    for peer in peers[1:]:
        frame = first_difference(bundle.recordings[peers[0]], bundle.recordings[peer])
        if frame is not None:
            notes.append(f"the recordings of peers {peers[0]} and {peer} have different inputs from frame {frame} on")
    return notes


_TOOLS = "`retick synctest {0}` and `retick audit {0}`"


def _notes_on_sides(sides: list[Side], traces: list[Rerun], report: DesyncReport, games: tuple[str, ...]) -> list[str]:
    notes = []
    game = shlex.quote(games[0]) if games else ""
    for side, traced in zip(sides, traces, strict=True):
        if not side.repeats:
            notes.append(
                f"{side.label}: this program does not agree with itself: run again over the same inputs, at another "
                f"time and by another user, it gives other states. {_TOOLS.format(game)} find what they depend on"
            )
            continue
        if side.diverged_at is not None:
            notes.append(
                f"{side.label} diverges at frame {side.diverged_at} already, where all peers agreed: "
                "it is another version of the game, or not deterministic"
            )
        if side.pure_differs:
            notes.append(
                f"{side.label} gives another state from its Python source than as it is installed: "
                "its compiled form differs, or the game is not deterministic"
            )
        if not traced.lines:
            notes.append(
                f"{side.label}: no Python line of the game could be traced: is it compiled without its source?"
            )
        if traced.cut:
            notes.append(f"{side.label}: the step ran more than {MAX_LINES} lines, and only those were traced")
    if sides and not any(side.reproduces or not side.repeats for side in sides):
        why = "which find results that depend on more than state and inputs"
        notes.append(f"no run gave the state of any peer: try {_TOOLS.format(game)}, {why}")
    elif len(sides) == 2 and len({side.checksum for side in sides}) == 1:
        notes.append("both runs give the same state")
    if report.hidden:
        notes.append("a field that no checksum covers differed earlier: look for the line that wrote it then")
    return notes
