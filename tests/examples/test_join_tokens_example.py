"""The example of join tokens runs, and each player is told what the page says."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "join_tokens.py"


def test_one_comes_in_and_the_others_are_told_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    assert runpy.run_path(str(EXAMPLE))["play"]() == [
        "Ann is player 7 with gold",
        "thief: the join token was used from another address: each is good once, ask for a new one",
        "Max: you are suspended until Monday",
        "Bob: the join token has expired 41 s ago: ask the backend for a new one",
    ]
