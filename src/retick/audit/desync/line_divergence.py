"""Compares the lines that two runs of a step executed, and finds where they diverge."""

from dataclasses import dataclass
from typing import Any

from retick.audit.desync.line_trace import Executed

__all__ = ["LineDivergence", "first_line_divergence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDivergence:
    """The first line at which two runs diverge."""

    first: Executed | None
    """In the first run; None: it had ended."""
    second: Executed | None
    """In the second run; None: it had ended."""
    flow: bool
    """True: they ran different lines. False: the same line had different effects."""
    after: Executed | None
    """The last line before it, which both ran with the same effects."""

    def to_json(self) -> dict[str, Any]:
        return {
            "first": None if self.first is None else self.first._asdict(),
            "second": None if self.second is None else self.second._asdict(),
            "flow": self.flow,
            "after": None if self.after is None else self.after._asdict(),
        }


def first_line_divergence(first: tuple[Executed, ...], second: tuple[Executed, ...]) -> LineDivergence | None:
    """The first line with different effects, or where different lines ran. Lines are compared by text, not by number.

    A line that was rewritten and still has the same effects is skipped: the lines after it have the same text again.
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
    """What must be equal for two lines to be the same; the class around them may have another name in each build."""
    return line.function.rpartition(".")[2], line.text


def _divergence(first: tuple[Executed, ...], second: tuple[Executed, ...], at: int, *, flow: bool) -> LineDivergence:
    return LineDivergence(
        first=first[at] if at < len(first) else None,
        second=second[at] if at < len(second) else None,
        flow=flow,
        after=first[at - 1] if at else None,
    )
