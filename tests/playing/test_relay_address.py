"""Which relay is used: the one that was named, then that of the environment."""

import pytest

from retick.errors import UsageError
from retick.playing.way_in import RELAY_PORT, RELAY_VARIABLE, relay_address

ENVIRONMENT = {RELAY_VARIABLE: " [2001:db8::7]:9000 "}


def test_what_was_named_goes_before_the_environment() -> None:
    assert relay_address("relay.example.org", ENVIRONMENT) == ("relay.example.org", RELAY_PORT)
    assert relay_address(None, ENVIRONMENT) == ("2001:db8::7", 9000)
    assert relay_address(None, {}) is relay_address(" ", {RELAY_VARIABLE: ""}) is None


def test_what_is_wrong_says_where_it_was_read() -> None:
    with pytest.raises(UsageError, match=f"^{RELAY_VARIABLE}: .* port"):
        relay_address(None, {RELAY_VARIABLE: "host:99999"})
    with pytest.raises(UsageError, match=r"^'host:99999' has no valid port"):
        relay_address("host:99999", {})
