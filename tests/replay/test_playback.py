"""What the keys of a playback do: pause, steps, jumps and speed."""

import pytest

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Playback, Replay, ReplayPlayer
from retick.replay import player as playback_module

MATCH = Replay(seed=4, frames=bout(4, 2000))


def playback() -> Playback:
    return Playback(ReplayPlayer(MATCH, Fighter()))


@pytest.mark.parametrize(
    ("keys", "frame"),
    [
        (["5"], 1000),
        (["0"], 0),
        (["9"], 1800),
        (["end"], 2000),
        (["end", "right"], 2000),
        (["5", "home"], 0),
        (["left"], 0),
        (["5", "right", "right", "left", ".", ","], 1001),
        (["page down", "page down", "page up"], 600),
        (["5", "up", "down", "down"], 940),
        (["x", "²", "\t"], 0),
    ],
)
def test_keys_lead_to_frames(keys: list[str], frame: int) -> None:
    shown = playback()
    for key in keys:
        shown.press(key)
    assert shown.player.frame == frame
    straight = Fighter()
    assert shown.player.state == straight.run(straight.initial_state(4), MATCH.packed(0, frame))


def test_pause_holds_time_and_a_single_step_pauses() -> None:
    shown = playback()
    shown.advance(7)
    shown.press(" ")
    shown.advance(100)
    assert shown.player.frame == 7
    shown.press(" ")
    shown.press("right")
    shown.advance(100)
    assert (shown.player.frame, shown.paused) == (8, True)


def test_it_pauses_at_the_end_and_speed_stays_within_bounds() -> None:
    shown = playback()
    shown.advance(5000)
    assert (shown.player.frame, shown.paused) == (2000, True)
    for _ in range(10):
        shown.press("+")
    assert shown.speed == playback_module.FASTEST
    for _ in range(20):
        shown.press("-")
    assert shown.speed == playback_module.SLOWEST
    assert not shown.quit
    shown.press("q")
    assert shown.quit


def test_time_passes_at_the_speed_that_was_chosen() -> None:
    shown = playback()
    shown.press("-")
    for _ in range(9):
        shown.tick()
    assert shown.player.frame == 4
    shown.press("+")
    shown.press("+")
    shown.tick(10.5)
    assert shown.player.frame == 4 + 21
    shown.press(" ")
    shown.tick(100)
    assert shown.player.frame == 25
