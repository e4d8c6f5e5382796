"""The whole server of docs/operating/running-a-server.md runs, and SIGTERM drains it."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "server_main.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
def test_sigterm_drains_it_and_its_exit_code_is_0(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, str(EXAMPLE), "0"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    guard = threading.Timer(60, process.kill)
    guard.start()
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("port ")
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate()
    finally:
        guard.cancel()
    assert out.split() == ["RoomClosed", "RoomClosed", "ServerDrained"]
    assert process.returncode == 0


def test_the_page_shows_it_as_it_is() -> None:
    page = (EXAMPLE.parents[1] / "docs" / "operating" / "running-a-server.md").read_text(encoding="utf-8")
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text[text.index("async def main") :] in page
