"""What the dynamic checks compare of each state."""

from retick.testing.determinism import Observation, observe
from tests.toys import Tally


def test_an_observation_names_the_fields_that_differ() -> None:
    one, other = Observation(1, (("x", "1"), ("y", "2"))), Observation(1, (("x", "1"), ("z", "2")))
    assert one.differences(one) == ()
    assert one.differences(other) == (("y", "2", "absent"), ("z", "absent", "2"))
    assert one.digest != other.digest


def test_an_observation_has_the_games_checksum_and_all_its_fields() -> None:
    game = Tally(2)
    state = game.step(game.initial_state(1), (3, 4))
    seen = observe(game, state)
    assert seen.checksum == game.checksum(state)
    assert [name for name, _ in seen.fields] == [name for name, _ in game.fields(state)]
