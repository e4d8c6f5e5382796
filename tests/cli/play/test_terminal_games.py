"""The games as a terminal plays them."""

import pytest

from retick.cli.play.terminal_games import TerminalFighter, TerminalScramble, terminal_game_for
from retick.errors import UsageError
from retick.games.scramble import Scramble
from retick.games.scramble.bots import scramble


def test_the_number_of_players_chooses_the_game() -> None:
    assert isinstance(terminal_game_for(2), TerminalFighter)
    assert terminal_game_for(5).game.num_players == 5
    for players in (0, 1, 9):
        with pytest.raises(UsageError, match="--players must be 2"):
            terminal_game_for(players)


def test_a_scramble_is_over_a_moment_after_somebody_has_enough() -> None:
    shown_game = TerminalScramble(3)
    confirmed = shown_game.confirmed(5)
    states = scramble(5, 3, Scramble(3))
    while not confirmed.over:
        confirmed.add([next(states)[0]])
    assert confirmed.decided is not None
    assert max(body.score for body in confirmed.decided.bodies) >= 30
    assert "points" in shown_game.outcome(confirmed, ["a", "b", "c"])
