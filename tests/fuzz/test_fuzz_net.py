"""The fuzz targets of the network formats run, and the loop finds a bug that is planted."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from retick import is_compiled

FUZZ = Path(__file__).parents[2] / "fuzz"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FUZZ))
    __import__(name)
    return sys.modules[name]


@pytest.mark.parametrize("name", ["fuzz_rbn1", "fuzz_link", "fuzz_evidence", "fuzz_session"])
def test_a_short_run_finds_no_bug(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guided, module = load("guided", monkeypatch), load(name, monkeypatch)
    count, kept, lines = guided.run(module.target, module.CORPUS, seed=1, go_on=lambda n: n < 300)
    assert count == 300
    assert kept > len(module.CORPUS)
    # Of a compiled kernel no line is seen, and what is left are those who call it.
    assert lines > (50 if is_compiled() else 100)


def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three bytes behind three branches: chance alone would need millions of cases."""
    guided = load("guided", monkeypatch)
    planted = compile(
        "def buggy(data):\n"
        "    if data[:1] == b'\\xff':\n"
        "        if data[1:2] == b'\\x80':\n"
        "            if data[2:3] == b'\\x7f':\n"
        "                raise RuntimeError('planted')\n",
        guided.SOURCE + "/planted.py",
        "exec",
    )
    names: dict[str, object] = {}
    exec(planted, names)
    with pytest.raises(SystemExit, match="planted"):
        guided.run(names["buggy"], [b"xyz"], seed=3, go_on=lambda n: n < 20_000)
