"""The running total: the page shows what the file says."""

from pathlib import Path

import pytest

from fuzz import totals
from fuzz.targets import TARGETS


def test_the_page_shows_the_total() -> None:
    assert totals.shown() == totals.rendered()


def test_the_total_counts_targets_that_exist() -> None:
    assert set(totals.packets()) <= set(TARGETS)


def test_packets_are_added_in_the_file_and_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{totals.BEGIN}old\n{totals.END}\nafter\n", "utf-8")
    monkeypatch.setattr(totals, "PAGE", page)
    monkeypatch.setattr(totals, "FILE", tmp_path / "totals.json")
    totals.add({"link/hello": 1000, "wire/rbn1": 5})
    totals.add({"link/hello": 234})
    assert totals.packets() == {"link/hello": 1234, "wire/rbn1": 5}
    assert "| link | 1 | 1,234 |\n" in totals.shown()
    assert "| **all** | **2** | **1,239** |\n" in totals.shown()
    assert page.read_text("utf-8").startswith("before\n")
    assert page.read_text("utf-8").endswith("\nafter\n")
