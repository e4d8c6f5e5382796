"""``retick replay generate``."""

from pathlib import Path

from tests.cli.conftest import Run


def test_matches_are_written_with_a_manifest_that_verifies_them(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    code, out, err = run("replay", "generate", folder, "--matches", 3, "--seed", 7, "--frames", 30)
    assert (code, err) == (0, "")
    assert out == f"{folder}: 3 matches of 30 frames, 456 bytes, manifest.csv\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        "000000.rplk", "000001.rplk", "000002.rplk", "manifest.csv",
    ]  # fmt: skip
    assert run("replay", "verify", folder, "--manifest", folder / "manifest.csv")[0] == 0


def test_a_folder_that_is_not_empty_is_misuse(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    code, _, err = run("replay", "generate", tmp_path, "--matches", 1)
    assert (code, err) == (2, f"retick: {tmp_path} is not empty: name a new or empty folder\n")
