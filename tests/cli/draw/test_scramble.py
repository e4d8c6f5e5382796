"""Scramble as a picture."""

import pytest

from retick.cli.play.terminal_games import TerminalScramble
from retick.games.scramble.bots import scramble
from tests.cli.draw.pictures import drawn


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (60, 12)])
def test_scramble_shows_everyone_the_coin_and_the_scores(columns: int, rows: int) -> None:
    shown_game = TerminalScramble(4)
    states = scramble(3, 4)
    for _ in range(400):
        _, state = next(states)
    names = ["you", "player 2", "player 3", "player 4"]
    picture = shown_game.picture(state, None, names=names, confirmed=None, title="here", footer="there")
    lines = drawn(picture, columns, rows)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= columns
    assert all(f"{seat}" in text for seat in range(1, 5))
    assert "$" in text or any(abs(body.x - state.coin_x) < 1500 for body in state.bodies)
    assert f"player 2     {state.bodies[1].score:4}" in text
