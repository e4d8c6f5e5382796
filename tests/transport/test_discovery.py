"""Hosts on the local network: what an announcement is read as, since anybody can send one, and how one is found."""

import os
from types import SimpleNamespace
from typing import Any

import pytest

from retick.transport import discovery
from retick.transport.discovery import SERVICE, FoundHost, _host_in


def info(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "name": f"desk port 7777.{SERVICE}",
        "port": 7777,
        "addresses": ["fe80::1", "10.0.0.5"],
        "decoded_properties": {"game": "retick.fighter 1", "players": "2"},
    } | changes
    return SimpleNamespace(parsed_addresses=lambda: values["addresses"], **values)


def test_a_host_is_its_name_an_ipv4_address_if_it_has_one_and_its_game() -> None:
    assert _host_in(info()) == FoundHost("desk port 7777", "10.0.0.5", 7777, "retick.fighter 1")
    only = _host_in(info(addresses=["fe80::1"]))
    assert only is not None
    assert only.address == "fe80::1"


def test_an_announcement_that_makes_no_sense_is_no_host() -> None:
    assert _host_in(info(addresses=[])) is None
    assert _host_in(info(port=None)) is None
    assert _host_in(info(decoded_properties={})) is None
    assert _host_in(info(decoded_properties={"game": None})) is None


def test_a_name_cannot_write_on_the_terminal() -> None:
    found = _host_in(info(name=f"\x1b[2Jdesk\n.{SERVICE}"))
    assert found is not None
    assert found.name == "?[2Jdesk?"


@pytest.mark.skipif(os.environ.get("RETICK_MULTICAST") != "1", reason="needs multicast: set RETICK_MULTICAST=1")
def test_an_announced_host_is_found_and_a_withdrawn_one_is_not() -> None:
    loopback = ["127.0.0.1"]
    announcement = discovery.Announcement(7777, "retick.fighter 1", players=2, interfaces=loopback)
    found = discovery.find_hosts(5.0, "retick.fighter 1", interfaces=loopback)
    assert [(each.address, each.port) for each in found] == [("127.0.0.1", 7777)]
    assert discovery.find_hosts(0.5, "another.game 1", interfaces=loopback) == []
    announcement.withdraw().join()
    assert discovery.find_hosts(0.5, "retick.fighter 1", interfaces=loopback) == []
