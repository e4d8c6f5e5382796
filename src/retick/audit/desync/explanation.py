"""The result of explaining a desync offline, as a value and as plain sentences."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from retick.audit.desync.line_trace import Executed
from retick.audit.desync.report_json import report_to_json
from retick.rollback.desync.field_values import Value
from retick.rollback.desync.report import DesyncReport, peers_text, report_lines, value_text

# Compares the lines that two runs of a step executed, and finds where they diverge.


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDivergence:
    """The first line at which two runs diverge."""

    first: Executed | None
    """The line of the first run; None if it had ended."""
    second: Executed | None
    """The line of the second run; None if it had ended."""
    flow: bool
    """True if the runs executed different lines, False if the same line had different effects."""
    after: Executed | None
    """The last line before, which had the same effects in both runs."""

    def to_json(self) -> dict[str, Any]:
        return {
            "first": None if self.first is None else self.first._asdict(),
            "second": None if self.second is None else self.second._asdict(),
            "flow": self.flow,
            "after": None if self.after is None else self.after._asdict(),
        }


def first_line_divergence(first: tuple[Executed, ...], second: tuple[Executed, ...]) -> LineDivergence | None:
    """Find the first line with different effects, or the first different line. Lines are compared by text.

    A line that was rewritten and still has the same effects is skipped if later lines have the same text again.
    """
    first_different_text: int | None = None
    for at in range(max(len(first), len(second))):
        one = first[at] if at < len(first) else None
        other = second[at] if at < len(second) else None
        same_text = one is not None and other is not None and _name(one) == _name(other)
        if one is None or other is None or (one.writes, one.variables) != (other.writes, other.variables):
            place = at if first_different_text is None else first_different_text
            return _divergence(first, second, place, flow=first_different_text is not None or not same_text)
        if same_text:
            first_different_text = None
        elif first_different_text is None:
            first_different_text = at
    return None


def _name(line: Executed) -> tuple[str, str]:
    """The identity of a line: function and text, without the class, which may have another name in each build."""
    return line.function.rpartition(".")[2], line.text


def _divergence(first: tuple[Executed, ...], second: tuple[Executed, ...], at: int, *, flow: bool) -> LineDivergence:
    return LineDivergence(
        first=first[at] if at < len(first) else None,
        second=second[at] if at < len(second) else None,
        flow=flow,
        after=first[at - 1] if at else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAt:
    """The line that gave a differing field its value."""

    field: str
    value: Value
    peers: tuple[int, ...]
    """The peers whose state has this value."""
    line: Executed
    """The line that wrote it."""
    computed: Executed | None
    """The line that computed the value before; None if unknown."""

    def to_json(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "value": self.value,
            "machines": list(self.peers),
            "line": self.line._asdict(),
            "computed": None if self.computed is None else self.computed._asdict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One run of a game over the recorded inputs."""

    label: str
    """The game's name, with the recording if there are several."""
    checksum: int
    """Checksum of this run's state at the first differing frame."""
    reproduces: tuple[int, ...]
    """The peers that had the same state; empty if none had."""
    diverged_at: int | None
    """The first frame at which this run differs although all peers agreed; None if there is none."""
    pure_differs: bool
    """Whether the run from Python source gave another state than the installed game."""
    written: tuple[WrittenAt, ...]
    """The last write of each differing field, in order of time."""
    repeats: bool = True
    """Whether further runs here, at another time and by another user, gave the same states."""

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "checksum": self.checksum,
            "reproduces": list(self.reproduces),
            "departed": self.diverged_at,
            "pure_differs": self.pure_differs,
            "repeats": self.repeats,
            "written": [written.to_json() for written in self.written],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncExplanation:
    """The findings about a desync."""

    report: DesyncReport
    sides: tuple[Side, ...]
    divergence: LineDivergence | None
    """Where two runs diverge; None without two runs, or if they are equal."""
    notes: tuple[str, ...]
    """Further findings, and why something could not be run."""
    explained: bool
    """Whether a run reproduced the state of a peer, or the peers had different inputs."""

    def to_json(self) -> dict[str, Any]:
        """Convert to plain values for JSON; the keys stay the same if attributes are renamed."""
        return {
            "explained": self.explained,
            "report": report_to_json(self.report),
            "sides": [side.to_json() for side in self.sides],
            "parted": None if self.divergence is None else self.divergence.to_json(),
            "notes": list(self.notes),
        }


def explanation_lines(found: DesyncExplanation) -> list[str]:
    """Write the report and the findings in plain sentences."""
    lines = report_lines(found.report)
    for side in found.sides:
        whose = f"gives the state of {peers_text(side.reproduces)}" if side.reproduces else "gives the state of no peer"
        lines.append(f"run again: {side.label} {whose} (checksum 0x{side.checksum:08X})")
        for places, group in groupby(side.written, key=_places):
            lines += [*_became(list(group)), *places]
    if found.divergence is not None:
        lines += _divergence_lines(found.divergence)
    return lines + [f"note: {note}" for note in found.notes]


MOST_FIELDS = 6
"""Most fields that are listed for one line of the game."""


def _places(written: WrittenAt) -> list[str]:
    if written.computed is None or written.computed is written.line:
        return [f"    {_place(written.line)}"]
    return [f"    {_place(written.computed)}", f"    stored by {_place(written.line)}"]


def _became(group: list[WrittenAt]) -> list[str]:
    """The fields that one line has written."""
    lines = []
    for written in group[:MOST_FIELDS]:
        held = f"as at {peers_text(written.peers)}" if written.peers else "as at no peer"
        lines.append(f"  {written.field} became {value_text(written.value)}, {held}, in")
    if len(group) > MOST_FIELDS:
        more = len(group) - MOST_FIELDS
        lines.append(f"  and {more} more {'field' if more == 1 else 'fields'} in")
    return [line.removesuffix(" in") for line in lines[:-1]] + lines[-1:]


def _divergence_lines(divergence: LineDivergence) -> list[str]:
    what = "run different lines" if divergence.flow else "diverge at one line"
    lines = [f"the two runs {what}:"]
    if divergence.flow and divergence.after is not None:
        lines.insert(0, f"both ran {_place(divergence.after)}")
    for which, line in (("first", divergence.first), ("second", divergence.second)):
        if line is None:
            lines.append(f"  {which}: had ended")
            continue
        effects = {**line.variables, **line.writes}
        gave = ", ".join(f"{name} = {value_text(value)}" for name, value in effects.items()) or "nothing"
        lines.append(f"  {which}: {_place(line)} gave {gave}")
    return lines


def _place(line: Executed) -> str:
    return f"{line.file}:{line.line} in {line.function}: {line.text}"
