"""``retick serve``: its configuration, and misuse."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from retick.authority import Client, ConnectionLost, Joined, Reconciled
from retick.cli.app import app
from retick.cli.serve.serve import _page_address, _runner_config
from retick.errors import UsageError
from retick.games.runner import Intent, NetRunner, RunnerConfig
from retick.transport.poll import Poll
from retick.transport.udp import open_udp


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--rooms", "0"],
        ["serve", "--tick-rate", "0"],
        ["serve", "--per-address", "0"],
        ["serve", "--players", "17"],
        ["serve", "--config", "no such file.json"],
        ["bots", "0"],
        ["bots", "1", "--loss", "101"],
        ["bots", "1", "--seconds", "nan"],
        ["bots", "1", "--jitter", "inf"],
        ["serve", "--port", "0", "--seconds", "-1"],
        ["serve", "--port", "0", "--seconds", "nan"],
        ["serve", "--port", "0", "--drain", "-1"],
        ["serve", "--port", "0", "--metrics", "much"],
        ["serve", "--port", "0", "--reports", "no such folder"],
        ["bench", "authority", "--seconds", "nan"],
        ["bots", "1", "--connect", ":7777"],
        ["bench", "authority", "--part", "luck"],
        ["bench", "authority", "--seconds", "1"],
    ],
)
def test_misuse_is_refused_in_words_in_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_a_config_file_holds_where_no_option_was_given(tmp_path: Path) -> None:
    file = tmp_path / "server.json"
    file.write_text('{"serverTickRate": 30, "maxPlayers": 4, "snapshotRate": 10}')
    config = _runner_config(file, None, None, 15)
    assert (config.server_tick_rate, config.max_players, config.snapshot_rate) == (30, 4, 15)
    assert _runner_config(None, None, None, None) == RunnerConfig()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe{", "is not UTF-8 text"),
        (b'{"serverTickRate": 1000}', "--tick-rate must be 1 to 240, not 1000"),
        (b"{oops", "is not JSON: "),
        (b"", "is not JSON: "),
        (b"[" * 100_000, "is not JSON: "),
        (b"[1]", "is not a JSON object"),
    ],
)
def test_a_config_file_that_cannot_be_used_is_misuse(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "server.json"
    file.write_bytes(content)
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--seconds", "0.01", "--config", str(file)])
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_key_that_a_server_does_not_have_is_named_and_the_others_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same file may be a client's, too."""
    file = tmp_path / "server.json"
    file.write_text('{"mouseSensitivity": 0.0023, "maxPlayers": 4}')
    assert _runner_config(file, None, None, None) == RunnerConfig(max_players=4)
    assert capsys.readouterr().err == "retick: server.json: mouseSensitivity is not a key of this configuration\n"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9100", ("127.0.0.1", 9100)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0:9100", ("0.0.0.0", 9100)),
        ("[::]:9100", ("::", 9100)),
        ("localhost:9100", ("localhost", 9100)),
    ],
)
def test_the_metrics_page_has_a_port_or_an_address(text: str, address: tuple[str, int]) -> None:
    assert _page_address(text) == address


@pytest.mark.parametrize("text", ["", ":9100", "x", "65536", "host:", "host:-1", "1.2.3.4:99999", "٩"])
def test_another_address_of_the_metrics_page_is_misuse(text: str) -> None:
    with pytest.raises(UsageError, match="--metrics"):
        _page_address(text)


class Serving:
    """``retick serve`` as a process of its own, in a folder of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "retick", "serve", "--port", "0", "--host", "127.0.0.1", "--log-json", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.guard = threading.Timer(60, self.process.kill)
        self.guard.start()
        self.first = self.line()

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def finish(self) -> list[dict[str, Any]]:
        """The lines that are left, when it has ended."""
        try:
            out, err = self.process.communicate()
        finally:
            self.process.kill()
            self.guard.cancel()
        assert err == ""
        return [json.loads(line) for line in out.splitlines()]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
def test_sigterm_drains_and_the_exit_code_is_0(tmp_path: Path) -> None:
    serving = Serving(tmp_path, "--rooms", "2")
    assert serving.first["event"] == "listening"
    serving.process.send_signal(signal.SIGTERM)
    lines = serving.finish()
    assert [line["event"] for line in lines] == ["draining", "room_closed", "room_closed", "drained", "stopped"]
    assert all("time" in line for line in lines)
    assert serving.process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
def test_sigterm_lets_a_match_go_on_and_a_second_one_ends_it_and_the_player_is_told(tmp_path: Path) -> None:
    serving = Serving(tmp_path, "--drain", "600")
    udp = open_udp("127.0.0.1", 0)
    client = Client(NetRunner(), ("127.0.0.1", serving.first["port"]), entropy=os.urandom)
    poll = Poll(client, udp)
    events: list[Any] = []

    def play_until(kind: type) -> None:
        while not any(isinstance(event, kind) for event in events):
            events.extend(poll.poll())
            client.tick(Intent(), now=poll.clock())
            poll.flush()
            select.select([udp.fileno()], [], [], 0.01)

    try:
        play_until(Joined)
        joined = serving.line()
        assert (joined["event"], joined["address"]) == ("player_joined", f"127.0.0.1:{udp.address[1]}")
        serving.process.send_signal(signal.SIGTERM)
        assert serving.line()["event"] == "draining"
        before = client.stats.snapshots
        while client.stats.snapshots < before + 5:
            play_until(Reconciled)
            events.clear()
        serving.process.send_signal(signal.SIGTERM)
        play_until(ConnectionLost)
    finally:
        udp.close()
    names = [line["event"] for line in serving.finish()]
    assert names == ["draining", "player_left", "room_closed", "drained", "stopped"]
    assert [event.text for event in events if isinstance(event, ConnectionLost)] == ["the server stops"]
    assert serving.process.returncode == 0
