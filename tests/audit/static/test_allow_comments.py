"""Allow comments, the declaration of floats, and what is wrong with a comment."""

import textwrap
from collections.abc import Callable

import pytest

from retick.audit import RULES, audit_source

Check = Callable[[str], None]


def rules_of(text: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in audit_source(textwrap.dedent(text)).findings]


def test_an_allow_comment_silences_its_line_and_keeps_its_reason() -> None:
    report = audit_source("x = 0.5  # retick: allow float -- drawn only, never stored\ny = 0.5\n")
    assert [(finding.line, finding.rule) for finding in report.findings] == [(2, "float")]
    assert [(one.finding.line, one.because) for one in report.allowed] == [(1, "drawn only, never stored")]


def test_an_allow_comment_of_its_own_line_silences_the_next_line_of_code() -> None:
    assert rules_of("""
        # retick: allow float -- drawn only

        x = 0.5
        y = 0.5
    """) == [(5, "float")]


def test_an_allow_comment_may_name_several_rules_and_silences_no_other() -> None:
    text = "import time\nx = time.time() / 0.5  # retick: allow float, division -- a test\n"
    assert rules_of(text) == [(2, "clock")]


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_can_be_allowed(rule: str) -> None:
    assert rules_of(f"x = 1  # retick: allow {rule} -- why not\n") == [(1, "allow-unused")]


def test_an_allow_without_a_reason_is_a_finding_and_silences_nothing() -> None:
    assert rules_of("x = 0.5  # retick: allow float\n") == [(1, "float"), (1, "allow-reason")]
    assert rules_of("x = 0.5  # retick: allow float --\n") == [(1, "float"), (1, "allow-reason")]


def test_an_allow_that_silences_nothing_is_a_finding() -> None:
    assert rules_of("x = 1  # retick: allow float -- it was one once\n") == [(1, "allow-unused")]
    text = "x = 0.5  # retick: allow float, clock -- only one of these is here\n"
    assert rules_of(text) == [(1, "allow-unused")]


@pytest.mark.parametrize(
    "comment",
    [
        "allow flaot -- a slip",
        "allow -- all",
        "ignore float -- why",
        "floats everywhere -- why",
        "allow syntax -- no",
        "",
    ],
)
def test_a_comment_that_is_not_understood_is_a_finding(comment: str) -> None:
    assert (1, "allow-unknown") in rules_of(f"x = 1  # retick: {comment}\n")


def test_text_that_looks_like_a_comment_is_none() -> None:
    assert rules_of('x = "# retick: allow float"\n"""\n# retick: floats\n"""\n') == []


def test_floats_are_declared_on_a_line_of_their_own_with_a_reason() -> None:
    assert rules_of("# retick: floats -- the server decides\nx = 0.5 / 3\n") == []
    assert rules_of("# retick: floats\nx = 0.5\n") == [(1, "allow-reason"), (2, "float")]
    assert rules_of("x = 0.5  # retick: floats -- here\n") == [(1, "float"), (1, "allow-unknown")]


def test_a_declaration_without_floats_is_a_finding() -> None:
    assert rules_of("# retick: floats -- the server decides\nx = 1\n") == [(1, "allow-unused")]
