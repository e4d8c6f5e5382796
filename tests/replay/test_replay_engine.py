"""Recording and re-enactment with the real rollback engine: the same rollbacks, the same states, the same end."""

import random
from pathlib import Path

import pytest

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Recorder, RecordingFile, Replay, load, rerun, verify
from retick.rollback import RollbackEngine

FRAMES = 600


def live_match(path: Path, seed: int) -> RollbackEngine:
    """One end of a match over a bad network: batches come late, twice, and in bursts; all of it is recorded."""
    network = random.Random(seed)
    game = Fighter()
    inputs = Replay(seed=seed, frames=bout(seed, FRAMES))
    engine = RollbackEngine(game, game.initial_state(seed), local_player=0, history=64)
    recorder = Recorder.for_game(game, seed=seed, local_players=(0,), block_frames=50)
    newest, recorded = -1, 0
    with RecordingFile(path, recorder) as file:
        for frame in range(FRAMES):
            sent = frame - network.randrange(3, 9) if frame < FRAMES - 1 else FRAMES - 1
            if sent > newest and (network.random() < 0.7 or sent - newest > 20 or frame == FRAMES - 1):
                first = max(0, newest - network.randrange(0, 4))
                engine.add_remote_inputs(1, first, [inputs.inputs_at(f)[1] for f in range(first, sent + 1)])
                recorder.add_arrival(frame, 1, first, sent + 1 - first)
                newest = sent
            engine.advance(inputs.inputs_at(frame)[0])
            while recorded <= engine.confirmed_frame:
                recorder.add_frame(inputs.inputs_at(recorded))
                recorded += 1
            file.write()
        file.finish(game.checksum(engine.state))
    return engine


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_live_match_is_recorded_as_it_goes_and_runs_again_with_its_very_rollbacks(tmp_path: Path, seed: int) -> None:
    live = live_match(tmp_path / "live.rtk", seed)
    assert live.stats.rollbacks > 20
    match = load(tmp_path / "live.rtk", strict=True)
    assert len(match) == FRAMES
    assert verify(match, Fighter()).ok

    again = RollbackEngine(Fighter(), Fighter().initial_state(match.seed), local_player=0, history=64)
    rerun(match, again)
    assert again.stats == live.stats
    assert again.state == live.state
    assert again.confirmed_frame == live.confirmed_frame == FRAMES - 1
