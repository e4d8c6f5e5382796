"""The fuzz target of the snapshot decoder runs, and would notice a decoder that lets another error out."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FUZZ = Path(__file__).parents[2] / "fuzz"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FUZZ))
    __import__(name)
    return sys.modules[name]


def test_a_short_run_finds_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    guided, module = load("guided", monkeypatch), load("fuzz_snapshot", monkeypatch)
    count, _kept, lines = guided.run(module.target, module.CORPUS, seed=1, go_on=lambda n: n < 250)
    assert count == 250
    assert lines > 100


def test_another_error_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    guided, module = load("guided", monkeypatch), load("fuzz_snapshot", monkeypatch)

    def broken(data: bytes) -> Any:
        raise IndexError("planted")

    monkeypatch.setattr(module.CODECS[0], "decode_full", broken)
    with pytest.raises(SystemExit, match="planted"):
        guided.run(module.target, module.CORPUS, seed=1, go_on=lambda n: n < 50)
