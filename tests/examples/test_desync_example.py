"""The example in the page on desyncs runs, and prints what the page shows."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_example_prints_what_the_page_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "explain_a_desync.py"))["main"](tmp_path)
    shown = capsys.readouterr().out.strip()
    assert (tmp_path / "match.desync").exists()
    assert shown in (ROOT / "docs" / "guides" / "desyncs.md").read_text(encoding="utf-8")
