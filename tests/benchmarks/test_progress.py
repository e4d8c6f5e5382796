"""The progress line of benchmarks."""

import pytest
from benchmarks.commands.progress import progress


def test_progress_is_not_in_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("bench") as tell:
        tell("round 1")
        print("figures")
    assert capsys.readouterr() == ("figures\n", "")
