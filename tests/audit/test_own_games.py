"""The house's own simulations pass the house's own audit."""

from pathlib import Path

import pytest

from retick.audit import audit_dynamic, audit_static


@pytest.mark.parametrize(("package", "inside"), [("sim", ["world"]), ("games", ["fighter", "scramble", "runner"])])
def test_the_source_of_our_games_is_clean_and_so_is_what_it_imports(package: str, inside: list[str]) -> None:
    report = audit_static(f"retick.{package}")
    assert [str(finding) for finding in report.findings] == []
    read = {part for file in report.files for part in Path(file).parts}
    assert {"sim", *inside} <= read


def test_the_fighters_compiled_kernel_is_audited_as_its_source() -> None:
    report = audit_static("retick.games.fighter.kernel")
    assert report.ok
    assert report.files[0].endswith("kernel.py")


def test_the_fighter_plays_alike_everywhere() -> None:
    report = audit_dynamic("retick.games.fighter:Fighter", frames=300, interpreters=2)
    report.raise_if_different()
    assert report.ok
