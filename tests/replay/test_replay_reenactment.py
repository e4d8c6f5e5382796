"""A live match runs again with its very rollbacks: shown with a small engine that logs each of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.replay import Arrival, Recorder, Replay, loads, rerun, turns
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
@settings(deadline=None, max_examples=60)
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
    rerun(loads(recorder.take(), strict=True), again)
    assert again.log == live.log
    assert again.states == live.states


def test_the_reenactment_really_rolls_back() -> None:
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


def test_a_recording_that_names_no_seat_cannot_be_reenacted() -> None:
    with pytest.raises(UsageError):
        next(turns(Replay(seed=1, frames=[(0, 0)])))
