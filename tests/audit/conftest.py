"""Sources in these tests mark the lines that must be found: ``# <- rule``, several rules with spaces between."""

import re
import textwrap
from collections.abc import Callable

import pytest

from retick.audit import audit_source

MARK = re.compile(r"# <- (?P<rules>[a-z -]+)$")


def expected_of(text: str) -> list[tuple[int, str]]:
    return [
        (number, rule)
        for number, line in enumerate(text.splitlines(), 1)
        if (mark := MARK.search(line))
        for rule in mark["rules"].split()
    ]


@pytest.fixture
def finds_marked() -> Callable[[str], None]:
    """Asserts that a source has exactly the findings that it marks, each line and rule once or more."""

    def check(text: str) -> None:
        text = textwrap.dedent(text)
        found = {(finding.line, finding.rule) for finding in audit_source(text).findings}
        assert sorted(found) == sorted(expected_of(text)), text

    return check


@pytest.fixture
def finds_nothing() -> Callable[[str], None]:
    def check(text: str) -> None:
        assert [str(finding) for finding in audit_source(textwrap.dedent(text)).findings] == []

    return check
