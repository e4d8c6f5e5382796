"""``storage``: files that a session records into while it plays."""

from pathlib import Path

import pytest

from retick.games.fighter import Fighter
from retick.replay import LiveRecording, load, verify
from retick.replay.rtk_blocks import MAX_BODY
from tests.full_disk import full_after
from tests.toys import Tally


def recorded(path: Path, frames: int = 130) -> LiveRecording:
    """A recording that is made as a match makes it."""
    game = Fighter()
    state = game.initial_state(7)
    recording = LiveRecording(path)
    recording.begin(game, seed=7, frame=0, state=None, local_players=(0,), goes_on=False)
    for frame in range(frames):
        row = (frame % 16, frame // 3 % 16)
        state = game.step(state, row)
        recording.add_frame(row)
        if frame % 60 == 59:
            recording.add_checksum(game.checksum(state))
            recording.flush()
    recording.end(game.checksum(state))
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


def test_later_matches_get_the_next_free_number_and_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "match-2.rtk").write_bytes(b"an older one")
    recording = LiveRecording(tmp_path / "match.rtk", metadata={"mode": "test"})
    assert list(tmp_path.iterdir()) == [tmp_path / "match-2.rtk"]
    for seed in (1, 2, 3):
        recording.begin(Tally(), seed=seed, frame=0, state=None, local_players=(), goes_on=False)
        recording.add_frame((1, 2))
        recording.end(0)
    assert [path.name for path in recording.files] == ["match.rtk", "match-3.rtk", "match-4.rtk"]
    assert [load(path).seed for path in recording.files] == [1, 2, 3]
    assert load(recording.path).metadata == {"mode": "test"}
    assert (tmp_path / "match-2.rtk").read_bytes() == b"an older one"


def test_a_note_belongs_to_the_recording_that_runs_and_to_later_ones(tmp_path: Path) -> None:
    recording = LiveRecording(tmp_path / "match.rtk", metadata={"tick_rate": "30"})
    recording.note("name.0", "early")
    for number in range(2):
        recording.begin(Tally(), seed=1, frame=0, state=None, local_players=(), goes_on=False)
        recording.note("name.0", f"Ann {number}")
        recording.note("name.1", "Bob")
        recording.add_frame((1, 2))
        recording.end(0)
        recording.note("name.1", "after the end")
    first, second = map(load, recording.files)
    assert first.metadata == {"tick_rate": "30", "name.0": "Ann 0", "name.1": "Bob"}
    assert second.metadata == {"tick_rate": "30", "name.0": "Ann 1", "name.1": "Bob"}
    assert (first.tick_rate, first.names) == (30, {0: "Ann 0", 1: "Bob"})


def test_what_was_flushed_is_in_the_file_and_what_was_closed_stays_there(tmp_path: Path) -> None:
    recording = LiveRecording(tmp_path / "match.rtk")
    recording.begin(Tally(), seed=1, frame=0, state=None, local_players=(), goes_on=False)
    part = tmp_path / "match.rtk.1.part"
    for frames in (1, 2, 3):
        recording.add_frame((1, 2))
        recording.flush()
        assert len(load(part)) == frames
    recording.add_frame((1, 2))
    recording.close()
    assert len(load(part)) == 4
    assert not (tmp_path / "match.rtk").exists()


class Huge(Tally):
    """A state that no block holds."""

    def pack_state(self, state: object) -> bytes:
        return bytes(MAX_BODY)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_state_that_no_block_holds_ends_the_recording_and_not_the_match(tmp_path: Path, goes_on: bool) -> None:
    game, recording = Huge(), LiveRecording(tmp_path / "match.rtk")
    recording.begin(game, seed=1, frame=0, state=None, local_players=(), goes_on=False)
    recording.add_frame((1, 2))
    recording.begin(game, seed=1, frame=0, state=game.initial_state(1), local_players=(), goes_on=True)
    recording.add_frame((1, 2))
    recording.add_checksum(1)
    recording.flush()
    recording.end(1)
    assert "a state to go on from takes up to 16777212 bytes" in recording.failure
    assert len(load(recording.path)) == 1
