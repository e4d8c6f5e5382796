"""What a terminal's key presses become, frame by frame."""

from retick.cli.play.keys import KeyboardButtons
from retick.cli.play.terminal_games import TerminalFighter, TerminalScramble
from retick.games.fighter import Button, Fighter
from retick.games.scramble import ScrambleButton

STATE = Fighter().initial_state(1)
FRAME = 1 / 60


def frames(keys: KeyboardButtons, start: float, count: int) -> list[int]:
    return [keys(STATE, start + number * FRAME) for number in range(count)]


def test_nothing_is_pressed_before_a_key_is() -> None:
    assert frames(TerminalFighter().keys(), 0.0, 3) == [0, 0, 0]


def test_a_tap_of_a_direction_is_a_step_of_a_few_frames() -> None:
    keys = TerminalFighter().keys()
    keys.press("d", 1.0)
    pressed = frames(keys, 1.0, 30)
    assert 4 <= pressed.count(Button.RIGHT) <= 8
    assert pressed == sorted(pressed, reverse=True)


def test_a_key_that_repeats_runs_without_a_gap_and_stops_soon_after_the_last() -> None:
    keys = TerminalFighter().keys()
    pressed = []
    keys.press("left", 0.0)
    for number in range(120):
        now = number * FRAME
        if 0.5 <= now < 1.5 and number % 2 == 0:
            keys.press("left", now)
        pressed.append(keys(STATE, now))
    assert set(pressed[30:96]) == {Button.LEFT}
    assert set(pressed[100:]) == {0}


def test_the_other_direction_and_the_stop_key_act_at_once() -> None:
    keys = TerminalFighter().keys()
    keys.press("a", 0.0)
    assert keys(STATE, 0.0) == Button.LEFT
    keys.press("D", 0.01)
    assert keys(STATE, 0.01) == Button.RIGHT
    keys.press("s", 0.02)
    assert keys(STATE, 0.02) == 0


def test_a_strike_lasts_one_frame_and_waits_for_a_frame_to_see_it() -> None:
    keys = TerminalFighter().keys()
    keys.press("j", 0.0)
    keys.press("w", 0.0)
    assert frames(keys, 5.0, 3) == [Button.ATTACK | Button.JUMP, 0, 0]


def test_a_step_that_fell_between_two_frames_is_still_seen() -> None:
    keys = TerminalFighter().keys()
    keys.press("d", 0.0)
    assert frames(keys, 9.0, 2) == [Button.RIGHT, 0]


def test_keys_without_a_meaning_do_nothing() -> None:
    keys = TerminalFighter().keys()
    keys.press("page up", 0.0)
    keys.press("x", 0.0)
    assert frames(keys, 0.0, 2) == [0, 0]


def test_two_axes_are_held_apart() -> None:
    keys = TerminalScramble(4).keys()
    keys.press("w", 0.0)
    keys.press("d", 0.0)
    assert keys(None, 0.0) == ScrambleButton.UP | ScrambleButton.RIGHT
    keys.press("s", 0.01)
    assert keys(None, 0.01) == ScrambleButton.DOWN | ScrambleButton.RIGHT
    keys.press("x", 0.02)
    keys.press(" ", 0.02)
    assert [keys(None, 0.02), keys(None, 0.03)] == [ScrambleButton.DASH, 0]
