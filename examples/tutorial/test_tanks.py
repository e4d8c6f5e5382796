"""Tests of the tank game, as they would stand in your own project: ``python -m pytest test_tanks.py``."""

from tanks import Tanks

from retick.testing.mesh import Mesh
from retick.transport import Conditions

RIGHT, FORWARD, FIRE = 2, 4, 8  # buttons are bits, in the order of the keys


def test_the_game_does_the_same_twice(assert_deterministic):
    assert_deterministic(Tanks)


def bot(player, state):
    """Both drive in circles and fire. Bots may look at the state, but must not change it."""
    return FORWARD | RIGHT | FIRE


def test_a_match_stays_in_sync_over_a_bad_link():
    match = Mesh(Tanks, conditions=Conditions(latency=0.06, jitter=0.01, loss=0.05), press=bot)
    match.start()
    match.play(600)
    match.verify()


def test_a_match_survives_two_seconds_without_a_connection(two_peers):
    match = two_peers(Tanks, press=bot)
    match.cut("peer0", "peer1", seconds=2)
    match.play(600)
    match.verify()
