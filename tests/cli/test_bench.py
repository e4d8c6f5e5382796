"""``retick bench``: the summary of a machine, and checks that nothing is timed that did not happen."""

import json

import pytest

from retick.cli import bench
from retick.errors import RetickError
from retick.rollback import RollbackEngine
from tests.cli.conftest import Run

PARTS = {"engine": 3, "session": 2, "snapshot": 2, "verify": 1}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FRAMES": 400, "SESSION_FRAMES": 60, "MATCHES": 2, "MATCH_FRAMES": 60}.items():
        monkeypatch.setattr(bench, name, value)


def test_every_part_is_in_the_summary(run: Run) -> None:
    code, out, err = run("bench", "--rounds", 1, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)["figures"]
    assert {part: len(found) for part, found in figures.items()} == PARTS
    assert all(value > 0 for found in figures.values() for value in found.values())


def test_the_table_names_the_parts_and_the_form_of_the_kernels(run: Run) -> None:
    code, out, _ = run("bench", "--rounds", 1)
    assert code == 0
    assert "kernels" in out
    assert all(part in out for part in PARTS)


def test_an_engine_that_never_rolls_back_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Still(RollbackEngine):  # type: ignore[misc]  # mypy sees kernels untyped
        def add_remote_inputs(self, player: int, start_frame: int, inputs: list[int]) -> None: ...

    monkeypatch.setattr(bench, "RollbackEngine", Still)
    with pytest.raises(RetickError, match="0 rollbacks in 400 frames"):
        bench.measure(1)


def test_a_replay_that_does_not_verify_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "Run", lambda *_given, **_named: [])
    with pytest.raises(RetickError, match="does not verify"):
        bench.measure(1)
