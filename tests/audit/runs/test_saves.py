"""Saving and loading at every frame: which comparison each cheat fails."""

from typing import Any

import pytest

from retick.audit.runs.saves import first_broken_save, load, save
from tests.audit import cheating_games
from tests.toys import Tally


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("UnsavedAttribute", "again"),
        ("RemembersTheStart", "a new one"),
        ("LossySave", "after loading"),
        ("ChangesItsState", "given to step"),
    ],
)
def test_each_cheat_fails_its_comparison(game: str, words: str) -> None:
    broken = first_broken_save(getattr(cheating_games, game), seed=1, frames=20)
    assert broken is not None
    assert words in broken.what
    assert broken.first != broken.second


def test_an_honest_game_fails_none_and_every_frame_is_announced() -> None:
    frames: list[int] = []
    assert first_broken_save(cheating_games.Honest, seed=1, frames=20, on_frame=frames.append) is None
    assert frames == list(range(20))


class Unpicklable:
    def __init__(self) -> None:
        self.value = 3

    def __reduce__(self) -> Any:
        raise TypeError("not by pickle")

    def __deepcopy__(self, memo: Any) -> "Unpicklable":
        return Unpicklable()


def test_a_state_is_saved_by_the_game_else_by_pickle_else_by_a_copy() -> None:
    tally = Tally(2)
    state = tally.initial_state(1)
    forms = [(tally, state, "packed"), (object(), [1, {2}], "pickled"), (object(), Unpicklable(), "copied")]
    for game, value, form in forms:
        saved = save(game, value)
        assert saved.form == form
        back = load(game, saved)
        assert back == value or back.value == value.value
        assert back is not value
