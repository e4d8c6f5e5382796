"""The rules about arrivals, which the value, the recorder and the reader of files share."""

import pytest

from retick.replay import Arrival, Replay
from retick.replay.replay import MAX_BATCH, MAX_FRAME, arrival_problem

SEATING = Replay(seed=1, frames=b"", num_players=3, start_frame=10, start_state=b"", local_players=(0,))


def test_a_good_arrival_has_no_problem() -> None:
    for good in (Arrival(10, 1, 10, 1), Arrival(MAX_FRAME, 2, 10, MAX_BATCH), Arrival(20, 2, MAX_FRAME, 1)):
        assert arrival_problem(good, SEATING, 10) is None


@pytest.mark.parametrize(
    ("arrival", "words"),
    [
        (Arrival(10.0, 1, 10, 1), "four integers"),  # type: ignore[arg-type]  # an untyped caller
        (Arrival(9, 1, 10, 1), "in order of their local frame"),
        (Arrival(MAX_FRAME + 1, 1, 10, 1), "in order of their local frame"),
        (Arrival(10, 0, 10, 1), "remote seat"),
        (Arrival(10, 3, 10, 1), "remote seat"),
        (Arrival(10, 1, 9, 1), "start at frame 10"),
        (Arrival(10, 1, 10, 0), "1 to 65535"),
        (Arrival(10, 1, 10, MAX_BATCH + 1), "1 to 65535"),
        (Arrival(10, 1, MAX_FRAME, 2), "none beyond"),
    ],
)
def test_each_broken_rule_is_named(arrival: Arrival, words: str) -> None:
    assert words in (arrival_problem(arrival, SEATING, 10) or "")
