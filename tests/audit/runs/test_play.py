"""The match of the dynamic checks: inputs from a seed, and states as text that is equal where values are."""

from retick.audit.runs.play import Observation, as_text, inputs_for, observe
from tests.toys import Tally


def test_inputs_come_from_the_seed_alone_and_change() -> None:
    class Game:
        num_players = 3
        input_size = 8

    one, same, other = (list(inputs_for(Game, seed=seed, frames=200, mask=None)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(set(one)) > 50
    assert any(value >> 40 for row in one for value in row)


def test_text_of_values_is_the_same_in_every_process() -> None:
    class Thing:
        def __init__(self) -> None:
            self.b, self.a = {"y", "x"}, (1, [2.5])

    assert as_text({"b", "a"}) == "set('a', 'b')"
    assert as_text({"k": {3, 1}}) == "{'k': set(1, 3)}"
    assert as_text(Thing()) == "Thing(a=tuple(1, list(2.5)), b=set('x', 'y'))"


def test_an_observation_names_the_fields_that_differ() -> None:
    one, other = Observation(1, (("x", "1"), ("y", "2"))), Observation(1, (("x", "1"), ("z", "2")))
    assert one.differences(one) == []
    assert one.differences(other) == [("y", "2", "absent"), ("z", "absent", "2")]
    assert one.digest != other.digest


def test_an_observation_has_the_games_checksum_and_all_its_fields() -> None:
    game = Tally(2)
    state = game.step(game.initial_state(1), (3, 4))
    seen = observe(game, state)
    assert seen.checksum == game.checksum(state)
    assert [name for name, _ in seen.fields] == [name for name, _ in game.fields(state)]
