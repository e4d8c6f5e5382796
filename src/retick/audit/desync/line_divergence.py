"""Compares the lines that two runs of a step ran: where they part."""

from dataclasses import dataclass
from typing import Any

from retick.audit.desync.line_trace import Executed

__all__ = ["PartedLine", "first_parted_line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartedLine:
    """The first line at which two runs are no longer the same."""

    first: Executed | None
    """In the first run; None: it had ended."""
    second: Executed | None
    flow: bool
    """They ran different lines; else the same line did different things."""
    after: Executed | None
    """The last line that both ran alike."""

    def to_json(self) -> dict[str, Any]:
        return {
            "first": None if self.first is None else self.first._asdict(),
            "second": None if self.second is None else self.second._asdict(),
            "flow": self.flow,
            "after": None if self.after is None else self.after._asdict(),
        }


def first_parted_line(first: tuple[Executed, ...], second: tuple[Executed, ...]) -> PartedLine | None:
    """The first line whose work differs, or where different lines ran; lines are told by their text, not their number.

    A line that was rewritten but does the same is passed over: the texts after it are the same again.
    """
    strayed: int | None = None
    for at in range(max(len(first), len(second))):
        one = first[at] if at < len(first) else None
        other = second[at] if at < len(second) else None
        same_text = one is not None and other is not None and _name(one) == _name(other)
        if one is None or other is None or (one.writes, one.variables) != (other.writes, other.variables):
            place = at if strayed is None else strayed
            return _parted(first, second, place, flow=strayed is not None or not same_text)
        if same_text:
            strayed = None
        elif strayed is None:
            strayed = at
    return None


def _name(line: Executed) -> tuple[str, str]:
    """What two builds of a game call the same line: the class around it may have another name."""
    return line.function.rpartition(".")[2], line.text


def _parted(first: tuple[Executed, ...], second: tuple[Executed, ...], at: int, *, flow: bool) -> PartedLine:
    return PartedLine(
        first=first[at] if at < len(first) else None,
        second=second[at] if at < len(second) else None,
        flow=flow,
        after=first[at - 1] if at else None,
    )
