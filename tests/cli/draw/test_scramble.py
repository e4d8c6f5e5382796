"""Scramble as a picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


NUMBERS = st.sampled_from([-(2**31), -1, 0, 1, 2**31 - 1]) | st.integers(-(2**31), 2**31 - 1)


@given(st.data(), st.integers(1, 150), st.integers(1, 60))
def test_any_state_that_can_be_unpacked_is_a_picture_of_the_size_of_the_screen(
    data: st.DataObject, columns: int, rows: int
) -> None:
    shown_game = TerminalScramble(3)
    start = shown_game.game.initial_state(1)
    bodies = tuple(
        body.replace(**{name: data.draw(NUMBERS) for name in ("x", "y", "stun", "dash", "score")})
        for body in start.bodies
    )
    state = start.replace(bodies=bodies, coin_x=data.draw(NUMBERS), coin_y=data.draw(NUMBERS))
    state = shown_game.game.unpack_state(shown_game.game.pack_state(state))
    picture = shown_game.picture(state, None, names=["a", "b", "c"], confirmed=None, title="", footer="")
    lines = drawn(picture, columns, rows)
    assert sum(map(len, lines)) <= 2 * max(columns, 40) * max(rows + 4, 12)
