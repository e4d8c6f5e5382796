"""Online matches in words: which relay, which socket, and every state that a person may see."""

import pytest

from retick.errors import NetworkUnavailable, UsageError
from retick.link import Invite
from retick.playing import online
from retick.playing.online import OnlineStatus, chosen_relay, open_online
from retick.playing.way_in import NO_RELAY, RELAY_VARIABLE, OnlineWay, way_in
from retick.routes import Online, OnlineEnded, OnlineReady, PathChanged, PathKind, RelayChanged
from retick.transport import open_udp

HOSTS = Online(relay=("198.51.100.1", 7788), relay_name="relay.example.org")
JOINS = Online(relay=("198.51.100.1", 7788), relay_name="relay.example.org", code="4XK7-M2QP")


def path(member: int, kind: PathKind, text: str = "in words") -> PathChanged:
    return PathChanged(member=member, kind=kind, round_trip=None, text=text)


def test_an_option_goes_before_what_was_pasted_and_that_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RELAY_VARIABLE, "third.example.org")
    pasted = ("second.example.org", 7788)
    assert chosen_relay("first.example.org", pasted) == ("first.example.org", 7788)
    assert chosen_relay(None, pasted) == pasted
    assert chosen_relay(None) == ("third.example.org", 7788)
    monkeypatch.delenv(RELAY_VARIABLE)
    with pytest.raises(UsageError, match="retick relay") as missing:
        chosen_relay(None)
    assert str(missing.value) == NO_RELAY


def test_a_socket_for_a_relay_tells_its_own_addresses_unless_everything_is_relayed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(online, "own_address", lambda: "192.168.1.20")
    monkeypatch.setattr(online, "own_address_v6", lambda: None)
    socket, told = open_online(("127.0.0.1", 7788), code="4XK7-M2QP")
    socket.close()
    assert (told.relay, told.relay_name, told.code) == (("127.0.0.1", 7788), "127.0.0.1", "4XK7-M2QP")
    assert [host for host, _ in told.own] == ["192.168.1.20"]
    socket, told = open_online(("127.0.0.1", 99), relay_only=True)
    socket.close()
    assert (told.own, told.relay_only, told.relay_name) == ((), True, "127.0.0.1:99")


def test_a_machine_with_ipv6_tells_both_addresses_and_asks_the_relay_over_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        open_udp("::").close()
    except NetworkUnavailable:
        pytest.skip("this system has no IPv6")
    monkeypatch.setattr(online, "own_address", lambda: "192.168.1.20")
    monkeypatch.setattr(online, "own_address_v6", lambda: "2a00::7")
    socket, told = open_online(("127.0.0.1", 7788))
    assert socket.send(b"over IPv4", ("127.0.0.1", 9))
    socket.close()
    assert told.relay == ("127.0.0.1", 7788)
    assert [host for host, _ in told.own] == ["192.168.1.20", "2a00::7"]


def test_a_relay_whose_name_is_not_known_says_so() -> None:
    with pytest.raises(NetworkUnavailable, match="the relay cannot be reached: no address is known"):
        open_online(("relay.invalid", 7788))


def test_a_host_with_an_invite_shows_the_line_to_paste_and_one_without_the_code_and_what_it_means() -> None:
    invite = Invite("4XK7M2QP@relay.example.org", bytes(16))
    status = OnlineStatus(HOSTS)
    assert status.invitation() == []
    status.event(OnlineReady(code="4XK7M2QP", invite=invite, seconds=600))
    assert status.lines() == [
        f"waiting at the relay, for 10 minutes if nobody joins. To join: retick join {invite.text()}"
    ]
    assert status.lines() == []
    status = OnlineStatus(HOSTS)
    status.event(OnlineReady(code="4XK7M2QP", invite=None, seconds=65535))
    line, warning = status.lines()
    assert line == "code 4XK7-M2QP, until the room is full. To join: retick join 4XK7-M2QP@relay.example.org"
    assert "the relay vouches for the keys" in warning
    assert way_in(line.split()[-1], default_port=1) == OnlineWay("4XK7-M2QP", ("relay.example.org", 7788), None)


def test_who_joins_is_not_told_to_invite_others() -> None:
    status = OnlineStatus(JOINS)
    status.event(OnlineReady(code="4XK7M2QP", invite=None, seconds=65535))
    assert status.lines() == ["in the room at the relay"]
    assert status.invitation() == []


def test_the_way_is_relayed_then_direct_and_with_several_how_many_of_each() -> None:
    status = OnlineStatus(JOINS)
    assert status.way == ""
    status.event(OnlineReady(code="4XK7M2QP", invite=None, seconds=0))
    assert status.way == "relayed"
    status.event(path(0, PathKind.REFLEXIVE))
    assert status.way == "direct"
    status.event(path(2, PathKind.RELAY))
    assert status.way == "1 direct, 1 relayed"
    status.event(path(0, PathKind.RELAY, "through the relay: the direct path fell silent"))
    assert status.way == "relayed"
    assert status.lines()[-1] == "path to member 0: through the relay: the direct path fell silent"


def test_the_path_of_one_who_only_watches_or_has_gone_is_not_counted() -> None:
    players = ["member-0"]
    status = OnlineStatus(JOINS, present=lambda: players)
    status.event(OnlineReady(code="4XK7M2QP", invite=None, seconds=0))
    status.event(path(0, PathKind.LOCAL))
    status.event(path(2, PathKind.RELAY))
    assert status.way == "direct"
    players.append("member-3")  # of whom no change was told: through the relay, as all begin
    assert status.way == "1 direct, 1 relayed"


def test_a_relay_that_falls_silent_is_said_until_it_answers_again() -> None:
    status = OnlineStatus(JOINS)
    status.event(OnlineReady(code="4XK7M2QP", invite=None, seconds=0))
    status.event(path(0, PathKind.LOCAL))
    status.event(RelayChanged(is_reachable=False, text="the relay does not answer"))
    assert status.way == "direct; the relay does not answer"
    status.event(RelayChanged(is_reachable=True, text="the relay answers again"))
    assert status.way == "direct"


def test_why_there_is_no_place_is_kept() -> None:
    status = OnlineStatus(JOINS)
    status.event(OnlineEnded(text="this code has expired: ask for a new one"))
    assert status.ended == "this code has expired: ask for a new one"
