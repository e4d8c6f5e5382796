"""Many replays as a benchmark: a match that is not good is no figure."""

from pathlib import Path

import pytest
from benchmarks.commands.verify.many import Figure, measure_many

from retick.errors import RetickError


def test_a_bad_match_stops_the_measurement(tmp_path: Path) -> None:
    (figure,) = measure_many(tmp_path, 10, ("files",), lambda text: None)
    assert figure.matches == 10
    assert figure.seconds > 0
    manifest = tmp_path / "matches-10" / "files" / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("000003.rplk,4,", "000003.rplk,5,"))
    with pytest.raises(RetickError, match="9 of 10 matches are good"):
        list(measure_many(tmp_path, 10, ("files",), lambda text: None))


def test_a_figure_says_whether_its_target_was_kept() -> None:
    figure = Figure(part="tar", matches=10, seconds=1.0, share=0.5, cpu_share=0.6, mib=50, kept=False)
    assert str(figure).endswith("50% of twice run on one core (60% by CPU time)    50 MiB  missed")
