import pytest

from retick.authority.declared.control import Welcome
from retick.errors import UnsupportedVersion, UsageError
from retick.wire.authority import Hello
from tests.authority.declared_games import PROFILE


def test_control_messages_come_back_and_versions_are_distinguished() -> None:
    welcome = PROFILE.welcome(peer_id=4, delay_ticks=3, server_tick=99)
    assert isinstance(welcome, Welcome)
    assert PROFILE.decode(PROFILE.encode_control(welcome)) == welcome
    with pytest.raises(UnsupportedVersion):
        PROFILE.decode(PROFILE.encode_control(Hello(2)))
    adopted = PROFILE.adopt(welcome._replace(server_tick_rate=30))
    assert adopted.config.server_tick_rate == 30
    with pytest.raises(UsageError):
        PROFILE.adopt(welcome._replace(server_tick_rate=0))
