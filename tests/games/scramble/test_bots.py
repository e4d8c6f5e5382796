"""Scramble's bots play, repeat themselves, and need a seed and a seat."""

from itertools import islice

import pytest

from retick.errors import UsageError
from retick.games.scramble import Scramble, ScrambleButton
from retick.games.scramble.bots import ScrambleBot, scramble

LEFT, RIGHT, UP, DOWN, DASH = (int(button) for button in ScrambleButton)

SEATS = [2, 3, 4, 8]


@pytest.mark.parametrize("players", SEATS)
def test_bots_really_play(players: int) -> None:
    for seed in (1, 2, 0xFFFFFFFF):
        game = Scramble(players)
        cues: dict[str, int] = {}
        before = game.initial_state(seed)
        pressed = 0
        for row, state in islice(scramble(seed, players), 1200):
            for kind, *_ in game.cues(before, state):
                cues[kind] = cues.get(kind, 0) + 1
            before = state
            for buttons in row:
                pressed |= buttons
        assert cues["coin"] >= 10
        assert cues["shoved"] >= 5
        assert cues["dash"] >= 5
        assert pressed == LEFT | RIGHT | UP | DOWN | DASH
        assert sum(each.score > 0 for each in before.bodies) >= 2


def test_bots_think_the_same_again_and_apart_from_each_other() -> None:
    first = [row for row, _ in islice(scramble(9, 4), 300)]
    assert first == [row for row, _ in islice(scramble(9, 4), 300)]
    assert first != [row for row, _ in islice(scramble(10, 4), 300)]
    bot = ScrambleBot.seeded(3, 1)
    state = Scramble(4).initial_state(3)
    assert bot.decide(state) == bot.decide(state)


@pytest.mark.parametrize(("seed", "player"), [(0, 0), (1, 8), (1, -1)])
def test_a_bot_without_a_seed_or_a_seat_is_refused(seed: int, player: int) -> None:
    with pytest.raises(UsageError):
        ScrambleBot.seeded(seed, player)
