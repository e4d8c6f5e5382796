"""Links of a server and of its clients: both name the game, and keepalives are within any timeout."""

import random

import pytest

from retick.host.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS
from retick.host.link_config import link_config, sealing_by_token
from retick.netrunner import NetRunner, Server
from retick.netrunner.profile import link_config_for
from retick.tokens import issue


@pytest.mark.parametrize("timeout", [0.2, 1.0, 5.0, 60.0])
def test_the_keepalive_is_shorter_than_any_timeout(timeout: float) -> None:
    config = link_config_for(NetRunner(), timeout=timeout, delta=True)
    assert config.status_interval < config.quiet_after < config.timeout == timeout


def test_the_game_is_named_and_delta_snapshots_are_offered_only_where_they_can_be_used() -> None:
    profile = NetRunner()
    offered = [link_config_for(profile, timeout=5.0, delta=delta) for delta in (False, True)]
    assert [config.capabilities for config in offered] == [0, DELTA_SNAPSHOTS | COMPACT_SNAPSHOTS]
    assert link_config_for(profile, timeout=5.0, delta=True, compact=False).capabilities == DELTA_SNAPSHOTS
    assert {(config.game_id, config.game_version) for config in offered} == {
        (profile.game_id, profile.protocol_version)
    }


def test_links_are_sealed_unless_somebody_says_otherwise() -> None:
    assert link_config("game", 1, timeout=1.0).sealed
    assert not link_config("game", 1, timeout=1.0, sealing={"sealed": False}).sealed


def test_a_token_brings_the_key_of_the_server() -> None:
    token = issue(
        bytes(32), player=1, server_key=b"S" * 32, addresses=[("h", 1)], now=1.0, entropy=random.Random(1).randbytes
    )
    assert sealing_by_token(token, {}) == {"sealed": True, "server_key": b"S" * 32}
    assert sealing_by_token(token, {"server_key": b"S" * 32})["server_key"] == b"S" * 32
    assert sealing_by_token(b"", {"sealed": False}) == {"sealed": False}


def test_an_argument_that_is_not_about_sealing_is_named() -> None:
    with pytest.raises(TypeError, match="no argument 'max_datagram'"):
        Server(NetRunner(), entropy=bytes, max_datagram=500)  # type: ignore[call-arg]  # the mistake that is tested
