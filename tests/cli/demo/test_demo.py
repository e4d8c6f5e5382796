"""``retick demo`` as a user runs it: two real processes, in a pipe, on a terminal, interrupted, misused."""

import json
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.demo import network as demo_network
from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.peer_process import PeerProcess
from retick.cli.demo.proof import Ending, prove
from retick.cli.play.controllers import StyleName
from retick.cli.play.match_driver import Result
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout

RUNNER = CliRunner()
QUICK = ["demo", "--frames", "150", "--rate", "300", "--rtt", "40", "--jitter", "2", "--seed", "3"]
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
PLAN = PeerPlan(style=StyleName.RUSHER, latency=0, jitter=0, loss=0, delay=0, rate=300, longest=1200, frames=60)


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
    rollbacks = re.search(r"host (\d+) of up to \d+ frames, \d+ stalls; joiner (\d+) of", result.output)
    assert rollbacks is not None
    assert int(rollbacks[1]) + int(rollbacks[2]) > 0
    verdict = replay.verify(replay.load(file), Fighter(), expected_checksum=int(ends[1], 16))
    assert verdict.ok
    assert verdict.frames == 600


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
    assert "waiting for the other peer's inputs" in notices


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (replace(PLAN, rate=0), "gave up: tick_rate must be from 1"),
        (replace(PLAN, seed=-1, latency="?"), "TypeError"),
    ],
    ids=["refused", "crashed"],
)
def test_a_process_that_cannot_start_says_why(plan: PeerPlan, words: str) -> None:
    peer = PeerProcess("host", plan)
    with pytest.raises(RetickError, match="the host's process") as caught:
        peer.wait_until_it_listens()
    assert words in str(caught.value)
    peer.stop()
    assert not peer.running


def ending(**changes: object) -> Ending:
    frames = bout(1, 100)
    game = Fighter()
    result = Result(100, game.checksum(game.run(game.initial_state(1), frames)))
    good = Ending(ours=result, theirs=result, replay=replay.dumps(replay.Replay(seed=1, frames=frames)))
    return replace(good, **changes)  # type: ignore[arg-type]  # fields by name


def test_the_proof_holds_for_equal_endings() -> None:
    proof = prove(ending(), ending())
    assert proof.ok
    assert "NOT" not in proof.checksums + proof.replays + proof.rerun


def test_the_proof_finds_every_difference() -> None:
    good = ending()
    other = Result(100, good.ours.checksum ^ 1)
    shorter = Result(99, good.ours.checksum)
    inputs = replay.dumps(replay.Replay(seed=1, frames=bout(2, 100)))
    assert "NOT EQUAL" in prove(good, ending(ours=other)).checksums
    assert "NOT EQUAL" in prove(good, ending(ours=shorter)).checksums
    assert "the network brought another" in prove(good, ending(theirs=other)).checksums
    assert "NOT EQUAL" in prove(good, ending(replay=inputs)).replays
    assert "NOT THE SAME" in prove(ending(replay=inputs), ending(replay=inputs)).rerun
    assert "NOT THE SAME" in prove(ending(ours=other, theirs=other), ending(ours=other, theirs=other)).rerun
    assert "cannot be read" in prove(ending(replay=b"RPLK"), ending(replay=b"RPLK")).rerun
    for bad in ({"ours": other}, {"ours": shorter}, {"theirs": other}, {"replay": inputs}, {"replay": b"RPLK"}):
        assert not prove(good, ending(**bad)).ok
        assert not prove(ending(**bad), good).ok


def test_plans_and_endings_survive_the_way_through_a_pipe() -> None:
    assert PeerPlan.loads(PLAN.dumps()) == PLAN
    good = ending()
    text = json.dumps({"ours": good.ours, "theirs": good.theirs, "replay": good.replay.hex()})
    assert Ending.loads(text) == good


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--frames", "0"], "--frames must be 1 or more, not 0"),
        (["--loss", "95"], "--loss must be 0 to 90 percent, not 95"),
        (["--rtt", "-1"], "--rtt must be 0 to 2000"),
        (["--seed", "0"], "--seed must be 1 to"),
        (["--fast"], "--fast needs --offline"),
        (["--authority", "--record", "demo.rtk"], "--record does not go with --authority"),
        (["--delay", "40"], "--delay"),
        (["--rate", "0"], "--rate"),
        (["--record", "no/such/folder/demo.rtk"], "there is no folder"),
    ],
)
def test_misuse_is_refused_in_words_before_anything_starts(arguments: list[str], words: str) -> None:
    result = RUNNER.invoke(app, ["demo", *arguments])
    assert result.exit_code == 2
    assert words in result.stderr


def test_help_shows_an_example() -> None:
    assert "retick demo --rtt" in RUNNER.invoke(app, ["demo", "--help"]).output
