"""Scramble as a simulation: players, states, cues."""

from itertools import islice
from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.scramble import Scramble
from retick.games.scramble.bots import scramble
from retick.rollback.engine.cues import CueConfirmed, CueTracker
from retick.rollback.engine.engine import RollbackEngine


def test_an_engine_confirms_each_cue_of_the_straight_run_once() -> None:
    game = Scramble(2)
    engine = RollbackEngine(game, game.initial_state(1), local_player=0, history=32)
    tracker = CueTracker(engine)
    rows = [row for row, _ in islice(scramble(1, 2), 300)]
    confirmed = []
    for frame, row in enumerate(rows):
        engine.advance(row[0])
        if frame % 5 == 4:
            engine.add_remote_inputs(1, frame - 4, [each[1] for each in rows[frame - 4 : frame + 1]])
        confirmed += [event.cue for event in tracker.update() if isinstance(event, CueConfirmed)]
    straight = []
    before = game.initial_state(1)
    for row in rows:
        after = game.step(before, row)
        straight += list(game.cues(before, after))
        before = after
    assert len(straight) > 10
    assert sorted(confirmed) == sorted(straight)
    assert engine.stats.rollbacks > 10


@pytest.mark.parametrize("players", [0, 1, 9, "4", 2.0])
def test_other_numbers_of_players_are_refused(players: Any) -> None:
    with pytest.raises(UsageError, match="scramble is for 2 to 8 players"):
        Scramble(players)


def test_states_of_one_size_are_one_class_and_of_others_are_refused() -> None:
    assert type(Scramble(4).initial_state(1)) is type(Scramble(4).initial_state(2))
    with pytest.raises(UsageError, match="ScrambleState4, not a ScrambleState"):
        Scramble(4).step(Scramble(2).initial_state(1), (0, 0, 0, 0))
