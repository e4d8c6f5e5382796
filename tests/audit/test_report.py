"""The values that an audit returns: text, JSON, and whether all is well."""

import json

import pytest

from retick.audit import RULES, AuditReport, DynamicReport, RunDivergence, audit_source
from retick.errors import DeterminismError
from retick.sim.record import FieldDifference

DIVERGENCE = RunDivergence(
    check="interpreters", frame=7, what="PYTHONHASHSEED 1 and 2", differences=(FieldDifference("score", "1", "2"),)
)


def dynamic(*divergences: RunDivergence) -> DynamicReport:
    return DynamicReport(game="m:G", seed=1, frames=10, hash_seeds=(1, 2), divergences=divergences)


def test_findings_carry_file_line_column_reason_and_advice() -> None:
    (finding,) = audit_source("SPEED = 0.5\n", path="rules/speed.py").findings
    assert (finding.line, finding.column, finding.rule) == (1, 9, "float")
    assert (finding.reason, finding.advice) == (RULES["float"].reason, RULES["float"].advice)
    assert str(finding).startswith("rules/speed.py:1:9: float: the literal 0.5")
    assert finding.to_json()["file"] == "rules/speed.py"


def test_a_divergence_names_check_frame_runs_and_values() -> None:
    assert str(DIVERGENCE) == ("interpreters: frame 7 differs, PYTHONHASHSEED 1 and 2: score: 1 in one, 2 in the other")
    silent = RunDivergence(check="save-load", frame=-1, what="two runs", differences=())
    assert str(silent) == "save-load: the initial state differs, two runs: no field differs, the checksums do"


def test_a_report_is_good_if_both_halves_are() -> None:
    clean, dirty = audit_source("x = 1\n"), audit_source("x = 0.5\n")
    assert AuditReport(static=clean).ok
    assert AuditReport(static=clean, dynamic=dynamic()).ok
    assert not AuditReport(static=dirty, dynamic=dynamic()).ok
    assert not AuditReport(static=clean, dynamic=dynamic(DIVERGENCE)).ok


def test_a_divergence_is_raised_with_its_numbers() -> None:
    dynamic().raise_if_different()
    with pytest.raises(DeterminismError, match="frame 7 differs") as caught:
        dynamic(DIVERGENCE).raise_if_different()
    assert (caught.value.frame, caught.value.differences) == (7, DIVERGENCE.differences)


def test_json_has_every_finding_and_every_divergence() -> None:
    static = audit_source("x = 0.5  # retick: allow float -- drawn only\ny = 1.5\n")
    found = json.loads(json.dumps(AuditReport(static=static, dynamic=dynamic(DIVERGENCE)).to_json()))
    assert found["ok"] is False
    assert [one["line"] for one in found["static"]["findings"]] == [2]
    assert [one["because"] for one in found["static"]["allowed"]] == ["drawn only"]
    assert found["dynamic"]["divergences"] == [
        {
            "check": "interpreters",
            "frame": 7,
            "what": "PYTHONHASHSEED 1 and 2",
            "differences": [{"field": "score", "first": "1", "second": "2"}],
        }
    ]
    assert AuditReport(static=static).to_json()["dynamic"] is None
