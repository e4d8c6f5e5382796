"""Replays that are written during a match."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from retick.cli.play.recording import MatchRecording, check_recording
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import load, verify
from retick.rollback.events import DesyncReported
from retick.testing.arenas import fighter_arena
from retick.testing.chaos import pressed_by_bots
from retick.testing.mesh import Mesh
from tests.full_disk import full_after


def test_a_live_recording_has_rules_for_its_name(tmp_path: Path) -> None:
    check_recording(None, live=True)
    check_recording(tmp_path / "new.rtk", live=True)
    (tmp_path / "old.rtk").write_bytes(b"")
    for name, words in (("old.rtk", "exists already"), ("a.rplk", "name the file"), ("no/a.rtk", "no folder")):
        with pytest.raises(UsageError, match=words):
            check_recording(tmp_path / name, live=True)


def recorded(path: Path, frames: int = 130) -> MatchRecording:
    """A recording that is made as a match makes it."""
    game = Fighter()
    state = game.initial_state(7)
    recording = MatchRecording(path, game, seed=7, local_players=(0,))
    for frame in range(frames):
        row = (frame % 16, frame // 3 % 16)
        state = game.step(state, row)
        recording.add(row, frame + 1, game.checksum(state))
    recording.finish(game.checksum(state))
    return recording


def test_a_disk_that_is_full_at_any_byte_ends_the_recording_and_not_the_match(tmp_path: Path) -> None:
    whole = recorded(tmp_path / "whole.rtk")
    assert (whole.failure, whole.summary()) == ("", f"recorded in {tmp_path / 'whole.rtk'}")
    size = (tmp_path / "whole.rtk").stat().st_size
    for room in range(size):
        with full_after(room):
            recording = recorded(tmp_path / f"{room}.rtk")
        assert recording.failure == "No space left on device"
        assert recording.failure in recording.summary()
        assert not (tmp_path / f"{room}.rtk").exists()
        if not recording.path.exists():
            assert recording.summary().startswith("not recorded")
            continue
        kept = load(recording.path)
        assert kept.truncated
        assert len(kept) >= recording.frame
        assert verify(kept, Fighter()).ok


LIMITED = """import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
from retick.__main__ import main
main()"""
ROOM = 400
"""Bytes for each file: enough for the head of a recording and a few seconds."""


def run_limited(*words: str) -> "subprocess.Popen[str]":
    """A command all of whose files find the disk full after ``ROOM`` bytes."""
    return subprocess.Popen(
        [sys.executable, "-c", LIMITED.format(room=ROOM), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_host_and_join_play_on_when_the_disk_is_full(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.rtk" for name in ("host", "join")]
    fast = ["--bot", "--rate", "300"]
    with run_limited("host", "--bind", "127.0.0.1", "--port", "0", *fast, "--record", str(files[0])) as host:
        assert host.stdout is not None
        port = re.search(r"retick join \S+:(\d+)", host.stdout.readline())
        assert port is not None
        capture = tmp_path / "join.rtkc"
        to_host = ("join", f"127.0.0.1:{port[1]}", *fast)
        with run_limited(*to_host, "--record", str(files[1]), "--capture", str(capture)) as joiner:
            said = [process.communicate(timeout=120)[0] for process in (host, joiner)]
            assert (host.returncode, joiner.returncode) == (0, 0), said
    for output in said:
        assert "Traceback" not in output
        assert "recording has ended: File too large" in output
        assert "where it could not be written: File too large" in output
    ends = [re.search(r"(0x\w{8}) at frame (\d+) on both peers", output) for output in said]
    assert len({end and end.groups() for end in ends}) == 1
    assert f"captured in {capture} up to where it could not be written" in said[1]
    for file in files:
        assert not file.exists()
        kept = load(file.with_name(f"{file.name}.1.part"))
        assert kept.truncated
        assert len(kept) > 0
        assert verify(kept, Fighter()).ok


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
@pytest.mark.parametrize("options", [["--offline", "--fast"], ["--rtt", "0", "--loss", "0", "--rate", "500"]])
def test_a_demo_shows_its_proof_although_the_disk_is_full(tmp_path: Path, options: list[str]) -> None:
    file = tmp_path / "demo.rplk"
    with run_limited("demo", *options, "--frames", "300", "--record", str(file)) as process:
        output, _ = process.communicate(timeout=120)
    assert "run again" in output
    assert f"retick: {file}: File too large" in output
    assert "Traceback" not in output
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_went_on_from_the_state_of_one_peer_can_be_verified(tmp_path: Path) -> None:
    arena = fighter_arena()
    mesh = Mesh({"peer0": Fighter, "peer1": lambda: arena.tampered(40)}, press=pressed_by_bots(arena, 3))
    mesh.start()
    mesh.run_until(lambda: all(peer.events_of(DesyncReported) for peer in mesh.alive), limit=30.0, what="a report")
    for peer in mesh.alive:
        peer.session.resync(mesh["peer0"].session.peer_id)
    mesh.run_until(lambda: all(peer.session.match.number == 1 for peer in mesh.alive), limit=30.0, what="the resync")
    mesh.play(130)
    peer = mesh["peer1"]
    assert Fighter().checksum(peer.start_state) != Fighter().checksum(Fighter().initial_state(peer.session.match.seed))
    recording = MatchRecording(
        tmp_path / "match.rtk",
        Fighter(),
        seed=peer.session.match.seed,
        local_players=peer.session.local_players,
        start_state=peer.start_state,
    )
    for frame in range(120):
        recording.add(peer.rows[frame], frame + 1, peer.checksums.get(frame + 1, 0))
    recording.finish(peer.checksums[120])
    verdict = verify(load(tmp_path / "match.rtk"), Fighter())
    assert verdict.ok
    assert verdict.compared == 2


def test_a_state_that_the_seed_gives_is_not_written(tmp_path: Path) -> None:
    game = Fighter()
    MatchRecording(tmp_path / "match.rtk", game, seed=7, local_players=(0,), start_state=game.initial_state(7)).finish(
        game.checksum(game.initial_state(7))
    )
    assert load(tmp_path / "match.rtk").start_state is None
