"""The tank game of docs/concepts/worlds.md runs, is deterministic, and the page shows its code."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retick.audit import audit_static
from retick.testing import assert_deterministic

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "tanks.py"


@pytest.fixture(scope="module")
def tanks() -> dict[str, Any]:
    return runpy.run_path(str(FILE))


def test_tanks_are_deterministic(tanks: dict[str, Any]) -> None:
    assert_deterministic(tanks["Tanks"], frames=300)


def test_a_hit_scores_and_is_heard(tanks: dict[str, Any]) -> None:
    game = tanks["Tanks"]()
    game.reset(1)
    first, second = game.tanks
    first.x, first.y, second.x, second.y = 100.0, 100.0, 160.0, 100.0
    state = game.unpack_state(game.save())
    heard = []
    for _ in range(30):
        state = game.step(state, (tanks["FIRE"], 0))
        heard += [cue[0] for cue in state.cues]
    assert heard[:2] == ["shot", "hit"]
    assert dict(game.fields(state))["tanks[id 1].score"] >= 1


def test_its_source_is_clean() -> None:
    assert audit_static(str(FILE)).findings == ()


def test_it_runs_as_a_program() -> None:
    run = subprocess.run([sys.executable, str(FILE)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "end on 0x" in run.stdout


def test_the_page_shows_its_classes() -> None:
    page = (ROOT / "docs" / "concepts" / "worlds.md").read_text(encoding="utf-8")
    shown = next(block for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL))
    text = FILE.read_text(encoding="utf-8")
    for part in shown.split("\n\n\n"):
        assert part.strip() in text
