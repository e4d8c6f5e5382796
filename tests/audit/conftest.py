"""Sources in these tests mark the lines that must be found: ``# <- rule``, several rules with spaces between."""

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a simulation, its rules, a drawing module that it does not import, and a script beside it."""
    package = tmp_path / "mygame"
    (package / "rules").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "sim.py").write_text("from mygame.rules import speed\nfrom . import clock\nimport beside\n")
    (package / "rules" / "__init__.py").write_text("import time\n")
    (package / "rules" / "speed.py").write_text("SPEED = 0.5\n")
    (package / "clock.py").write_text("import time\nNOW = time.time()\n")
    (package / "drawing.py").write_text("import pygame\n")
    (tmp_path / "beside.py").write_text("X = 1.5\n")
    (tmp_path / "script.py").write_text("import beside\nimport random\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path
