"""The results of an audit, as values that print as text and convert to JSON."""

from dataclasses import dataclass
from typing import Any

from retick.audit.rules import META_RULES, RULES
from retick.errors import DeterminismError
from retick.sim.fields import FieldDifference

EXCEPTION = "exception"
"""The ``check`` of a game that raises in every run, where nothing diverges."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Finding:
    """One place in the source that breaks a rule."""

    path: str
    line: int
    """Line number, from 1."""
    column: int
    """Column number, from 1."""
    rule: str
    """Id of the rule, as allow comments spell it."""
    what: str
    """The code that breaks the rule."""

    @property
    def reason(self) -> str:
        """Why this breaks a match."""
        return (RULES.get(self.rule) or META_RULES[self.rule]).reason

    @property
    def advice(self) -> str:
        """What to do instead."""
        return (RULES.get(self.rule) or META_RULES[self.rule]).advice

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "line": self.line,
            "column": self.column,
            "rule": self.rule,
            "what": self.what,
            "reason": self.reason,
            "advice": self.advice,
        }

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.rule}: {self.what}: {self.reason}; {self.advice}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedFinding:
    """A finding that an allow comment silences, with the comment's reason."""

    finding: Finding
    because: str

    def to_json(self) -> dict[str, Any]:
        return {**self.finding.to_json(), "because": self.because}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticReport:
    """The result of the static half."""

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    allowed: tuple[AllowedFinding, ...] = ()
    outside: tuple[str, ...] = ()
    """Files that were read but are not part of a simulation: windows, tests and scripts."""

    @property
    def ok(self) -> bool:
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "files": list(self.files),
            "findings": [finding.to_json() for finding in self.findings],
            "allowed": [allowed.to_json() for allowed in self.allowed],
            "outside": list(self.outside),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDivergence:
    """The first frame at which two runs of a match differ, or at which all of them raise."""

    check: str
    """The comparison that found it: ``interpreters`` or ``save-load``; ``exception`` if all runs of the game raised."""
    frame: int
    """The frame whose step gave two results; -1 for the initial state."""
    what: str
    """The two runs that were compared, in words; or the exception, and where it was raised."""
    differences: tuple[FieldDifference, ...]
    """The fields that differ, with values as text; empty if only the checksums differ."""

    def to_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "frame": self.frame,
            "what": self.what,
            "differences": [{"field": d.name, "first": d.ours, "second": d.theirs} for d in self.differences],
        }

    def __str__(self) -> str:
        where = "the initial state" if self.frame < 0 else f"frame {self.frame}"
        if self.check == EXCEPTION:
            return f"{self.check}: {where}: {self.what}"
        named = "; ".join(f"{d.name}: {d.ours} in one, {d.theirs} in the other" for d in self.differences[:8])
        return f"{self.check}: {where} differs, {self.what}: {named or 'no field differs, the checksums do'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicReport:
    """The result of the dynamic half."""

    game: str
    seed: int
    frames: int
    """Length of the match."""
    hash_seeds: tuple[int, ...]
    """PYTHONHASHSEED of each interpreter."""
    divergences: tuple[RunDivergence, ...]
    """The first divergence of each check."""

    @property
    def ok(self) -> bool:
        return not self.divergences

    def raise_if_different(self) -> None:
        """Raise a DeterminismError for the first divergence, if there is one."""
        for found in self.divergences:
            raise DeterminismError(str(found), frame=found.frame, differences=found.differences)

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "game": self.game,
            "seed": self.seed,
            "frames": self.frames,
            "hash_seeds": list(self.hash_seeds),
            "divergences": [found.to_json() for found in self.divergences],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The results of both halves; ``dynamic`` is None if only the source was audited."""

    static: StaticReport
    dynamic: DynamicReport | None = None

    @property
    def ok(self) -> bool:
        return self.static.ok and (self.dynamic is None or self.dynamic.ok)

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "static": self.static.to_json(),
            "dynamic": self.dynamic.to_json() if self.dynamic else None,
        }
