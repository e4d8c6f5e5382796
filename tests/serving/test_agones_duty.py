"""What the side-car hears from ``retick serve --agones``."""

import os
import signal
import sys
from pathlib import Path

import pytest

from retick.authority import Joined
from tests.integrations.test_agones import STATES, FakeSidecar
from tests.serving.serving import Player, Serving


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.soak), 2])
def test_ready_then_allocated_while_there_are_players_then_shutdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    fake = FakeSidecar()
    monkeypatch.setenv("AGONES_SDK_HTTP_PORT", str(fake.port))
    serving = Serving(tmp_path, "--agones", "--rooms", "2", "--workers", str(workers))
    try:
        listening = [serving.first, *(serving.lines_until("listening") if workers > 1 else [])][-1]
        assert fake.next(*STATES) == "/ready"
        fake.next("/health")
        player = Player(listening["port"])
        player.play_until(Joined)
        assert fake.next(*STATES) == "/allocate"
        player.client.close("goodbye")
        player.poll.poll()
        player.socket.close()
        assert fake.next(*STATES) == "/ready"
        serving.process.send_signal(signal.SIGTERM)
        assert fake.next(*STATES) == "/shutdown"
        assert serving.finish()[-1]["event"] == "stopped"
    finally:
        fake.shutdown()
        fake.server_close()
    assert serving.process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="as above")
def test_without_a_side_car_the_server_runs_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGONES_SDK_HTTP_PORT", "1")
    serving = Serving(tmp_path, "--agones")
    assert serving.lines_until("agones_trouble")[-1]["text"].startswith("the Agones side-car did not take /")
    serving.process.send_signal(signal.SIGTERM)
    assert serving.finish()[-1]["event"] == "stopped"
    assert serving.process.returncode == 0
