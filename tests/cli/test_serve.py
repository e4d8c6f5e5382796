"""``retick serve``: its configuration, and misuse."""

import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from retick.authority import ConnectionLost, Joined
from retick.cli.app import app
from retick.cli.serve import _runner_config
from retick.games.runner import Intent
from retick.netrunner import Client, NetRunner, RunnerConfig
from retick.netrunner.events import Reconciled
from retick.transport.poll import Poll
from retick.transport.udp import open_udp
from tests.serving.serving import Serving


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "runner", "--rooms", "0"],
        ["serve", "runner", "--tick-rate", "0"],
        ["serve", "runner", "--per-address", "0"],
        ["serve", "runner", "--players", "17"],
        ["serve", "runner", "--config", "no such file.json"],
        ["bots", "0"],
        ["bots", "1", "--loss", "101"],
        ["bots", "1", "--seconds", "nan"],
        ["bots", "1", "--jitter", "inf"],
        ["serve", "runner", "--port", "0", "--seconds", "-1"],
        ["serve", "runner", "--port", "0", "--seconds", "nan"],
        ["serve", "runner", "--port", "0", "--drain", "-1"],
        ["serve", "runner", "--port", "0", "--metrics", "much"],
        ["serve", "runner", "--port", "0", "--reports", "no such folder"],
        ["serve", "runner", "--port", "0", "--record", "no such folder"],
        ["serve", "runner", "--port", "0", "--record", "."],
        ["serve", "runner", "--port", "0", "--workers", "0"],
        ["serve", "runner", "--port", "0", "--workers", "65"],
        ["serve", "runner", "--port", "0", "--workers", "2"],
        ["serve", "runner", "--port", "80", "--rooms", "2", "--workers", "2"],
        ["serve", "runner", "--port", "65534", "--rooms", "2", "--workers", "2"],
        ["serve", "nothing"],
        ["serve", "no_such_module:Game"],
        ["serve", "json:loads"],
        ["serve", "retick.games.runner:NoSuchName"],
        ["serve", "retick.games.fighter:Fighter"],
        ["serve", "retick.games.runner:NetRunner", "--players", "4"],
        ["serve", "retick.games.runner:NetRunner", "--config", "x.json"],
        ["bots", "1", "--connect", ":7777"],
    ],
)
def test_misuse_is_refused_in_words_in_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_without_a_game_it_says_what_it_can_serve() -> None:
    for words in (["serve"], ["serve", "--port", "0"]):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 2
        assert "a declared world of yours" in result.stderr
        assert "retick serve runner" in result.stderr


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
    result = CliRunner().invoke(app, ["serve", "runner", "--port", "0", "--seconds", "0.01", "--config", str(file)])
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


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
def test_sigterm_drains_a_server_whose_log_nobody_reads_any_more(tmp_path: Path) -> None:
    serving = Serving(tmp_path, "--drain", "0")
    assert serving.process.stdout is not None
    assert serving.process.stderr is not None
    serving.process.stdout.close()
    serving.process.send_signal(signal.SIGTERM)
    try:
        with serving.process.stderr as complaints:
            told = complaints.read()
        assert serving.process.wait() == 0
    finally:
        serving.process.kill()
        serving.guard.cancel()
    assert told.startswith("retick: the server goes on, but its log cannot be written")


def can_make_namespaces() -> bool:
    """Whether a process may be number 1 of a namespace of its own here."""
    words = ["unshare", "--pid", "--fork", "--mount-proc", "true"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not can_make_namespaces(), reason="no namespace of processes can be made here (unshare, as root)")
def test_as_process_number_one_sigterm_drains_too(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "retick", "serve", "runner", "--port", "0", "--host", "127.0.0.1", "--drain", "1"]
    with subprocess.Popen(
        ["unshare", "--pid", "--fork", "--mount-proc", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as outside:
        assert outside.stdout is not None
        assert "port" in outside.stdout.readline()
        (inside,) = Path(f"/proc/{outside.pid}/task/{outside.pid}/children").read_text().split()
        status = Path(f"/proc/{inside}/status").read_text()
        assert status.split("NSpid:")[1].split("\n")[0].split()[-1] == "1"
        os.kill(int(inside), signal.SIGTERM)
        out, _ = outside.communicate(timeout=60)
    assert outside.returncode == 0
    assert "stopped" in out
