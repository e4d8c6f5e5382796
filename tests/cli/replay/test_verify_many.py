"""``retick replay verify`` for many: results, resuming, progress, Ctrl-C, and exit codes."""

import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from retick.verify.corpus import generate
from tests.cli.conftest import Run

MATCHES = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    list(generate(tmp_path / "corpus", matches=MATCHES, seed=1, frames=60))
    return tmp_path / "corpus"


def rows_in(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_folder_with_its_manifest_is_verified_and_the_rows_are_written(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    results = tmp_path / "rows.jsonl"
    code, out, err = run("replay", "verify", folder, "--manifest", folder / "manifest.csv", "--results", results)
    assert (code, err) == (0, "")
    assert out.endswith("8 ok\n")
    assert " a second, " in out
    assert [row["verdict"] for row in rows_in(results)] == ["ok"] * MATCHES


def test_what_the_file_holds_is_not_run_again_and_still_counts(run: Run, folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "rows.jsonl"
    words = ("replay", "verify", folder, "--manifest", folder / "manifest.csv", "--results", results)
    (folder / "000002.rplk").write_bytes(b"torn")
    code, out, _ = run(*words)
    assert code == 1
    assert "corrupt  " in out
    whole = results.read_bytes()
    results.write_bytes(whole[: len(b"".join(whole.splitlines(keepends=True)[:4])) + 9])  # in the middle of a line
    code, out, _ = run(*words)
    assert code == 1, "a bad row of the first run is bad in the second"
    assert "4 were in" in out
    assert out.endswith("1 corrupt, 7 ok\n")
    assert results.read_bytes() == whole


def test_bad_rows_of_an_earlier_run_are_named_with_how_to_run_them_again(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    results = tmp_path / "rows.jsonl"
    words = ("replay", "verify", folder, "--manifest", folder / "manifest.csv", "--results", results)
    good = (folder / "000002.rplk").read_bytes()
    for number in range(5):
        (folder / f"{number:06}.rplk").write_bytes(b"torn")
    assert "from before" not in run(*words)[1]
    _, out, _ = run(*words, "--quiet")
    named = ", ".join(str(folder / f"{number:06}.rplk") for number in range(3))
    assert out.startswith(f"5 rows of {results} are not ok from before: {named} and 2 more; to run them again, remove")
    (folder / "000002.rplk").write_bytes(good)
    results.write_text("".join(line + "\n" for line in results.read_text().splitlines() if "000002" not in line))
    assert run(*words)[1].endswith("4 corrupt, 4 ok\n")


def test_an_archive_of_the_manifests_folder_fits_and_missing_files_are_no_matches(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "corpus.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(folder, folder.name, filter=lambda each: None if each.name.endswith("000003.rplk") else each)
    code, out, _ = run("replay", "verify", archive, "--manifest", folder / "manifest.csv")
    assert code == 1
    assert f"\n{MATCHES - 1} matches in " in out
    assert f"\n1 path of {folder / 'manifest.csv'} is in no source\n" in out
    assert out.endswith("7 ok, 1 unreadable\n")


def test_a_manifest_alone_is_a_list(run: Run, folder: Path) -> None:
    assert run("replay", "verify", "--manifest", folder / "manifest.csv")[0] == 0
    (folder / "000000.rplk").unlink()
    code, out, _ = run("replay", "verify", "--manifest", folder / "manifest.csv", "--quiet")
    assert code == 1
    assert out == f"unreadable  {folder / '000000.rplk'}: No such file or directory\n7 ok, 1 unreadable\n"


def test_a_match_with_nothing_to_compare_is_not_ok(run: Run, folder: Path) -> None:
    code, out, _ = run("replay", "verify", folder)
    assert code == 1
    assert out.count("unknown  ") == MATCHES


def test_misuse_is_2_and_leaves_no_file(run: Run, folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "rows.jsonl"
    wrong = [
        ["--manifest", tmp_path / "gone.csv"],
        ["--manifest", folder / "000000.rplk"],
        ["--results", tmp_path / "no" / "rows.jsonl"],
        ["--results", folder / "manifest.csv"],
        ["--engine", "steam"],
        ["--address", "auto"],
        ["--expect", "0x1"],
        ["--game", "no_such_module:Game"],
    ]
    for words in wrong:
        code, _, err = run("replay", "verify", folder, *words)
        assert code == 2, words
        assert err.startswith("retick: ")
        assert err.count("\n") == 1
    code, _, err = run("replay", "verify", folder, "--manifest", tmp_path / "gone.csv", "--results", results)
    assert code == 2
    assert not results.exists()
    assert run("replay", "verify")[0] == 2


def test_ray_that_is_not_installed_is_one_line_with_the_remedy(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    code, _, err = run("replay", "verify", folder, "--engine", "ray")
    assert (code, err) == (2, "retick: engine='ray' needs ray: pip install ray\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal that one process sends another there")
@pytest.mark.parametrize(("engine", "name"), [("threads", "rows.jsonl"), ("processes", "rows.parquet")])
def test_ctrl_c_leaves_a_good_file_that_the_next_run_goes_on_with(
    engine: str, name: str, tmp_path: Path, folder: Path
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    many = tmp_path / "many"
    many.mkdir()
    lines = ["path,seed,checksum"]
    first = (folder / "manifest.csv").read_text().splitlines()[1].split(",")
    data = (folder / first[0]).read_bytes()
    for number in range(1000):
        (many / f"{number:04}.rplk").write_bytes(data)
        lines.append(f"{number:04}.rplk,{first[1]},{first[2]}")
    (many / "manifest.csv").write_text("\n".join(lines))
    (many / "0000.rplk").write_bytes(b"")  # its line is the sign that the run is in the middle
    words = [sys.executable, "-m", "retick", "replay", "verify", str(many), "--manifest", str(many / "manifest.csv")]
    words += ["--results", str(tmp_path / name), "--engine", engine, "--game", "tests.cli.replay.slow_game:Slow"]
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("corrupt  ")
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, "retick: interrupted\n")
    done = subprocess.run(
        [*words, "--game", "retick.fighter"], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3]
    )
    assert done.returncode == 1
    assert done.stdout.endswith("1 corrupt, 999 ok\n")
    assert " were in " in done.stdout
