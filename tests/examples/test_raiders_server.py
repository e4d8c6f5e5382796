"""examples/raiders_server.py: the whole server of the page on worlds on servers, over real sockets."""

import os
import subprocess
import sys
import time
from pathlib import Path

from examples.raiders import Raiders

from retick.transport import Poll, open_udp
from tests.authority.server.clients import Script

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "raiders_server.py"


def test_a_client_joins_and_meets_the_bot() -> None:
    run = subprocess.Popen(
        [sys.executable, str(FILE), "0", "20"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    try:
        assert run.stdout is not None
        port = int(run.stdout.readline().split()[1])
        client = Script(Raiders, seed=3, name="Ann", address=("127.0.0.1", port))
        socket = open_udp("127.0.0.1", 0)
        poll = Poll(client, socket)
        deadline = time.monotonic() + 15
        while len(client.held) < 5 and time.monotonic() < deadline:
            client.handle(poll.poll())
            client.turn()
            time.sleep(1 / 60)
        socket.close()
        assert len(client.held) >= 5
        assert client.seat == 1
        assert "name='Ann'" in run.stdout.readline()
    finally:
        run.kill()
        run.communicate()


def test_the_page_shows_this_file() -> None:
    page = (ROOT / "docs" / "servers" / "server.md").read_text(encoding="utf-8")
    shown = page.partition("```python\n")[2].partition("```")[0].rstrip()
    assert shown in FILE.read_text(encoding="utf-8")
    assert len(shown.splitlines()) <= 25
