"""Settings that make no sense are refused, with the value and the rule."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import LinkConfig

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"game_id": "x" * 33}, "game_id has at most 32 bytes, not 33"),
    ({"game_version": -1}, "game_version is 0 to 4294967295, not -1"),
    ({"capabilities": 1 << 32}, "capabilities is 0 to 4294967295"),
    ({"tick_rate": 65536}, "tick_rate is 0 to 65535, not 65536"),
    ({"max_datagram": 2000}, "max_datagram is 576 to 1472 bytes, not 2000"),
    ({"max_datagram": 575}, "max_datagram is 576 to 1472 bytes, not 575"),
    ({"timeout": 1.0}, "status_interval < quiet_after < timeout"),
    ({"handshake_rate": 0.5}, "handshake_rate is 1 or more, not 0.5"),
    ({"unread_limit": 0}, "unread_limit is 1 or more, not 0"),
    ({"max_message": -1}, "max_message is 1 or more, not -1"),
    ({"dial_timeout": 0.0}, "dial_timeout is above 0 seconds, not 0.0"),
    ({"confirm_timeout": float("nan")}, "confirm_timeout is above 0 seconds, not nan"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_a_wrong_setting_is_refused_with_its_value_and_its_rule(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        LinkConfig(**wrong)


def test_settings_at_their_bounds_are_accepted() -> None:
    LinkConfig(game_id="x" * 32, game_version=0xFFFFFFFF, max_datagram=1472, max_message=1, unread_limit=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"secret": b"short"}, "secret is 16 bytes"),
        ({"sealed": False, "secret": bytes(16)}, "secret is 16 bytes, and needs sealed links"),
        ({"server_key": bytes(31)}, "server_key is 32 bytes"),
        ({"key_pair": "x" * 32}, "key_pair is 32 bytes"),
        ({"identity": bytes(33)}, "identity is 32 bytes"),
        ({"secret": bytes(16), "server_key": bytes(32)}, "a secret or a server_key, not both"),
    ],
)
def test_keys_that_cannot_be_used_are_refused_without_showing_them(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        LinkConfig(**settings)
    assert "xxxx" not in str(caught.value)


def test_keys_are_not_in_the_repr() -> None:
    config = LinkConfig(secret=b"planted-secret-1", identity=b"planted-secret-2" * 2)
    assert "planted" not in repr(config)
