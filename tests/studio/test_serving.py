"""``retick studio`` as a process, and what is said about an address that cannot be opened."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.sync.client import connect

from retick.errors import NetworkUnavailable
from retick.studio.room import Settings
from retick.studio.run import is_loopback, listening, serve

HANGS = """
from retick.games.fighter import Fighter

class Hangs(Fighter):
    def step(self, state, inputs):
        print("hangs", flush=True)
        while True:
            pass
"""


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("999.1.1.1", "'999.1.1.1' is not an address of this machine: name another with --host"),
        ("", "'' is not an address"),
        ("\udcff", "is not an address"),
        ("192.0.2.1", "name another with --host"),
    ],
)
def test_an_address_that_is_not_of_this_machine_is_named(host: str, words: str) -> None:
    with pytest.raises(NetworkUnavailable, match=words):
        serve(Settings(), host=host, port=0, on_ready=print)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = rf"port {port} of 127.0.0.1 cannot be opened: [^()]*; name another with --port"
        with pytest.raises(NetworkUnavailable, match=words):
            serve(Settings(), host="127.0.0.1", port=port, on_ready=print)


def test_a_message_to_the_page_does_not_wait_for_the_one_before() -> None:
    with listening("127.0.0.1", 0) as bound, socket.create_connection(bound.getsockname()) as page:
        accepted, _ = bound.accept()
        with accepted, page:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_only_loopback_addresses_are_this_machine_alone() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "192.168.1.2", "example.org"))


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal")
def test_the_second_ctrl_c_ends_a_studio_whose_game_hangs(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text(HANGS)
    command = (sys.executable, "-m", "retick", "studio", "hangs.py:Hangs", "--port", "0", "--host", "0.0.0.0")
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
    ) as studio:
        try:
            assert studio.stdout is not None
            address = studio.stdout.readline().split()[2]
            assert "0.0.0.0" not in address, "a browser cannot open that everywhere"
            with connect(f"ws{address.removeprefix('http')}feed/play", close_timeout=0) as page:
                page.send(json.dumps({"type": "start", "against": "bot"}))
                assert studio.stdout.readline() == "hangs\n"
                studio.send_signal(signal.SIGINT)
                with pytest.raises(subprocess.TimeoutExpired):
                    studio.wait(0.5)
                studio.send_signal(signal.SIGINT)
                assert studio.wait(30) == 130
        finally:
            studio.kill()
