"""A game that goes wrong on purpose."""

import pytest

from retick.games.fighter import Fighter
from retick.sim.contract import NamesItself, RunsInBulk
from tests.checkers.arenas import Tampered, arena_for
from tests.toys import Tally


def test_it_is_the_game_but_for_the_steps_that_are_changed() -> None:
    game = Tampered(Tally(2), when=lambda state: state.frame == 3, change=lambda state: state._replace(mixed=77))
    honest, wrong = Tally(2).initial_state(1), game.initial_state(1)
    for frame in range(6):
        honest, wrong = Tally(2).step(honest, (1, 2)), game.step(wrong, (1, 2))
        assert (honest == wrong) == (frame < 3)
    assert game.changes == 1
    assert game.checksum(honest) == Tally(2).checksum(honest)


def test_it_has_the_games_name_and_no_loop_that_would_pass_the_changes_by() -> None:
    game = Tampered(Fighter(), when=lambda state: False, change=lambda state: state)
    assert isinstance(game, NamesItself)
    assert not isinstance(game, RunsInBulk)
    with pytest.raises(AttributeError, match="stepped frame by frame"):
        _ = game.run


@pytest.mark.parametrize("players", [2, 3, 8])
def test_an_arenas_tampered_game_differs_from_its_frame_on_in_the_planted_field(players: int) -> None:
    arena = arena_for(players)
    honest, wrong = arena.game(), arena.tampered(10)
    one = two = honest.initial_state(1)
    for _ in range(11):
        assert one == two
        one, two = honest.step(one, (0,) * players), wrong.step(two, (0,) * players)
    fields = dict(honest.fields(one))
    assert [name for name, value in honest.fields(two) if fields[name] != value] == [arena.tampered_field or "rng"]
    for _ in range(60):
        one, two = honest.step(one, (0,) * players), wrong.step(two, (0,) * players)
        assert honest.checksum(one) != honest.checksum(two)
