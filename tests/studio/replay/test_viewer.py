"""A frame on the page is the library's, with what changed since the frame before."""

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer, sealed
from retick.studio.replay.viewer import AROUND, Viewer, input_rows

MATCH = sealed(Replay(seed=3, frames=bout(3, 1500)), Fighter(), every=100)


@given(st.lists(st.integers(0, 1500), min_size=1, max_size=5))
@settings(deadline=None, max_examples=30)
def test_any_frame_shows_the_fields_of_its_state_and_what_changed(frames: list[int]) -> None:
    viewer, player = Viewer(MATCH, Fighter), ReplayPlayer(MATCH, Fighter())
    for frame in frames:
        for _ in viewer.seek(frame):
            pass
        shown = viewer.view()
        before = player.seek(max(frame - 1, 0))
        old = dict(player.sim.fields(before))
        player.seek(frame)
        now = player.fields()
        assert shown["frame"] == frame
        assert dict(shown["fields"]) == {name: str(value) for name, value in now.items()}
        assert [shown["fields"][at][0] for at in shown["changed"]] == [n for n in now if old[n] != now[n]]
        assert shown["checksum"] == f"0x{player.sim.checksum(player.state):08X}"
        assert (shown["recorded"] is not None) == (frame in MATCH.checkpoints)


def test_running_ahead_does_not_disturb_what_is_shown() -> None:
    viewer = Viewer(MATCH, Fighter)
    ahead = viewer.prepare()
    next(ahead)
    for _ in viewer.seek(3):
        pass
    assert viewer.view()["frame"] == 3
    for _ in ahead:
        pass
    for _ in viewer.seek(1400):
        pass
    assert viewer.view()["frame"] == 1400


def test_inputs_around_a_frame_end_where_the_recording_ends() -> None:
    assert [row[0] for row in input_rows(MATCH, 0)] == list(range(AROUND + 1))
    assert [row[0] for row in input_rows(MATCH, 1500)] == list(range(1500 - AROUND, 1500))
    frame, inputs = input_rows(MATCH, 700)[AROUND]
    assert frame == 700
    assert [int(text, 16) for text in inputs] == list(MATCH.inputs_at(700))
