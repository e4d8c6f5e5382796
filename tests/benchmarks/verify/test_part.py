"""One part of the benchmark, in this process."""

from pathlib import Path

from benchmarks.commands.verify.part import run_part

from retick.verify import generate


def test_a_part_counts_its_matches(tmp_path: Path) -> None:
    list(generate(tmp_path / "new", matches=3, frames=10))
    found = run_part(str(tmp_path / "new"), str(tmp_path / "new" / "manifest.csv"), "threads")
    assert (found["matches"], found["ok"]) == (3, 3)
    assert found["mib"] > 1
