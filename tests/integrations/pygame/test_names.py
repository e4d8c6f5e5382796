"""How players are called."""

from retick.integrations.pygame.names import names_of


def test_players_are_called_by_their_seats_and_this_one_you() -> None:
    assert names_of((0, 2), me=(2,)) == "player 1 and you"
    assert names_of(()) == "somebody"
