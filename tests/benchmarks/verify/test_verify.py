"""``python -m benchmarks verify``."""

from pathlib import Path

from tests.cli.conftest import Run


def test_the_bench_measures_and_judges(run: Run) -> None:
    code, out, _ = run("verify", "--frames", 500, "--rounds", 1)
    assert code == 0
    assert "million frames/s" in out
    assert run("verify", "--rounds", 0)[0] == 2


def test_many_matches_are_made_verified_and_kept_for_the_next_time(run: Run, tmp_path: Path) -> None:
    words = ("verify", "--matches", 30, "--part", "files", "--part", "tar", "--keep", tmp_path)
    for _ in range(2):
        code, out, _ = run(*words)
        assert code == 0
        assert [line.split()[0] for line in out.splitlines()] == ["files", "tar"]
        assert "30 matches in" in out
    assert len(list((tmp_path / "matches-30" / "files").glob("*.rplk"))) == 30
    assert run("verify", "--part", "tar")[0] == 2
    assert run("verify", "--matches", 1, "--part", "floppy")[0] == 2
