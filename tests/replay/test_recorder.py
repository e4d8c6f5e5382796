"""The streaming recorder: what it writes is what it was told, and it holds on to nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick import replay
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import Recorder
from retick.sim.world import WorldSimulation
from tests.replay.recordings import Tally, replays
from tests.toys import TallyWorld


@given(replays(), st.integers(1, 7))
@settings(deadline=None)
def test_streaming_in_any_block_size_reads_back_as_the_same_match(match: replay.Replay, block_frames: int) -> None:
    recorder = Recorder(
        seed=match.seed,
        num_players=match.num_players,
        input_size=match.input_size,
        start_frame=match.start_frame,
        start_state=match.start_state,
        local_players=match.local_players,
        block_frames=block_frames,
    )
    data = b""
    for frame in range(match.start_frame, match.end_frame):
        recorder.add_frame(match.inputs_at(frame))
        if frame in match.checkpoints:
            recorder.add_checksum(frame, match.checkpoints[frame])
        data += recorder.drain()
    recorder.finish(match.final_checksum)
    data += recorder.drain()
    read = replay.loads(data, strict=True)
    assert (read.frames, read.checkpoints, read.seed) == (match.frames, match.checkpoints, match.seed)
    assert (read.start_frame, read.start_state) == (match.start_frame, match.start_state)


def test_packed_frames_and_single_frames_are_the_same_recording() -> None:
    frames = bytes(range(200)) * 2
    packed, single = (Recorder(seed=1, block_frames=8) for _ in range(2))
    packed.add_packed(frames)
    for at in range(0, len(frames), 4):
        single.add_frame((frames[at] + 256 * frames[at + 1], frames[at + 2] + 256 * frames[at + 3]))
    for recorder in (packed, single):
        recorder.finish()
    assert packed.drain() == single.drain()


@pytest.mark.long
def test_an_hour_is_recorded_in_flat_memory() -> None:
    recorder = Recorder(seed=1, local_players=(0,))
    held = 0
    for frame in range(60 * 60 * 60):
        recorder.add_frame((frame & 15, 0))
        recorder.add_arrival(frame, 1, frame, 1)
        if frame % 60 == 0:
            recorder.add_checksum(frame, frame)
        held = max(held, len(recorder._inputs) + len(recorder._arrivals) + len(recorder._checks))
        recorder.drain()
    assert held <= 600 * (4 + 12) + 8 * 20


def test_nothing_is_due_until_a_block_is_complete_and_flush_completes_it() -> None:
    recorder = Recorder(seed=1)
    start = recorder.drain()
    recorder.add_frame((1, 2))
    assert recorder.drain() == b""
    recorder.flush()
    data = start + recorder.drain()
    assert replay.loads(data).frames == b"\1\0\2\0"
    recorder.flush()
    assert recorder.drain() == b""


def test_the_first_bytes_are_already_a_recording() -> None:
    recorder = Recorder.for_game(Fighter(), seed=5, local_players=(1,), metadata={"venue": "loft"})
    read = replay.loads(recorder.drain())
    assert read == replay.Replay(
        seed=5,
        frames=b"",
        game_id="retick.fighter",
        game_version=1,
        local_players=(1,),
        metadata={"venue": "loft"},
        truncated=True,
    )


def test_a_game_gives_its_shape() -> None:
    recorder = Recorder.for_game(Tally(5, 8), seed=1)
    recorder.add_frame((1, 2, 3, 4, 2**64 - 1))
    recorder.finish()
    read = replay.loads(recorder.drain())
    assert (read.num_players, read.input_size, read.game_id, read.game_version) == (5, 8, "test.tally", 3)


def test_mistakes_are_refused_and_leave_the_recording_as_it_was() -> None:
    recorder = Recorder(seed=1, local_players=(0,))
    recorder.add_frame((1, 2))
    recorder.add_arrival(4, 1, 0, 1)
    recorder.add_checksum(1, 77)
    wrong = [
        lambda: recorder.add_frame((1,)),
        lambda: recorder.add_frame((65536, 0)),
        lambda: recorder.add_packed(b"abc"),
        lambda: recorder.add_checksum(1, 77),
        lambda: recorder.add_checksum(2, 77),
        lambda: recorder.add_arrival(3, 1, 0, 1),
        lambda: recorder.add_arrival(5, 0, 0, 1),
        lambda: recorder.finish(-1),
        lambda: recorder.finish(78),
    ]
    for mistake in wrong:
        with pytest.raises(UsageError):
            mistake()
    recorder.add_frame((3, 4))
    with pytest.raises(UsageError):
        recorder.add_checksum(2, 2**32)
    recorder.finish(5)
    read = replay.loads(recorder.drain(), strict=True)
    assert read.frames == b"\1\0\2\0\3\0\4\0"
    assert read.checkpoints == {1: 77, 2: 5}
    assert len(read.arrivals) == 1


def test_a_finished_recording_takes_no_more() -> None:
    recorder = Recorder(seed=1)
    recorder.finish()
    for more in (
        lambda: recorder.add_frame((0, 0)),
        lambda: recorder.add_checksum(0, 0),
        lambda: recorder.add_arrival(0, 0, 0, 1),
        lambda: recorder.add_metadata("a", "b"),
        recorder.finish,
    ):
        with pytest.raises(UsageError):
            more()


def test_a_start_in_mid_match_needs_its_state_and_frames_do_not_run_past_their_numbers() -> None:
    with pytest.raises(UsageError):
        Recorder(seed=1, start_frame=3)
    with pytest.raises(UsageError):
        Recorder(seed=1, block_frames=0)
    late = Recorder(seed=1, start_frame=2**32 - 2, start_state=b"")
    late.add_frame((0, 0))
    with pytest.raises(UsageError):
        late.add_frame((0, 0))


def test_the_first_state_is_written_only_if_the_seed_does_not_give_it() -> None:
    game = Fighter()
    first = game.initial_state(3)
    later = game.step(first, (1, 2))

    def start_of(**options: Any) -> bytes | None:
        recorder = Recorder.for_game(game, seed=3, **options)
        recorder.finish()
        return replay.loads(recorder.drain()).start_state

    assert start_of() is None
    assert start_of(state=first) is None
    assert start_of(state=later) == game.pack_state(later)
    assert start_of(state=first, start_frame=9) == game.pack_state(first)


def test_a_mutable_world_stays_where_it_is_although_its_initial_state_is_asked_for() -> None:
    game = WorldSimulation(TallyWorld(2))
    state = game.step_unkept(game.initial_state(3), (1, 2))
    fields = game.fields(state)
    Recorder.for_game(game, seed=3, state=state)
    assert game.fields(state) == fields


def test_a_state_that_cannot_be_packed_is_taken_for_the_initial_one() -> None:
    class Unpackable:
        num_players = 2

        def initial_state(self, seed: int) -> int:
            return seed

    recorder = Recorder.for_game(Unpackable(), seed=3, state=5)  # type: ignore[arg-type] # it is never stepped
    recorder.finish()
    assert replay.loads(recorder.drain()).start_state is None
