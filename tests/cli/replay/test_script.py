"""Scripted inputs that are wrong."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x right left", "line 1"),
        ("5 right", "has 2 inputs"),
        ("5 right banana", "'banana'"),
        ("1 65536 0", "16 bits"),
        ("# fine\n{oops", "line 2"),
        ('{"inputs": 5}', "a list"),
        ("99999999 0 0", "up to"),
    ],
)
def test_a_wrong_script_is_explained(run: Run, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s").write_text(text)
    code, _, err = run("replay", "record", tmp_path / "x.rtk", "--script", tmp_path / "s")
    assert code == 2
    assert words in err
    assert not (tmp_path / "x.rtk").exists()


def test_a_number_of_frames_too_long_to_read_is_named(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("9" * 5000 + " . .\n")
    code, _, err = run("replay", "record", tmp_path / "new.rtk", "--script", script)
    assert code == 2
    assert "line 1 of the script: a script holds up to" in err
