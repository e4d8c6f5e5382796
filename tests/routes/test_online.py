"""What an application says to play online."""

from typing import Any

import pytest

from retick.errors import UsageError
from retick.routes import Online
from retick.routes.online import MOST_OWN

RELAY = ("198.51.100.1", 7788)


def test_what_cannot_be_meant_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="8 characters"):
        Online(relay=RELAY, code="4XK7")
    for places in (1, 65):
        with pytest.raises(UsageError, match="2 to 64"):
            Online(relay=RELAY, places=places)
    with pytest.raises(UsageError, match="relay_only"):
        Online(relay=RELAY, relay_only=True, own=(("10.0.0.2", 5000),))


@pytest.mark.parametrize("address", [("name", 5), ("10.0.0.1", 0), ("fe80::1", 5, 0, 2), ("fe80::1%2", 5), "10.0.0.1"])
def test_addresses_that_nobody_could_be_told_are_refused(address: Any) -> None:
    with pytest.raises(UsageError, match="without a scope"):
        Online(relay=RELAY, own=(address,))
    with pytest.raises(UsageError, match="without a scope"):
        Online(relay=RELAY, mapped=(address,))


def test_a_relay_that_no_invite_can_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no # or space"):
        Online(relay=RELAY, relay_name="my relay")


def test_only_so_many_addresses_are_told() -> None:
    own = tuple((f"10.0.0.{n}", 5000) for n in range(MOST_OWN))
    assert Online(relay=RELAY, own=own).own == own
    with pytest.raises(UsageError, match=f"at most {MOST_OWN}"):
        Online(relay=RELAY, own=own, mapped=(("203.0.113.1", 5000),))


def test_the_relay_is_written_as_people_write_addresses() -> None:
    assert Online(relay=RELAY).relay_text == "198.51.100.1:7788"
    assert Online(relay=("2001:db8::1", 7788)).relay_text == "[2001:db8::1]:7788"
    assert Online(relay=RELAY, relay_name="relay.example.org:7788").relay_text == "relay.example.org:7788"
