"""What was found out offline about a desync, as a value and in plain sentences."""

from dataclasses import asdict, dataclass
from typing import Any

from retick.audit.desync.line_divergence import PartedLine
from retick.audit.desync.line_trace import Executed
from retick.audit.desync.report_json import report_to_json
from retick.rollback.desync.field_values import Value
from retick.rollback.desync.report import DesyncReport, peers_text, report_lines, value_text

__all__ = ["Explanation", "Side", "WrittenAt", "explanation_lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAt:
    """The line that gave a differing field its value."""

    field: str
    value: Value
    machines: tuple[int, ...]
    """Those that hold this value."""
    line: Executed
    computed: Executed | None
    """The line before it at which a variable got this value."""

    def to_json(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "value": self.value,
            "machines": list(self.machines),
            "line": self.line._asdict(),
            "computed": None if self.computed is None else self.computed._asdict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One run of the stretch."""

    label: str
    checksum: int
    reproduces: tuple[int, ...]
    """Machines whose state this run gives; none: it gives a state that no machine had."""
    departed: int | None
    """The first frame at which this run already leaves what all had agreed on."""
    pure_differs: bool
    """The game run from Python source gives another state than as it is installed."""
    written: tuple[WrittenAt, ...]
    """The last write of each differing field, in the order of writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What could be found out offline."""

    report: DesyncReport
    sides: tuple[Side, ...]
    parted: PartedLine | None
    notes: tuple[str, ...]
    explained: bool
    """Some machine's state is what the code here gives, or the machines had different inputs."""

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists, numbers and text."""
        return {
            "explained": self.explained,
            "report": report_to_json(self.report),
            "sides": [
                {**asdict(side), "written": [written.to_json() for written in side.written]} for side in self.sides
            ],
            "parted": None if self.parted is None else self.parted.to_json(),
            "notes": list(self.notes),
        }


def explanation_lines(found: Explanation) -> list[str]:
    """The report and what was found, in plain sentences."""
    lines = report_lines(found.report)
    for side in found.sides:
        whose = f"gives the state of {peers_text(side.reproduces)}" if side.reproduces else "gives no machine's state"
        lines.append(f"run again: {side.label} {whose} (checksum 0x{side.checksum:08X})")
        for written in side.written:
            held = f"as at {peers_text(written.machines)}" if written.machines else "as at no machine"
            lines.append(f"  {written.field} became {value_text(written.value)}, {held}, by")
            lines.append(f"    {_place(written.line)}")
            if written.computed is not None and written.computed is not written.line:
                lines.append(f"    computed by {_place(written.computed)}")
    if found.parted is not None:
        lines += _parted_lines(found.parted)
    return lines + [f"note: {note}" for note in found.notes]


def _parted_lines(parted: PartedLine) -> list[str]:
    what = "run different lines" if parted.flow else "part at one line"
    lines = [f"the two runs {what}:"]
    if parted.flow and parted.after is not None:
        lines.insert(0, f"both ran {_place(parted.after)}")
    for which, line in (("first", parted.first), ("second", parted.second)):
        if line is None:
            lines.append(f"  {which}: had ended")
            continue
        effects = {**line.variables, **line.writes}
        gave = ", ".join(f"{name} = {value_text(value)}" for name, value in effects.items()) or "nothing"
        lines.append(f"  {which}: {_place(line)} gave {gave}")
    return lines


def _place(line: Executed) -> str:
    return f"{line.file}:{line.line} in {line.function}: {line.text}"
