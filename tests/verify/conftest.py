"""Fixtures for tests of many matches."""

from pathlib import Path

import pytest

from tests.verify.matches import corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return corpus(tmp_path / "corpus")
