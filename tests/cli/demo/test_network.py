"""``retick demo``: two real processes, from the start to the proof, and what happens when one of them fails."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.demo import network as demo_network
from retick.cli.demo.network import PeerProcess
from retick.games.fighter import Fighter

RUNNER = CliRunner()
QUICK = ["demo", "--frames", "150", "--rate", "300", "--rtt", "40", "--jitter", "2", "--seed", "3"]
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}


def test_two_processes_end_on_equal_checksums_and_the_replay_proves_it(tmp_path: Path) -> None:
    file = tmp_path / "demo.rtk"
    result = RUNNER.invoke(app, [*QUICK, "--frames", "600", "--record", str(file)])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert re.search(r"^   1 s  frame +3\d\d", result.output, re.MULTILINE)
    ends = re.search(r"checksums  (0x\w{8}) and (0x\w{8}) at frame 600, equal", result.output)
    again = re.search(r"run again  (0x\w{8}) after 600 frames, the same", result.output)
    assert ends is not None
    assert again is not None
    assert ends[1] == ends[2] == again[1]
    # A match without rollbacks would prove nothing.
    rollbacks = re.search(r"host (\d+) of up to \d+ frames?, \d+ stalls?; joiner (\d+) of", result.output)
    assert rollbacks is not None
    assert int(rollbacks[1]) + int(rollbacks[2]) > 0
    verdict = replay.verify(replay.load(file), Fighter(), expected_checksum=int(ends[1], 16))
    assert verdict.ok
    assert (verdict.frames, verdict.compared) == (600, 2)


def test_a_terminal_gets_both_views_and_then_the_proof() -> None:
    result = RUNNER.invoke(app, QUICK, env=TERMINAL)
    assert result.exit_code == 0, result.output
    assert "host, plays 1" in result.output
    assert "joiner, plays 2" in result.output
    assert result.output.count("\x1b[?1049h") == result.output.count("\x1b[?1049l") == 1
    assert "equal" in result.output


def test_an_interrupt_ends_both_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[PeerProcess] = []

    def watch(demo: demo_network.NetworkDemo, show: object) -> None:
        seen.extend(demo.peers)
        assert all(peer.running for peer in seen)
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_network.NetworkDemo, "_watch", watch)
    result = RUNNER.invoke(app, [*QUICK, "--frames", "5000"])
    assert result.exit_code == 130
    assert "interrupted" in result.output
    assert len(seen) == 2
    assert not any(peer.running for peer in seen)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_a_process_that_is_killed_is_named_and_the_answer_is_no(monkeypatch: pytest.MonkeyPatch) -> None:
    original = PeerProcess.update

    def update(peer: PeerProcess) -> None:
        original(peer)
        if peer.title == "joiner" and peer.report is not None and peer.running:
            os.kill(peer.pid, signal.SIGKILL)

    monkeypatch.setattr(PeerProcess, "update", update)
    result = RUNNER.invoke(app, [*QUICK, "--frames", "5000"])
    assert result.exit_code == 1
    assert "the joiner's process ended with code -9" in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_a_process_that_is_stopped_is_waited_for_and_the_other_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    original = PeerProcess.update
    notices: list[str] = []

    def update(peer: PeerProcess) -> None:
        original(peer)
        if peer.title == "joiner" and peer.report is not None and not notices and not peer.finished:
            os.kill(peer.pid, signal.SIGSTOP)
        if peer.title == "host" and peer.report is not None and peer.report.notice:
            notices.append(peer.report.notice)
        if peer.title == "joiner" and notices:
            os.kill(peer.pid, signal.SIGCONT)

    monkeypatch.setattr(PeerProcess, "update", update)
    result = RUNNER.invoke(app, [*QUICK, "--frames", "300"])
    assert result.exit_code == 0, result.output
    assert "waiting for player 2 ..." in notices
