"""``retick doctor`` as people run it; behind real routers it is in tests/laboratory."""

import json
import sys
from pathlib import Path

import pytest

from retick.cli import doctor
from tests.cli.conftest import Run
from tests.serving.relaying import Relaying


@pytest.fixture(autouse=True)
def no_router(monkeypatch: pytest.MonkeyPatch) -> None:
    """The router of whoever runs the tests is not asked."""
    monkeypatch.setattr(doctor, "outside_host", lambda: None)
    monkeypatch.delenv("RETICK_RELAY", raising=False)


@pytest.mark.skipif(sys.platform == "win32", reason="the relay of this test is ended by SIGTERM")
def test_a_relay_on_this_machine_is_reached_without_translation(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relaying(tmp_path)
    try:
        monkeypatch.setenv("RETICK_RELAY", f"127.0.0.1:{relay.address[1]}")
        code, out, err = run("doctor", "--json")
    finally:
        relay.process.kill()
        relay.guard.cancel()
        relay.finish()
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert values["relay_reachable"] is True
    assert (values["mapping"], values["filtering"], values["outside_address"]) == ("none", "open", "127.0.0.1")


def test_a_port_without_a_relay_is_said_and_the_answer_is_no(run: Run) -> None:
    code, out, _ = run("doctor", "--relay", "127.0.0.1:9")
    assert code == 1
    assert "127.0.0.1 port 9" in out
    assert out.splitlines()[-1].startswith("advice")


def test_without_a_relay_the_answer_is_unknown_and_says_how_to_start_one(run: Run) -> None:
    code, out, _ = run("doctor")
    assert code == 3
    assert "retick relay" in out


def test_an_address_that_is_none_is_misuse(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("doctor", "--relay", "host:port")[0] == 2
    monkeypatch.setenv("RETICK_RELAY", "host:0")
    code, _, err = run("doctor")
    assert code == 2
    assert err.startswith("retick: RETICK_RELAY: ")
