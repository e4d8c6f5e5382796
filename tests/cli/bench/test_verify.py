"""``retick bench verify``."""

from tests.cli.conftest import Run


def test_the_bench_measures_and_judges(run: Run) -> None:
    code, out, _ = run("bench", "verify", "--frames", 500, "--rounds", 1)
    assert code == 0
    assert "million frames/s" in out
    assert run("bench", "verify", "--rounds", 0)[0] == 2
