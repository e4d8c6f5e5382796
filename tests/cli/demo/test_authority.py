"""``retick demo --authority``: a server and bots in processes of their own."""

from contextlib import suppress

import pytest
import typer

from retick.cli.demo.authority import demo_authority


def test_server_and_bots_meet_in_separate_processes(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether all went smoothly depends on the machine's other work; that they meet does not."""
    with suppress(typer.Exit):
        demo_authority(bots=2, seconds=4.0)
    assert "2 of 2" in capsys.readouterr().out
