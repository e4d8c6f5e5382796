"""Explains a desync offline: whose state the code here gives, and which line of the step wrote what differs.

The stretch from the last frame that agreed is run again, by each *side*: one game on the bundle's stretch, or two
games on it (an old and a new build), or one game on two machines' recordings. Each side is run as it is installed,
for its checksum, and from Python source with every line watched.
"""

import re
from collections.abc import Callable

from retick.audit.desync.bundle import Bundle
from retick.audit.desync.explanation import Explanation, Side, WrittenAt
from retick.audit.desync.line_divergence import first_parted_line
from retick.audit.desync.line_trace import Executed
from retick.audit.desync.rerun import Rerun, rerun
from retick.errors import RetickError, UsageError
from retick.replay import Replay
from retick.rollback.desync.field_values import Value
from retick.rollback.desync.report import DesyncReport

__all__ = ["explain"]

_NAME = re.compile(r"[^\W\d]\w*")


def explain(
    bundle: Bundle,
    games: tuple[str, ...],
    *,
    timeout: float = 300.0,
    progress: Callable[[str], None] = lambda text: None,
) -> Explanation:
    """Re-run ``bundle`` with one game, or two to compare; ``timeout`` in seconds is for each of the runs."""
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
    parted = None
    if len(traces) == 2:
        parted = first_parted_line(traces[0].lines, traces[1].lines)
    notes += _notes_on_sides(sides, traces, report, games)
    same_inputs = not any(difference.frame < (report.first_differing or 0) for difference in report.input_differences)
    return Explanation(
        report=report,
        sides=tuple(sides),
        parted=parted,
        notes=tuple(notes),
        explained=report.first_differing is not None and (not same_inputs or any(s.reproduces for s in sides)),
    )


def _plan(bundle: Bundle, games: tuple[str, ...]) -> tuple[list[tuple[str, str, Replay]], list[str]]:
    """Which games to run over which recordings; and why not, where that cannot be."""
    frame = bundle.report.first_differing
    if frame is None:
        return [], ["there is no difference to explain"]
    if not games:
        return [], ["no game was given: it was not run again"]
    if frame == 0:
        return [], ["the first states differ already: no step wrote them, initial_state did, or the seeds differ"]
    long_enough = {m: r for m, r in bundle.recordings.items() if r.start_frame < frame <= r.end_frame}
    stretch = bundle.around or next(iter(long_enough.values()), None)
    if len(games) == 1 and len(long_enough) >= 2:
        chosen = sorted(long_enough.items())[:2]
        return [(f"{games[0]} on the recording of machine {m}", games[0], r) for m, r in chosen], []
    if stretch is None:
        why = "neither a state from which to run again nor a recording is in the bundle"
        return [], [f"{why}: give the game pack_state, or record matches"]
    return [(game, game, stretch) for game in games], []


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
        departed=plain.departed,
        pure_differs=plain.checksum != traced.checksum,
        written=_written(traced.lines, report),
    )
    return side, traced


def _written(lines: tuple[Executed, ...], report: DesyncReport) -> tuple[WrittenAt, ...]:
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        last.update(dict.fromkeys(line.writes, number))
    holders = {field.name: field.by_value() for field in report.fields}
    found = []
    for name, number in sorted(last.items(), key=lambda item: item[1]):
        line = lines[number]
        value = line.writes[name]
        machines = next((machines for held, machines in holders.get(name, []) if held == value), ())
        found.append(
            WrittenAt(
                field=name, value=value, machines=machines, line=line, computed=_computed(lines[: number + 1], value)
            )
        )
    return tuple(found)


def _computed(lines: tuple[Executed, ...], value: Value) -> Executed | None:
    """The nearest line up to the write that gave this value to a variable which the writing line names."""
    named = set(_NAME.findall(lines[-1].text))
    for line in reversed(lines):
        if any(held == value and name in named for name, held in line.variables.items()):
            return line
    return None


def _notes_on_inputs(bundle: Bundle) -> list[str]:
    """Recordings that have different inputs for one frame explain a desync by themselves."""
    notes = []
    machines = sorted(bundle.recordings)
    for machine in machines[1:]:
        ours, theirs = bundle.recordings[machines[0]], bundle.recordings[machine]
        for frame in range(max(ours.start_frame, theirs.start_frame), min(ours.end_frame, theirs.end_frame)):
            if ours.inputs_at(frame) != theirs.inputs_at(frame):
                both = f"machines {machines[0]} and {machine}"
                notes.append(f"the recordings of {both} differ in their inputs from frame {frame} on")
                break
    return notes


def _notes_on_sides(sides: list[Side], traces: list[Rerun], report: DesyncReport, games: tuple[str, ...]) -> list[str]:
    notes = []
    for side, traced in zip(sides, traces, strict=True):
        if side.departed is not None:
            notes.append(
                f"{side.label} leaves the match at frame {side.departed} already, where all machines agreed: "
                "it is another version of the game, or does not repeat itself"
            )
        if side.pure_differs:
            notes.append(f"{side.label} gives another state compiled than from its Python source")
        if not traced.lines:
            notes.append(f"{side.label}: no Python line of the game ran that could be watched: is it compiled?")
    if sides and not any(side.reproduces for side in sides):
        notes.append(
            f"no machine's state came out: try `retick synctest {games[0]}` and `retick audit {games[0]}`, "
            "which find what is neither in the state nor in the inputs"
        )
    elif len(sides) == 2 and len({side.checksum for side in sides}) == 1:
        notes.append("both runs give the same state")
    if report.hidden:
        notes.append("a field that no checksum covers differed before: look for what wrote it earlier")
    return notes
