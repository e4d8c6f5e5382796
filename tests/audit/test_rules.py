"""Every rule has a reason and advice, and docs/guides/audit.md shows it with an example and an alternative."""

import re
import runpy
from pathlib import Path

import pytest

from retick.audit import META_RULES, RULES, audit_source

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "audit.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "audit_in_your_tests.py"
SECTIONS = dict(re.findall(r"^### ([a-z-]+)\n(.*?)(?=^##)", PAGE, flags=re.MULTILINE | re.DOTALL))


def test_the_page_has_every_rule_and_no_other() -> None:
    assert list(SECTIONS) == list(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_the_pages_example_breaks_its_rule_and_the_alternative_none(rule: str) -> None:
    wrong, right = re.findall(r"```python\n(.*?)```", SECTIONS[rule], flags=re.DOTALL)
    assert rule in {finding.rule for finding in audit_source(wrong).findings}
    assert [str(finding) for finding in audit_source(right).findings] == []


def test_the_library_example_is_a_file_that_runs() -> None:
    shown = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    assert shown.rstrip() in EXAMPLE.read_text(encoding="utf-8")
    example = runpy.run_path(str(EXAMPLE))
    example["test_the_source_keeps_the_contract"]()
    example["test_the_match_is_the_same_everywhere"]()


def test_every_rule_tells_why_and_what_to_do() -> None:
    for rule in (*RULES.values(), *META_RULES.values()):
        assert rule.reason
        assert rule.advice
