"""``retick new``: what it writes is tested by its own tests, and its audit is clean."""

import subprocess
import sys
from pathlib import Path

import pytest

from retick.audit import audit_static
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("options", [pytest.param([], marks=pytest.mark.soak), ["--record", "--players", "3"]])
def test_a_new_game_passes_its_own_tests_and_its_audit_is_clean(run: Run, tmp_path: Path, options: list[str]) -> None:
    pytest.importorskip("pygame", exc_type=ImportError)
    code, out, err = run("new", "tanks", *options)
    assert (code, err) == (0, "")
    assert out.splitlines()[-2:] == ["  cd tanks", "  retick play"]
    assert audit_static(str(tmp_path / "tanks" / "game.py")).outside == ()
    code, out, err = run("audit", "tanks")
    assert code == 0, err
    assert out.startswith("source  clean  0 findings, 0 allowed, in 1 file; not part of a simulation: ")
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / "tanks",
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout


def test_a_folder_that_exists_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tanks").mkdir()
    code, out, err = run("new", "tanks")
    assert (code, out) == (2, "")
    assert err == "retick: tanks exists already: choose another name, or remove it\n"
    assert list((tmp_path / "tanks").iterdir()) == []


def test_wrong_arguments_write_nothing(run: Run, tmp_path: Path) -> None:
    for words in (["a b"], ["tanks", "--players", "1"], ["tanks", "--players", "x"], []):
        code, _, err = run("new", *words)
        assert code == 2
        assert err.startswith("retick: ")
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
def test_a_full_disk_is_said_with_the_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def to_a_full_disk(self: Path, text: str, **given: str) -> int:
        return write(Path("/dev/full"), text, **given)  # type: ignore[arg-type] # as it was given

    monkeypatch.setattr(Path, "write_text", to_a_full_disk)
    code, out, err = run("new", "tanks")
    assert (code, out) == (2, "")
    assert err.startswith("retick: tanks")
    assert err.endswith("No space left on device\n")
