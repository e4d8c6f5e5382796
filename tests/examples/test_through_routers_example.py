"""The example in the page on the internet runs, and what it prints is true."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "through_routers.py"


def test_the_example_plays_behind_routers_and_over_sockets(capsys: pytest.CaptureFixture[str]) -> None:
    names = runpy.run_path(str(EXAMPLE))
    names["behind_simulated_routers"]()
    assert names["over_real_sockets"](2.0) > 0
    out = capsys.readouterr().out
    assert "port-restricted with port-restricted: direct, through both routers" in out
    assert "port-restricted with symmetric: through the relay: no probe came through" in out
    assert "over sockets: direct, on the local network" in out
