"""The modules of examples/arena, which import each other by name."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "arena"


@pytest.fixture(scope="package")
def arena() -> Iterator[Any]:
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    found = SimpleNamespace(folder=FOLDER, **{name: import_module(name) for name in ("level", "game", "bots")})
    yield found
    sys.path.remove(str(FOLDER))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]


@pytest.fixture
def world(arena: Any) -> Any:
    """A round has begun, and everybody stands at their start."""
    made = arena.game.Arena()
    made.reset(3)
    made.clock = 1
    made._advance([0] * 8)
    assert made.is_running
    return made
