"""The site: what is checked after it was built, what its reference describes, and that its index is the folder's."""

import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_site"

REFERENCE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import reference
exported = {m.__name__: list(m.__all__) for m in reference.public_modules()}
silent = [name for name in reference.reference_pages() if not (sys.modules[name].__doc__ or "").strip()]
print(json.dumps([reference.reference_pages(), exported, silent]))
"""


@pytest.fixture(scope="module")
def reference() -> tuple[dict[str, str], dict[str, list[str]], list[str]]:
    """The pages, the names that packages export, and modules without a docstring."""
    run = subprocess.run(
        [sys.executable, "-c", REFERENCE, str(SITE)],
        env=os.environ | {"RETICK_PURE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    pages, exported, silent = json.loads(run.stdout)
    return pages, exported, silent


def described_in(page: str) -> list[str]:
    return re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", page, flags=re.MULTILINE)


def test_the_reference_describes_what_packages_export_and_nothing_else(reference: Any) -> None:
    pages, exported, _ = reference
    assert len(pages) > 20
    for module, page in pages.items():
        names = [name for name in described_in(page) if name != "retick"]
        assert set(names) <= set(exported.get(module, ["is_compiled"])), module
    described = {name for page in pages.values() for name in described_in(page)}
    assert {name for names in exported.values() for name in names} <= described


def test_a_name_is_described_once_in_a_package_and_those_inside_of_it(reference: Any) -> None:
    pages, _, _ = reference
    for package in ("retick.sim.world", "retick.rollback"):
        inside = [page for module, page in pages.items() if module == package or module.startswith(f"{package}.")]
        counted = Counter(name for page in inside for name in described_in(page) if name != "retick")
        assert {name for name, times in counted.items() if times > 1} == set()


def test_every_module_says_what_it_is(reference: Any) -> None:
    _, _, silent = reference
    assert silent == []


@pytest.fixture
def faults_of() -> Any:
    return runpy.run_path(str(SITE / "check.py"))["faults_of"]


def test_a_good_site_has_no_faults(tmp_path: Path, faults_of: Any) -> None:
    (tmp_path / "a.html").write_text('<h1 id="one">A</h1><a href="b.html#two">b</a><a href="https://x.example/">x</a>')
    (tmp_path / "b.html").write_text('<h1 id="two">B</h1><a href="#two"></a><a href="a.py"></a><script src="s.js">')
    (tmp_path / "a.py").write_text("")
    (tmp_path / "s.js").write_text("")
    assert faults_of(tmp_path) == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="gone.html">', "gone.html leads nowhere"),
        ('<a href="a.html#gone">', "a.html#gone leads nowhere"),
        ('<a href="#gone">', "#gone leads nowhere"),
        ('<img src="gone.png">', "gone.png leads nowhere"),
        ('<script src="https://x.example/s.js">', "loads https://x.example/s.js from outside"),
        ('<link rel="stylesheet" href="//x.example/font.css">', "loads //x.example/font.css from outside"),
    ],
)
def test_a_link_to_nowhere_and_a_load_from_outside_are_faults(
    tmp_path: Path, faults_of: Any, page: str, fault: str
) -> None:
    (tmp_path / "a.html").write_text(page)
    assert faults_of(tmp_path) == [f"a.html: {fault}"]


def test_a_style_that_loads_a_font_from_outside_is_a_fault(tmp_path: Path, faults_of: Any) -> None:
    (tmp_path / "a.html").write_text("")
    (tmp_path / "a.css").write_text("@font-face { src: url( 'https://x.example/f.woff' ) }")
    assert faults_of(tmp_path) == ["a.css: loads something from outside"]


def test_a_site_without_pages_is_a_fault(tmp_path: Path, faults_of: Any) -> None:
    assert faults_of(tmp_path) == [f"{tmp_path} has no pages"]
