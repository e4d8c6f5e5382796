"""The example in the page on transport runs, and what it prints is true."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "chat_over_a_bad_link.py"


def test_the_example_talks_on_virtual_time_and_over_sockets(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(EXAMPLE))
    connection = names["on_virtual_time"]()
    names["over_real_sockets"]()
    out = capsys.readouterr().out
    assert "heard 11 of 11 over a link that loses one packet in five: 'second 2' to 'second 12'" in out
    assert connection.stats.loss_in > 0.0
    assert "the host got: hello over UDP" in out
