"""Comparing two recordings finds the first difference, wherever it is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, compare
from retick.replay.comparison import frame_to_compare
from retick.sim.world import WorldSimulation

GAME = Fighter()
MATCH = Replay(seed=3, frames=bout(3, 200))


def with_input(frame: int, player: int, value: int) -> Replay:
    frames = bytearray(MATCH.frames)
    frames[4 * frame + 2 * player] ^= value
    return MATCH.replace(frames=bytes(frames))


@given(st.integers(0, 199), st.integers(0, 1), st.integers(1, 255))
@settings(deadline=None)
def test_the_first_differing_frame_is_found(frame: int, player: int, value: int) -> None:
    found = compare(MATCH, with_input(frame, player, value), GAME)
    assert not found.same
    assert found.first_frame == frame
    assert found.inputs is not None
    assert found.inputs[0][player] ^ found.inputs[1][player] == value


def test_the_fields_that_differ_then_are_named() -> None:
    found = compare(Replay(seed=1, frames=[(0, 0), (2, 0)]), Replay(seed=1, frames=[(0, 0), (0, 0)]), GAME)
    assert [str(d) for d in found.state] == ["p1.x: 4300 here, 4000 there", "p1.state: 1 here, 0 there"]


def test_equal_recordings_are_the_same_match_and_so_is_one_that_ends_earlier() -> None:
    assert compare(MATCH, MATCH, GAME).same
    assert compare(MATCH, MATCH.replace(game_id="retick.fighter", metadata={"a": "b"}), GAME).same
    shorter = compare(MATCH, MATCH.replace(frames=MATCH.packed(0, 150)), GAME)
    assert (shorter.same, shorter.first_frame, shorter.frames) == (True, None, (200, 150))
    nothing_in_common = compare(MATCH, MATCH.replace(frames=b""), GAME)
    assert (nothing_in_common.same, nothing_in_common.first_frame) == (False, None)


def test_another_seed_is_a_difference_of_the_start() -> None:
    found = compare(MATCH, MATCH.replace(seed=4), GAME)
    assert (found.same, found.first_frame) == (False, None)
    assert [str(d) for d in found.setup] == ["seed: 3 here, 4 there"]
    assert [d.name for d in found.state] == ["rng"]


def test_two_ends_of_one_match_that_desynced_show_it_in_their_checksums() -> None:
    ours = MATCH.replace(checkpoints={60: 1, 120: 2, 180: 3})
    theirs = MATCH.replace(checkpoints={60: 1, 100: 9, 120: 5, 180: 6})
    found = compare(ours, theirs, GAME)
    assert (found.same, found.first_frame, found.checksum_frame, found.checksums) == (False, None, 120, (2, 5))


def test_a_recording_from_mid_match_is_compared_where_both_have_frames() -> None:
    state = GAME.run(GAME.initial_state(3), MATCH.packed(0, 80))
    late = MATCH.replace(frames=MATCH.packed(80, 200), start_frame=80, start_state=GAME.pack_state(state))
    assert compare(MATCH, late, GAME).same
    assert compare(with_input(150, 1, 4), late, GAME).first_frame == 150


def test_recordings_of_different_shape_are_refused() -> None:
    with pytest.raises(UsageError):
        compare(MATCH, Replay(seed=1, frames=b"", num_players=3), GAME)


class Crowd:
    """A world whose number of fields grows with what is pressed."""

    num_players = 2

    def reset(self, seed: int) -> None:
        self.pressed: list[int] = []

    def advance(self, inputs: Any) -> None:
        self.pressed += [value for value in inputs if value]

    def save(self) -> Any:
        return tuple(self.pressed)

    def load(self, saved: Any) -> None:
        self.pressed = list(saved)

    def fields(self) -> Any:
        return [(f"pressed[{index}]", value) for index, value in enumerate(self.pressed)]


def test_states_with_different_fields_are_compared_by_name() -> None:
    ours, theirs = Replay(seed=1, frames=[(0, 7)]), Replay(seed=1, frames=[(5, 7)])
    found = compare(ours, theirs, WorldSimulation(Crowd()))
    assert [tuple(one) for one in found.state] == [("pressed[0]", 7, 5), ("pressed[1]", "absent", 7)]


@pytest.mark.parametrize("frame", [0, 57, 199])
def test_a_caller_that_has_the_two_states_already_gets_the_same_comparison(frame: int) -> None:
    other = with_input(frame, 0, 2)
    assert frame_to_compare(MATCH, other) == frame + 1
    states = tuple(GAME.run(GAME.initial_state(3), match.packed(0, frame + 1)) for match in (MATCH, other))
    assert compare(MATCH, other, GAME, states=(states[0], states[1])) == compare(MATCH, other, GAME)


def test_recordings_without_a_common_frame_have_no_frame_to_compare() -> None:
    late = MATCH.replace(start_frame=500, start_state=GAME.pack_state(GAME.initial_state(3)))
    assert frame_to_compare(MATCH, late) is None
    assert frame_to_compare(MATCH, MATCH) == 0
