"""A live match runs again with the same rollbacks: with a small engine that logs them, and with the real one."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Arrival, Recorder, RecordingFile, Replay, load, loads, rerun, turns, verify
from retick.rollback import RollbackEngine
from tests.effort import examples
from tests.replay.recordings import Tally


class LoggingEngine:
    """Repeat-last prediction and one rollback a batch, written for this test alone; every rollback is logged."""

    def __init__(self, game: Tally, seed: int, local: tuple[int, ...]) -> None:
        self.game = game
        self.local = local
        self.states = [game.initial_state(seed)]
        self.known: list[dict[int, int]] = [{} for _ in range(game.num_players)]
        self.used: list[tuple[int, ...]] = []
        self.log: list[tuple[int, int]] = []

    @property
    def frame(self) -> int:
        return len(self.used)

    def advance(self, inputs: Any) -> None:
        for seat, value in zip(self.local, (inputs,) if len(self.local) == 1 else inputs, strict=True):
            self.known[seat][self.frame] = value
        self._step()

    def add_remote_inputs(self, player: int, start_frame: int, inputs: list[int]) -> None:
        self.known[player].update(enumerate(inputs, start_frame))
        wrong = [f for f in range(self.frame) if self._row(f) != self.used[f]]
        if wrong:
            now = self.frame
            self.log.append((now, wrong[0]))
            del self.used[wrong[0] :], self.states[wrong[0] + 1 :]
            while self.frame < now:
                self._step()

    def _row(self, frame: int) -> tuple[int, ...]:
        return tuple(self._guess(known, frame) for known in self.known)

    def _guess(self, known: dict[int, int], frame: int) -> int:
        before = [f for f in known if f <= frame]
        return known[max(before)] if before else 0

    def _step(self) -> None:
        row = self._row(self.frame)
        self.states.append(self.game.step(self.states[-1], row))
        self.used.append(row)


@given(st.data(), st.integers(2, 4), st.sampled_from([(0,), (1,), (0, 1)]))
@settings(deadline=None, max_examples=examples(60))
def test_the_rollbacks_of_a_live_match_happen_again(data: st.DataObject, players: int, local: tuple[int, ...]) -> None:
    if len(local) == players:
        players += 1
    count = 30
    remote = [p for p in range(players) if p not in local]
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * players), min_size=count, max_size=count))
    live = LoggingEngine(Tally(players), 5, local)
    recorder = Recorder.for_game(live.game, seed=5, local_players=local, block_frames=7)
    given_up_to = dict.fromkeys(remote, 0)
    for frame in range(count + 1):
        for player in remote:
            ready = min(count, frame + 2) if frame < count else count
            end = data.draw(st.integers(given_up_to[player], ready)) if frame < count else count
            if end > given_up_to[player]:
                first = max(0, given_up_to[player] - data.draw(st.integers(0, 2)))
                live.add_remote_inputs(player, first, [rows[f][player] for f in range(first, end)])
                recorder.add_arrival(frame, player, first, end - first)
                given_up_to[player] = end
        if frame < count:
            mine = tuple(rows[frame][seat] for seat in local)
            live.advance(mine[0] if len(mine) == 1 else mine)
    for row in rows:
        recorder.add_frame(row)
    recorder.finish(live.game.checksum(live.states[-1]))

    again = LoggingEngine(Tally(players), 5, local)
    rerun(loads(recorder.drain(), strict=True), again)
    assert again.log == live.log
    assert again.states == live.states


def test_a_rerun_really_rolls_back() -> None:
    rows = [(f, f // 3) for f in range(20)]
    arrivals = tuple(Arrival(f, 1, max(0, f - 6), min(f, 6)) for f in range(5, 20))
    engine = LoggingEngine(Tally(), 1, (0,))
    rerun(Replay(seed=1, frames=rows, local_players=(0,), arrivals=arrivals), engine)
    assert len(engine.log) >= 4


def test_turns_show_what_was_known_when() -> None:
    match = Replay(
        seed=1,
        frames=[(1, 10), (2, 20), (3, 30)],
        local_players=(0,),
        arrivals=(Arrival(1, 1, 0, 2), Arrival(1, 1, 1, 9), Arrival(7, 1, 2, 1), Arrival(8, 1, 50, 2)),
    )
    first, second, third, rest = turns(match)
    assert first == (0, [], (1,))
    assert second == (1, [(1, 0, [10, 20]), (1, 1, [20, 30])], (2,))
    assert third == (2, [], (3,))
    assert rest == (3, [(1, 2, [30])], None)


def test_a_recording_that_names_no_local_seat_cannot_be_rerun() -> None:
    with pytest.raises(UsageError):
        next(turns(Replay(seed=1, frames=[(0, 0)])))


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
def test_a_live_match_is_recorded_as_it_goes_and_runs_again_with_the_same_rollbacks(tmp_path: Path, seed: int) -> None:
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
