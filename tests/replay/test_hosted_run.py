"""A recording of a server gives the states of the server, wherever it is run from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.replay import Hosting, Recorder, Replay, ReplayPlayer, loads, verify
from retick.sim.world.hosting import HostedWorld
from tests.sim.world.test_hosted import Path

steps = st.tuples(st.integers(0, 5), st.integers(0, 255), st.lists(st.integers(1, 9), min_size=3, max_size=3))


def recorded(stream: list[tuple[int, int, list[int]]], start: int = 0) -> tuple[Replay, list[bytes]]:
    """The recording of a run, and its states; with a ``start``, one that begins in the middle."""
    run = HostedWorld(Path(), most_past=9)
    run.begin(7)
    recorder = Recorder.for_game(run.world, seed=7, hosted=True)
    states = [run.saved]
    there: set[int] = set()
    behind = [1, 1, 1]
    for number, (what, pressed, seen) in enumerate(stream):
        if number == start and start:
            run.resume(run.saved, start)
            recorder = Recorder.for_game(run.world, seed=7, start_frame=start, start_state=run.saved, hosted=True)
            states = [run.saved]
            for player in range(3):
                recorder.add_view(player, behind[player])
        player = what % 3
        if what < 3 and player not in there:
            there.add(player)
            recorder.add_seat(player, True)
            run.join(player)
        elif what >= 3 and player in there:
            there.discard(player)
            recorder.add_seat(player, False)
            run.leave(player)
        for each in range(3):
            if seen[each] != behind[each]:
                recorder.add_view(each, seen[each])
        behind = seen
        recorder.add_checksum(recorder.frame, run.world.checksum()) if not recorder.frame % 3 and not player else None
        run.advance([pressed, 1, what], behind)
        recorder.add_frame([pressed, 1, what])
        states.append(run.saved)
    recorder.finish(run.world.checksum())
    return loads(recorder.drain()), states


@settings(max_examples=40)
@given(st.lists(steps, min_size=1, max_size=30), st.data())
def test_a_replay_of_a_server_has_its_states_wherever_one_jumps(
    stream: list[tuple[int, int, list[int]]], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(stream) - 1))
    # Checks are of states before joins; with them left out, only the last one is compared.
    replay, states = recorded(stream, start)
    replay = replay.replace(checkpoints={replay.end_frame: replay.final_checksum})
    assert verify(replay, Path()).ok
    player = ReplayPlayer(replay, Path(), spacing=2, max_checkpoints=4)
    for frame in data.draw(st.lists(st.integers(replay.start_frame, replay.end_frame), max_size=8)):
        assert player.seek(frame).saved == states[frame - replay.start_frame]


def test_another_recording_of_views_gives_other_states() -> None:
    replay, _ = recorded([(0, 1, [3, 1, 1])] * 8)
    assert verify(replay.replace(checkpoints={8: replay.final_checksum}), Path()).ok
    assert replay.hosting is not None
    blind = replay.replace(hosting=Hosting(replay.hosting.seats), checkpoints={8: replay.final_checksum})
    assert not verify(blind, Path()).ok


def test_only_a_declared_world_plays_it() -> None:
    with pytest.raises(UsageError, match="declared world"):
        verify(Replay(seed=1, frames=bytes(4), hosting=Hosting()), Fighter())


def test_an_error_of_the_game_names_its_frame() -> None:
    replay, _ = recorded([(0, 1, [1, 1, 1])] * 3)
    assert replay.hosting is not None
    twice = replay.replace(hosting=Hosting((*replay.hosting.seats, *replay.hosting.seats * 3)))
    with pytest.raises(UsageError) as caught:
        verify(twice, Path())
    assert any("frame 0" in note for note in caught.value.__notes__)
