"""Hosts on the local network: what an announcement is read as, since anybody can send one, and how one is found."""

import os
from types import SimpleNamespace
from typing import Any

import pytest
import zeroconf

from retick.transport import discovery
from retick.transport.discovery import (
    SERVICE,
    FoundHost,
    HostSearch,
    _host_in,
    game_name,
    own_address_towards,
    own_address_v6,
)


def info(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "name": f"desk port 7777.{SERVICE}",
        "port": 7777,
        "addresses": ["fe80::1", "10.0.0.5"],
        "decoded_properties": {"game": "retick.fighter 1", "players": "2"},
    } | changes
    return SimpleNamespace(parsed_addresses=lambda: values["addresses"], **values)


def test_a_host_is_its_name_an_ipv4_address_if_it_has_one_and_its_game() -> None:
    assert _host_in(info()) == FoundHost("desk port 7777", "10.0.0.5", 7777, "retick.fighter 1", 2)
    only = _host_in(info(addresses=["fe80::1"]))
    assert only is not None
    assert only.address == "fe80::1"


@pytest.mark.parametrize(
    ("said", "link"), [("invite", "invite"), ("open", "open"), ("plain", "plain"), (None, "plain"), ("\x1b[", "plain")]
)
def test_what_one_needs_to_come_in_is_one_of_three_words_and_plain_where_it_is_not_said(
    said: str | None, link: str
) -> None:
    found = _host_in(info(decoded_properties={"game": "retick.fighter 1", "link": said}))
    assert found is not None
    assert found.link == link


def test_an_announcement_that_makes_no_sense_is_no_host() -> None:
    assert _host_in(info(addresses=[])) is None
    assert _host_in(info(port=None)) is None
    assert _host_in(info(decoded_properties={})) is None
    assert _host_in(info(decoded_properties={"game": None})) is None


def test_a_name_cannot_write_on_the_terminal() -> None:
    found = _host_in(info(name=f"\x1b[2Jdesk\n.{SERVICE}"))
    assert found is not None
    assert found.name == "?[2Jdesk?"


@pytest.mark.parametrize("players", ["", "-1", "\u00b2", "1e3", "99999", None])
def test_a_number_of_players_that_is_none_is_0(players: str | None) -> None:
    found = _host_in(info(decoded_properties={"game": "retick.fighter 1", "players": players}))
    assert found is not None
    assert found.players == 0


class NoNetwork:
    """In place of zeroconf: nothing is sent, and a test says which hosts are there."""

    def __init__(self, **_options: Any) -> None:
        self.announced: dict[str, Any] = {}
        self.closed = False

    def get_service_info(self, _kind: str, name: str, timeout: int) -> Any:
        return self.announced.get(name)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zeroconf, "Zeroconf", NoNetwork)
    monkeypatch.setattr(zeroconf, "ServiceBrowser", lambda *_given: None)


def announce(search: HostSearch, name: str, **changes: Any) -> None:
    network: Any = search._zeroconf
    network.announced[name] = info(**{"name": f"{name}.{SERVICE}", **changes})
    search.add_service(network, SERVICE, name)


@pytest.mark.usefixtures("no_network")
def test_a_search_knows_the_hosts_of_its_game_as_they_come_and_go() -> None:
    with HostSearch(game_name("retick.fighter", 1)) as search:
        assert search.hosts() == []
        assert not search.wait(0.0)
        announce(search, "desk")
        announce(search, "attic", port=7778)
        announce(search, "other", decoded_properties={"game": "another.game 1"})
        assert search.wait(0.0)
        assert [host.name for host in search.hosts()] == ["attic", "desk"]
        search.remove_service(search._zeroconf, SERVICE, "desk")
        search.remove_service(search._zeroconf, SERVICE, "never seen")
        search.update_service(search._zeroconf, SERVICE, "attic")
        search.add_service(search._zeroconf, SERVICE, "gone again")
        assert [host.name for host in search.hosts()] == ["attic"]
    network: Any = search._zeroconf
    assert network.closed


@pytest.mark.usefixtures("no_network")
def test_a_search_remembers_so_many_hosts_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MOST_HOSTS", 2)
    search = HostSearch("retick.fighter 1")
    for name in ("a", "b", "c", "a"):
        announce(search, name)
    assert [host.name for host in search.hosts()] == ["a", "b"]


@pytest.mark.usefixtures("no_network")
def test_nobody_is_found_where_nobody_is() -> None:
    assert discovery.find_hosts(0.01, "retick.fighter 1") == []


@pytest.mark.skipif(os.environ.get("RETICK_MULTICAST") != "1", reason="needs multicast: set RETICK_MULTICAST=1")
def test_an_announced_host_is_found_and_a_withdrawn_one_is_not() -> None:
    loopback = ["127.0.0.1"]
    announcement = discovery.Announcement(7777, "retick.fighter 1", players=2, interfaces=loopback)
    found = discovery.find_hosts(5.0, "retick.fighter 1", interfaces=loopback)
    assert [(each.address, each.port) for each in found] == [("127.0.0.1", 7777)]
    assert discovery.find_hosts(0.5, "another.game 1", interfaces=loopback) == []
    announcement.withdraw().join()
    assert discovery.find_hosts(0.5, "retick.fighter 1", interfaces=loopback) == []


def test_the_own_address_is_that_on_the_way_to_another_and_none_without_a_route(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert own_address_towards(("127.0.0.1", 9)) == "127.0.0.1"
    assert own_address_towards(("no address", 9)) is None
    for found, said in ((None, None), ("fe80::1", None), ("fd00::1", None), ("2a00::1", "2a00::1")):
        monkeypatch.setattr(discovery, "own_address_towards", lambda _address, found=found: found)
        assert own_address_v6() == said
