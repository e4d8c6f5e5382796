"""The example that learns: what it learned is worth more than what it began with, and the same every time."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "train_a_fighter.py"


def test_the_same_training_gives_the_same_policy() -> None:
    example: Any = runpy.run_path(str(EXAMPLE))
    assert example["train"](rounds=2, candidates=32, each=2) == example["train"](rounds=2, candidates=32, each=2)


@pytest.mark.compiled_only
def test_what_was_learned_is_worth_more_than_random_buttons() -> None:
    before, after = runpy.run_path(str(EXAMPLE))["train"](rounds=28)
    assert after > before + 0.25


def test_the_code_on_the_page_runs() -> None:
    pytest.importorskip("pettingzoo")
    page = (ROOT / "docs" / "guides" / "agents.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block.replace("100_000", "100").replace("1800", "20"), str(EXAMPLE), "exec"), {})
