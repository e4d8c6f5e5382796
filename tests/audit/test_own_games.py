"""The house's own simulations pass the house's own audit."""

from pathlib import Path

import pytest

from retick.audit import audit_dynamic, audit_static


@pytest.mark.parametrize("package", ["retick.sim", "retick.games"])
def test_the_source_of_our_games_is_clean(package: str) -> None:
    report = audit_static(package)
    assert [str(finding) for finding in report.findings] == []
    assert len(report.files) > 1


def test_the_fighters_compiled_kernel_is_audited_as_its_source() -> None:
    report = audit_static("retick.games.fighter.kernel")
    assert report.ok
    assert report.files[0].endswith("kernel.py")


def test_the_fighter_plays_alike_everywhere() -> None:
    report = audit_dynamic("retick.games.fighter:Fighter", frames=300, interpreters=2)
    report.raise_if_different()
    assert report.ok


@pytest.mark.parametrize("game", ["fighter", "scramble", "runner"])
def test_so_is_what_our_games_import(game: str) -> None:
    report = audit_static(f"retick.games.{game}")
    assert [str(finding) for finding in report.findings] == []
    assert any("sim" in Path(file).parts for file in report.files)
