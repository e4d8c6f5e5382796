"""The Protocols that a game is used through: both profiles of this repository have them."""

from typing import Any

import pytest

from retick.netrunner import NetRunner, profile
from tests.netrunner.declared_games import PROFILE


@pytest.mark.parametrize("game", [NetRunner(), PROFILE], ids=["runner", "declared"])
@pytest.mark.parametrize(
    ("protocol", "part"),
    [
        (profile.GameProfile, lambda game: game),
        (profile.Motor, lambda game: game.motor),
        (profile.Numbers, lambda game: game.config),
        (profile.RowLayout, lambda game: game.layout),
        (profile.Builder, lambda game: game.builder()),
        (profile.ProfileWelcome, lambda game: game.welcome(peer_id=2, delay_ticks=3, server_tick=9)),
    ],
    ids=["profile", "motor", "numbers", "layout", "builder", "welcome"],
)
def test_a_game_has_every_name_of_the_protocol(game: Any, protocol: Any, part: Any) -> None:
    names = [name for name in vars(protocol) if not name.startswith("_")]
    assert names
    assert [name for name in names if not hasattr(part(game), name)] == []


def test_a_game_makes_its_own_kind_of_welcome() -> None:
    for game in (NetRunner(), PROFILE):
        assert isinstance(game.welcome(peer_id=2, delay_ticks=3, server_tick=9), game.welcome_type)
