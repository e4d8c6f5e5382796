"""The fuzz target of server and client runs."""

import pytest

from tests.fuzz.test_fuzz_net import load


def test_a_short_run_finds_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    guided, module = load("guided", monkeypatch), load("fuzz_authority", monkeypatch)
    count, kept, lines = guided.run(module.target, module.CORPUS, seed=1, go_on=lambda n: n < 60)
    assert count == 60
    assert kept > len(module.CORPUS)
    assert lines > 500
