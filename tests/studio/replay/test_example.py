"""The example is a real recording, and its second take differs where it says."""

from retick.games.fighter import Fighter
from retick.replay import compare, loads, verify
from retick.studio.replay.room import MISSING, example


def test_both_takes_verify_and_differ_by_the_presses_that_are_missing() -> None:
    first, second = loads(example(0)), loads(example(1))
    for take in (first, second):
        verdict = verify(take, Fighter())
        assert verdict.ok
        assert verdict.compared > 5
    found = compare(first, second, Fighter())
    assert found.first_frame in MISSING
    assert found.state
