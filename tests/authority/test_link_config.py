"""Links of a server and of its clients: both name the game, and keepalives are within any timeout."""

import pytest

from retick.authority.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS
from retick.authority.link_config import link_config_for
from retick.games.runner import NetRunner


@pytest.mark.parametrize("timeout", [0.2, 1.0, 5.0, 60.0])
def test_the_keepalive_is_shorter_than_any_timeout(timeout: float) -> None:
    config = link_config_for(NetRunner(), timeout=timeout, delta=True)
    assert config.status_interval < config.quiet_after < config.timeout == timeout


def test_the_game_is_named_and_delta_snapshots_are_offered_only_where_they_can_be_used() -> None:
    profile = NetRunner()
    offered = [link_config_for(profile, timeout=5.0, delta=delta) for delta in (False, True)]
    assert [config.capabilities for config in offered] == [0, DELTA_SNAPSHOTS | COMPACT_SNAPSHOTS]
    assert {(config.game_id, config.game_version) for config in offered} == {
        (profile.game_id, profile.protocol_version)
    }
