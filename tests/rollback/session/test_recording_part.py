"""Sessions that record: every file is verified afterwards, whatever happened to the match."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retick import replay
from retick.replay import LiveRecording
from retick.rollback.events import DesyncReported
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.desync.planted import WrongBranch
from tests.rollback.session.matches import STAY, leave, presses
from tests.toys import Tally

BAD = Conditions(latency=0.05, jitter=0.01, loss=0.03)


def recording_mesh(
    folder: Path, players: int = 2, *, game: Any = None, config: MatchConfig = STAY, press: Any = None
) -> tuple[Mesh, dict[str, list[LiveRecording]]]:
    """Peers that all record; those that come back record into another file."""
    made: dict[str, list[LiveRecording]] = {f"peer{number}": [] for number in range(players)}

    def making(name: str) -> Any:
        def make(sim: Any, **details: Any) -> RollbackSession:
            recording = LiveRecording(folder / f"{name}-life{len(made[name])}.rtk")
            made[name].append(recording)
            return RollbackSession(sim, record=recording, **details)

        return make

    mesh = Mesh(
        game or (lambda: Tally(players)),
        seats=dict.fromkeys(made, 1),
        conditions=BAD,
        config=config,
        press=press or presses(1),
        make_session={name: making(name) for name in made},
    )
    mesh.start()
    return mesh, made


def close_all(mesh: Mesh) -> None:
    for peer in mesh.alive:
        peer.session.close()


def verified(path: Path, game: Any) -> replay.Replay:
    """The recording, whole and with at least two checksums that were compared."""
    found = replay.load(path, strict=True)
    verdict = replay.verify(found, game)
    assert verdict.ok, str(verdict)
    assert verdict.compared >= 2
    assert found.final_checksum is not None
    return found


def test_both_sides_record_the_match_and_the_recordings_are_verified(tmp_path: Path) -> None:
    mesh, made = recording_mesh(tmp_path)
    mesh.play(400)
    rows = {peer.name: dict(peer.rows) for peer in mesh.alive}
    close_all(mesh)
    recorded = [verified(made[name][0].path, Tally(2)) for name in ("peer0", "peer1")]
    assert [each.local_players for each in recorded] == [(0,), (1,)]
    for name, found in zip(rows, recorded, strict=True):
        assert len(found) >= max(rows[name])
        assert all(found.inputs_at(frame) == row for frame, row in rows[name].items() if frame < len(found))
        assert made[name][0].files == [made[name][0].path]


def test_a_newcomers_recording_begins_with_its_state_and_is_verified(tmp_path: Path) -> None:
    mesh, made = recording_mesh(tmp_path, 3)
    mesh.play(200)
    leave(mesh, "peer2")
    made["peer2"][0].close()
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=10.0, what="it is back")
    mesh.run(5.0)
    close_all(mesh)
    found = verified(made["peer2"][-1].path, Tally(3))
    assert found.start_frame > 200
    assert found.start_state is not None
    assert len(found) > 200
    whole = verified(made["peer0"][0].path, Tally(3))
    shared = range(found.start_frame, min(found.end_frame, whole.end_frame))
    assert all(found.inputs_at(frame) == whole.inputs_at(frame) for frame in shared)


def test_a_match_that_goes_on_after_a_resync_goes_on_in_its_file_and_is_verified(tmp_path: Path) -> None:
    games = {"peer0": lambda: WrongBranch(2), "peer1": lambda: WrongBranch(2, at=60)}
    mesh, made = recording_mesh(tmp_path, game=games, press=lambda player, state: 3 if state.frame < 80 else 1)
    mesh.run_until(lambda: all(p.events_of(DesyncReported) for p in mesh.alive), limit=10.0, what="a report")
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run_until(
        lambda: all(inside_of(p.session).match.number == 1 for p in mesh.alive), limit=10.0, what="it goes on"
    )
    mesh.play(200)
    close_all(mesh)
    for name, game in (("peer0", WrongBranch(2)), ("peer1", WrongBranch(2, at=60))):
        [path] = made[name][0].files
        found = verified(path, game)
        [(frame, state)] = found.resyncs.items()
        assert 60 < frame < len(found) - 190
        assert game.checksum(game.unpack_state(state)) != 0
        assert any(check > frame for check in found.checkpoints)
        played = replay.ReplayPlayer(found, game, spacing=7)
        for at in (found.end_frame, frame + 1, frame - 5, found.end_frame):
            played.seek(at)
        assert game.checksum(played.state) == found.final_checksum
        # Without the state of the others its own run would not be confirmed.
        assert not replay.verify(found.replace(resyncs={}), game).ok or name == "peer0"


def test_a_rematch_has_a_file_of_its_own(tmp_path: Path) -> None:
    mesh, made = recording_mesh(tmp_path)
    mesh.play(100)
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run_until(
        lambda: all(inside_of(p.session).match.number == 1 for p in mesh.alive), limit=10.0, what="the rematch"
    )
    mesh.play(150)
    close_all(mesh)
    first, second = (verified(path, Tally(2)) for path in made["peer0"][0].files)
    assert [path.name for path in made["peer0"][0].files] == ["peer0-life0.rtk", "peer0-life0-2.rtk"]
    assert first.seed != second.seed
    assert (first.local_players, second.local_players) == ((0,), (1,))


def test_with_the_smallest_settings_no_frame_is_forgotten_before_it_is_recorded(tmp_path: Path) -> None:
    small = MatchConfig(prediction_window=2, history=4, input_delay=1, max_backlog=8, inputs_remembered=136)
    mesh, made = recording_mesh(tmp_path, config=small)
    mesh.play(500)
    close_all(mesh)
    assert len(verified(made["peer1"][0].path, Tally(2))) >= 500


def test_a_recording_that_is_to_end_at_a_frame_ends_there_though_the_match_goes_on(tmp_path: Path) -> None:
    mesh, made = recording_mesh(tmp_path)
    for peer in mesh.alive:
        peer.session.recording.last = 200
    mesh.play(300)
    recorded = [verified(recordings[0].path, Tally(2)) for recordings in made.values()]
    assert [len(each) for each in recorded] == [200, 200]
    assert recorded[0].frames == recorded[1].frames


class Broken:
    """A recorder by its shape that notes how it was called."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **options: self.calls.append(name)


def test_any_object_of_the_shape_records() -> None:
    recorders: list[Broken] = []

    def make(sim: Any, **details: Any) -> RollbackSession:
        recorders.append(Broken())
        return RollbackSession(sim, record=recorders[-1], **details)

    mesh = Mesh(lambda: Tally(2), make_session=make, conditions=BAD)
    mesh.start()
    mesh.play(150)
    close_all(mesh)
    calls = recorders[0].calls
    assert (calls[0], calls[-1]) == ("begin", "end")
    assert calls.count("add_frame") >= 150
    assert 2 <= calls.count("flush") == calls.count("add_checksum") <= 3


KILLED = """
import sys
from pathlib import Path
from tests.rollback.session.test_recording_part import recording_mesh
mesh, made = recording_mesh(Path(sys.argv[1]))
while True:
    mesh.run(0.05)
    print(mesh["peer0"].final_frame, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("frames", [130, 299, 430])
def test_a_process_that_is_killed_loses_at_most_two_seconds(tmp_path: Path, frames: int) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        played = 0
        while played < frames:
            played = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
    found = replay.load(tmp_path / "peer0-life0.rtk.1.part")
    assert found.truncated
    assert len(found) >= played - 2 * 60
    assert replay.verify(found, Tally(2)).ok
