"""The confirmed part of a match: when it is over, and what is counted."""

from retick import replay
from retick.games.fighter.bots import bout
from retick.playing.confirmed_match import FRAMES_AFTER_DECISION, ConfirmedFight, outcome


def test_a_fight_is_over_a_moment_after_a_knock_out_and_hits_are_counted() -> None:
    confirmed = ConfirmedFight(1, longest=6000)
    frames = replay.Replay(seed=1, frames=bout(1, 6000))
    confirmed.add(frames.inputs_at(frame) for frame in range(6000))
    assert confirmed.over
    assert confirmed.decided is not None
    assert confirmed.state.frame == confirmed.decided.frame + FRAMES_AFTER_DECISION
    assert max(confirmed.hits) >= 4
    assert "wins by knock-out" in outcome(confirmed, ("left", "right"))


def test_a_match_of_so_many_frames_ignores_the_rest() -> None:
    confirmed = ConfirmedFight(1, frames=10)
    confirmed.add([(0, 0)] * 50)
    assert confirmed.state.frame == 10
    assert outcome(confirmed, ("left", "right")) == "a draw"
