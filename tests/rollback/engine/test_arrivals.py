"""Runs of inputs as packets have them do what a batch of Python numbers does: seen through an exchange."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import HistoryEvicted, InputConflict, RetickError
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.wire import rbn1
from tests.toys import Tally


def told(engine: RollbackEngine) -> list[Any]:
    """All that can be asked of an engine."""
    first = max(engine.frame - 8, 0)
    rows = [engine.inputs_at(frame) for frame in range(first, engine.frame)]
    return [engine.frame, engine.state, engine.confirmed_frame, engine.stats, engine.first_missing(1), rows]


@given(st.integers(0, 1 << 32))
def test_a_run_from_a_packet_does_what_a_batch_of_numbers_does(seed: int) -> None:
    dice = Random(seed)
    config = MatchConfig(input_delay=0, history=16, prediction_window=16, checksum_interval=0)
    match = Match(Tally(), seed=1, local_players=(0,), config=config)
    exchange = match.add_peer(MatchPeer("there", (1,)), extensions=rbn1.ALL_EXTENSIONS, numbered=False)
    sim = Tally()
    other = RollbackEngine(
        sim, sim.initial_state(1), local_players=(0,), history=16, prediction_window=16, inputs_remembered=4096
    )
    for _ in range(60):
        if dice.randrange(3) and match.engine.can_advance():
            pressed = dice.randrange(4)
            match.advance(pressed, 0.0)
            other.advance((pressed,))
            continue
        start = max(match.engine.first_missing(1) + dice.randint(-6, 3), 0)
        inputs = tuple(dice.randrange(2) if dice.randrange(20) else 9 for _ in range(dice.randint(1, 6)))
        # Of a packet that reaches beyond history an exchange takes the rest, and a batch is refused.
        inputs = inputs[: max(match.engine.frame + match.engine.history + 1 - start, 0)] or inputs
        data = rbn1.encode(rbn1.InputPacket(start, 0, inputs), dice.choice((0, rbn1.PACKED_INPUTS)))
        try:
            other.add_remote_inputs(1, start, inputs)
            refused = None
        except RetickError as error:
            refused = type(error).__name__
        assert match.receive(exchange, data, 0.0) == (refused is None)
        assert told(match.engine) == told(other)


def test_a_batch_is_refused_whole_with_the_frame_that_is_to_blame() -> None:
    sim = Tally()
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=4)
    engine.add_remote_inputs(1, 0, [1, 2])
    with pytest.raises(InputConflict, match="sent 3 for frame 1, which was confirmed as 2"):
        engine.add_remote_inputs(1, 1, [3, 4])
    for _ in range(9):
        engine.advance(0)
    with pytest.raises(HistoryEvicted, match="pressed 7 and not 2"):
        engine.add_remote_inputs(1, 2, [7])
    assert engine.first_missing(1) == 2
