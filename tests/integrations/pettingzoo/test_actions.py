"""Actions stand for inputs of the game, and what is no action is refused by name."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from gymnasium import spaces

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.integrations.pettingzoo.environment import Actions


class Wide:
    """A game as far as its actions are concerned."""

    input_size = 8


def test_each_kind_has_its_space_and_inputs() -> None:
    assert Actions(Fighter(), "buttons", None).space() == spaces.MultiBinary(16)
    assert Actions(Fighter(), "discrete", 4).space() == spaces.Discrete(16)
    chosen = Actions(Fighter(), [0, 8, 0x8001], None)
    assert chosen.space() == spaces.Discrete(3)
    assert [chosen.input_of("a", np.int64(index)) for index in range(3)] == [0, 8, 0x8001]
    assert Actions(Wide(), "buttons", None).input_of("a", [1] * 64) == 2**64 - 1
    assert Actions(Fighter(), "discrete", 4).input_of("a", 11) == 11


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Actions(Fighter(), "buttons", 17), "bits must be from 1 to 16"),
        (lambda: Actions(Wide(), "discrete", None), "discrete actions have at most 16 bits, not 64: give bits=..."),
        (lambda: Actions(Fighter(), "keys", None), "actions must be 'buttons', 'discrete' or inputs"),  # type: ignore[arg-type]  # a wrong word
        (lambda: Actions(Fighter(), [], None), "from 0 to 65535, at least one"),
        (lambda: Actions(Fighter(), [65536], None), "from 0 to 65535"),
        (
            lambda: Actions(Fighter(), "discrete", 4).input_of("player_1", 16),
            "the action of player_1 must be from 0 to",
        ),
        (lambda: Actions(Fighter(), "discrete", 4).input_of("player_1", None), "not None"),
        (lambda: Actions(Fighter(), "buttons", 4).input_of("player_0", [0, 1]), "must be 4 times 0 or 1"),
        (lambda: Actions(Fighter(), "buttons", 2).input_of("player_0", [0, 2]), "must be 2 times 0 or 1"),
    ],
)
def test_misuse_names_the_value_and_the_rule(make: Any, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)
