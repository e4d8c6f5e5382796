"""Two recordings: where inputs differ, and where the states do."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, sealed
from retick.studio.replay.difference import Difference

MATCH = sealed(Replay(seed=3, frames=bout(3, 400)), Fighter(), every=50)


def compared(ours: Replay, theirs: Replay) -> dict[str, Any]:
    difference = Difference(ours, theirs)
    for _ in difference.run(Fighter):
        assert difference.result is None
    assert difference.result is not None
    return difference.result


def with_input(frame: int, player: int, value: int) -> Replay:
    frames = bytearray(MATCH.frames)
    frames[4 * frame + 2 * player] ^= value
    return MATCH.replace(frames=bytes(frames), checkpoints={})


def test_a_recording_is_the_same_as_itself_and_as_its_beginning() -> None:
    assert compared(MATCH, MATCH)["same"]
    shorter = compared(MATCH, Replay(seed=3, frames=MATCH.packed(0, 100)))
    assert (shorter["same"], shorter["frame"], shorter["lasts"]) == (True, None, [400, 100])


def test_the_first_state_that_differs_is_found_though_inputs_differ_long_before() -> None:
    # A bit that no rule reads, at frame 50, and a step to the side at frame 200.
    frames = bytearray(with_input(50, 0, 0x40).frames)
    frames[4 * 200] ^= 3
    found = compared(MATCH, MATCH.replace(frames=bytes(frames), checkpoints={}))
    game = Fighter()
    state = game.run(game.initial_state(3), MATCH.packed(0, 200))
    other = game.step(state, [MATCH.inputs_at(200)[0] ^ 3, MATCH.inputs_at(200)[1]])
    same = game.step(state, MATCH.inputs_at(200))
    assert other != same
    assert (found["same"], found["input_frame"], found["state_frame"], found["frame"]) == (False, 50, 201, 201)
    assert ["p1.x", str(same.p1.x), str(other.p1.x)] in found["fields"]


def test_inputs_that_change_no_state_are_a_difference_all_the_same() -> None:
    found = compared(MATCH, with_input(50, 0, 0x40))
    assert (found["same"], found["frame"], found["state_frame"], found["fields"]) == (False, 50, None, [])


def test_other_seeds_and_other_checksums_are_named() -> None:
    found = compared(MATCH, MATCH.replace(seed=4, checkpoints={50: 1}))
    assert found["setup"] == [["seed", "3", "4"]]
    assert (found["state_frame"], found["checksum_frame"]) == (0, 50)
    assert found["fields"] == [["rng", "3", "4"]]


def test_recordings_of_two_games_are_refused() -> None:
    with pytest.raises(UsageError, match="two games"):
        Difference(MATCH, MATCH.replace(game_id="another"))


def test_without_a_game_the_inputs_are_compared() -> None:
    for other, frame in ((MATCH, None), (with_input(50, 1, 2), 50)):
        difference = Difference(MATCH, other)
        difference.read_inputs()
        assert difference.result is not None
        assert (difference.result["same"], difference.result["frame"]) == (frame is None, frame)
    with pytest.raises(UsageError, match="different shapes"):
        Difference(MATCH, Replay(seed=3, frames=[(1,)], num_players=1)).read_inputs()  # type: ignore[arg-type]  # packed there
