"""``python -m benchmarks things`` and ``frames``: two builds in turns, which must play the same match."""

import json
from pathlib import Path

import pytest
from benchmarks.commands import builds
from benchmarks.commands.builds import ROOT, Build, Row, in_turns

from retick.errors import RetickError
from tests.cli.conftest import Run

pytestmark = pytest.mark.compiled_only


def test_a_row_has_both_builds_and_their_ratio(run: Run) -> None:
    code, out, _ = run("things", "--against", ROOT, "--rounds", 1, "--only", "float field", "--json")
    assert code == 0
    told = json.loads(out)
    assert [each["name"] for each in told["figures"]] == [
        "read a float field",
        "write a float field",
        "add to a float field",
    ]
    assert all(len(each["values"]) == 2 and each["ratio"] > 0 for each in told["figures"])
    assert "c_loop_ns" in told


def test_a_tick_is_measured_alone_and_uncompiled(run: Run) -> None:
    code, out, _ = run("things", "--rounds", 1, "--only", "one advance, 100", "--pure")
    assert code == 0
    assert "uncompiled kernels" in out
    assert "one advance, 100 things, references and lists" in out
    assert "ratio" not in out


def test_the_frames_of_a_session_are_told_beside_the_users_own_advance(run: Run) -> None:
    pytest.importorskip("pygame")
    code, out, _ = run("frames", "--rounds", 1, "--beside", ROOT)
    assert code == 0
    for words in ("a session's frame", "beside the user's own advance", "in cues", "in world", "before:"):
        assert words in out


@pytest.mark.parametrize("words", [("things", "--against", "nowhere"), ("frames", "--beside", "nowhere")])
def test_a_folder_that_is_no_checkout_is_misuse(run: Run, words: tuple[str, ...]) -> None:
    code, _, errors = run(*words)
    assert code == 2
    assert "nowhere is no checkout of Retick" in errors


def test_a_row_that_is_not_there_is_misuse(run: Run) -> None:
    code, _, errors = run("things", "--only", "nothing of it")
    assert code == 2
    assert "no row has 'nothing of it' in its name" in errors


def test_builds_that_end_differently_stop_the_benchmark() -> None:
    class Fixed(Build):
        def __init__(self, value: float, end: int) -> None:
            self.folder = Path("elsewhere")
            self._answer = [value, end]

        def ask(self, what: str, **details: object) -> object:
            return self._answer

    def tell(_text: str) -> None: ...

    rows = in_turns([Fixed(2.0, 1), Fixed(1.0, 1)], [("a", "ns")], 2, tell)
    assert rows == [Row(name="a", unit="ns", values=(2.0, 1.0))]
    assert rows[0].ratio == 0.5
    with pytest.raises(RetickError, match="a ends differently: 1 in one build and 2 in elsewhere"):
        in_turns([Fixed(2.0, 1), Fixed(1.0, 2)], [("a", "ns")], 1, tell)


def test_another_build_than_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src" / "retick").mkdir(parents=True)
    (tmp_path / "src" / "retick" / "__init__.py").write_text("raise SystemExit(1)")
    with (
        pytest.raises(RetickError, match="ended; its error is above"),
        builds.builds("things_worker", tmp_path, pure=False),
    ):
        pass
