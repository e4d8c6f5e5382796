"""A recording in few columns: nothing pressed is lost, and the verdict is the library's."""

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, sealed, verify
from retick.studio.replay.viewer import ReplayStrip

MATCH = sealed(Replay(seed=3, frames=bout(3, 700)), Fighter(), every=50)


@given(st.lists(st.tuples(st.integers(0, 2**24 - 1), st.integers(0, 2**24 - 1)), max_size=40), st.integers(1, 9))
@settings(deadline=None)
def test_a_column_has_every_bit_that_was_set_in_its_frames(frames: list[tuple[int, int]], most: int) -> None:
    replay = Replay(seed=1, frames=frames, input_size=3)  # type: ignore[arg-type]  # packed there
    timeline = ReplayStrip(replay, most_columns=most)
    for _ in timeline.read_inputs():
        pass
    shown = timeline.to_json()
    assert len(shown["inputs"][0]) <= most
    for player in (0, 1):
        for column, bits in enumerate(shown["inputs"][player]):
            pressed = 0
            for inputs in frames[column * timeline.per : (column + 1) * timeline.per]:
                pressed |= inputs[player]
            assert bits & 0x7FFF == pressed & 0x7FFF
            assert bits >> 15 == (pressed >> 15 != 0)


def test_hit_points_are_those_after_each_column() -> None:
    timeline = ReplayStrip(MATCH, most_columns=100)
    for _ in timeline.run(Fighter):
        assert timeline.verdict is None
    game = Fighter()
    states = [game.run(game.initial_state(3), MATCH.packed(0, min(end, 700))) for end in range(7, 701, 7)]
    assert timeline.to_json()["health"] == [[state.p1.hp for state in states], [state.p2.hp for state in states]]


def test_the_verdict_is_that_of_verify() -> None:
    wrong = MATCH.replace(checkpoints={**MATCH.checkpoints, 300: 1})
    for replay, word in ((MATCH, "verified"), (wrong, "differs"), (MATCH.replace(checkpoints={}), "unknown")):
        timeline = ReplayStrip(replay)
        for _ in timeline.run(Fighter):
            pass
        assert timeline.verdict == verify(replay, Fighter())
        found = timeline.to_json()["verdict"]
        assert (found["word"], found["first_bad"]) == (word, 300 if word == "differs" else None)


def test_a_recording_without_frames_has_no_columns() -> None:
    timeline = ReplayStrip(Replay(seed=1, frames=b""))
    for steps in (timeline.read_inputs(), timeline.run(Fighter)):
        for _ in steps:
            pass
    assert timeline.to_json()["inputs"] == [[], []]
    assert timeline.verdict is not None
