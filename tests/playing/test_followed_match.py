"""What a driver's session records into: the confirmed match and the file are of one make."""

from pathlib import Path
from random import Random
from typing import Any

from retick import replay
from retick.games.fighter import Fighter
from retick.playing.confirmed_match import ConfirmedFight, FollowedMatch
from retick.replay import LiveRecording
from retick.rollback.session.session import RollbackSession

FRAMES = 100


def played(followed: FollowedMatch) -> Any:
    """One peer with both seats: every frame is final at once."""
    session = RollbackSession(Fighter(), entropy=Random(1).randbytes, seats=2, record=followed)
    assert session.recording is not None
    session.recording.last = FRAMES
    for frame in range(FRAMES + 20):
        session.advance((frame % 16, frame % 8), now=frame / 60)
    session.recording.drain()
    return session


def test_a_followed_match_gets_every_final_frame_and_the_seats() -> None:
    followed = FollowedMatch(lambda seed, state, frame: ConfirmedFight(seed, state=state, frame=frame))
    assert followed.confirmed is None
    session = played(followed)
    assert followed.players == session.local_players == (0, 1)
    assert followed.confirmed is not None
    assert followed.confirmed.frame == FRAMES


def test_the_file_and_the_confirmed_match_have_the_same_inputs(tmp_path: Path) -> None:
    recording = LiveRecording(tmp_path / "match.rtk")
    followed = FollowedMatch(lambda seed, state, frame: ConfirmedFight(seed, state=state, frame=frame), recording)
    played(followed).recording.end()
    assert followed.confirmed is not None
    saved = replay.load(recording.path)
    assert bytes(saved.frames) == bytes(followed.confirmed.payload)
    assert replay.verify(saved, Fighter(), expected_checksum=followed.confirmed.checksum).ok
