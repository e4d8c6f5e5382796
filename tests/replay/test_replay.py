"""A Replay, the value that both formats share, and its rules."""

import pickle
from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import Arrival, Recorder, Replay, ReplayPlayer

EMPTY = Replay(seed=1, frames=b"")


def test_frames_are_numbered_from_the_start_frame() -> None:
    match = Replay(seed=1, frames=[(1, 2), (3, 4)], start_frame=10, start_state=b"")
    assert (len(match), match.frame_count, match.end_frame) == (2, 2, 12)
    assert match.inputs_at(11) == (3, 4)
    assert match.packed(11, 12) == b"\3\0\4\0"
    for frame in (9, 12):
        with pytest.raises(UsageError):
            match.inputs_at(frame)
    with pytest.raises(UsageError):
        match.packed(10, 13)


def test_inputs_have_the_games_width() -> None:
    match = Replay(seed=1, frames=[(2**64 - 1, 0, 1)], num_players=3, input_size=8)
    assert len(match.frames) == 24
    assert match.inputs_at(0) == (2**64 - 1, 0, 1)


def test_the_final_checksum_is_the_checkpoint_at_the_end() -> None:
    assert Replay(seed=1, frames=[(0, 0)], checkpoints={1: 7}).final_checksum == 7
    assert Replay(seed=1, frames=[(0, 0)], checkpoints={0: 7}).final_checksum is None


def test_it_is_a_value() -> None:
    match = Replay(seed=1, frames=[(1, 2)], checkpoints={1: 2, 0: 1}, metadata={"a": "b"})
    assert hash(match) == hash(match.replace())
    assert pickle.loads(pickle.dumps(match)) == match
    assert list(match.checkpoints) == [0, 1]
    assert match.replace(seed=2) != match
    with pytest.raises(AttributeError):
        match.seed = 3  # type: ignore[misc]  # it is frozen


def test_it_keeps_nothing_that_the_caller_can_still_change() -> None:
    checkpoints, frames = {0: 1}, bytearray(4)
    match = Replay(seed=1, frames=frames, checkpoints=checkpoints)  # type: ignore[arg-type]  # an untyped caller
    checkpoints[0] = 2
    frames[0] = 9
    assert match.checkpoints == {0: 1}
    assert match.frames == bytes(4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_players": 0},
        {"num_players": 17},
        {"input_size": 0},
        {"input_size": 9},
        {"start_frame": -1},
        {"start_frame": 2**32},
        {"start_frame": 2**32 - 1, "frames": [(0, 0)]},
        {"game_version": -1},
        {"game_id": 5},
        {"start_state": "x"},
        {"local_players": (2,)},
        {"checkpoints": {1: 0}},
        {"checkpoints": {0: 2**32}},
        {"checkpoints": {"0": 0}},
        {"arrivals": [Arrival(0, 2, 0, 1)]},
        {"arrivals": [Arrival(0, 0, 0, 1)], "local_players": (0,)},
        {"arrivals": [Arrival(1, 0, 0, 1), Arrival(0, 0, 0, 1)]},
        {"arrivals": [Arrival(0, 0, 0, 0)]},
        {"metadata": {"a": 1}},
    ],
)
def test_what_cannot_be_is_the_callers_mistake(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        EMPTY.replace(**wrong)


@pytest.mark.parametrize("arrivals", [[(0.5, 1, 0, 1)], [(0, 1, 0.0, 1)], [(0, 1)], [5], None, "ab"])
def test_arrivals_that_no_file_can_hold_are_refused_at_once(arrivals: Any) -> None:
    with pytest.raises(UsageError, match="arrival"):
        EMPTY.replace(arrivals=arrivals, local_players=(0,))


@pytest.mark.parametrize("frame", [1.5, None, "1", 2**70])
def test_a_frame_that_is_no_number_of_one_is_refused(frame: Any) -> None:
    match = Replay(seed=1, frames=[(1, 2)] * 3)
    recorder = Recorder(seed=1)
    recorder.add_packed(match.frames)
    for ask in (match.inputs_at, ReplayPlayer(match, Fighter()).seek, lambda at: recorder.add_checksum(at, 5)):
        with pytest.raises(UsageError):
            ask(frame)


def test_checkpoints_are_a_mapping() -> None:
    with pytest.raises(UsageError, match="checksums by frame"):
        EMPTY.replace(checkpoints=[1])


@pytest.mark.parametrize(
    ("notes", "rate", "names"),
    [
        ({}, None, {}),
        ({"tick_rate": "60", "name.1": "Bob"}, 60, {1: "Bob"}),
        ({"tick_rate": "0", "name.2": "nobody"}, None, {}),
        ({"tick_rate": "1001", "name.x": "nobody", "name.01": "nobody"}, None, {}),
        ({"tick_rate": "\u0665", "name.\u0661": "nobody"}, None, {}),
        ({"tick_rate": "9" * 5000, "name.0": ""}, None, {}),
    ],
)
def test_the_tick_rate_and_names_are_notes_and_what_is_none_is_left_out(
    notes: dict[str, str], rate: int | None, names: dict[int, str]
) -> None:
    recorded = Replay(seed=1, frames=bytes(8), metadata=notes)
    assert (recorded.tick_rate, recorded.names) == (rate, names)
