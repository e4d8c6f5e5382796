"""Bots as controllers of a seat."""

from itertools import pairwise

from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES
from retick.playing.controllers import STYLE_NAMED, BotController, Restless, StyleName

GAME = Fighter()


def pressed(seed: int, style: StyleName) -> list[int]:
    bot, other = BotController(seed, 0, style), BotController(seed, 1, StyleName.COUNTER)
    state, found = GAME.initial_state(1), []
    for frame in range(300):
        row = (bot(state, frame / 60), other(state, frame / 60))
        found.append(row[0])
        state = GAME.step(state, row)
    return found


def test_every_style_of_the_game_can_be_named_on_the_command_line() -> None:
    assert {style.name for style in STYLES} == set(StyleName) == set(STYLE_NAMED)


def test_a_bot_depends_on_its_seed_and_style_alone() -> None:
    assert pressed(1, StyleName.RUSHER) == pressed(1, StyleName.RUSHER)
    assert pressed(1, StyleName.RUSHER) != pressed(1, StyleName.HOPPER)
    assert any(pressed(1, StyleName.RUSHER))


def test_who_has_no_plan_holds_any_buttons_and_others_after_a_while() -> None:
    restless = Restless(1)
    pressed = [restless.press(0, None) for _ in range(600)]
    assert all(0 <= buttons < 256 for buttons in pressed)
    assert 10 < sum(one != other for one, other in pairwise(pressed)) < 200
