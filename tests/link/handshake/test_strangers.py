"""The door: floods of forged and of real addresses, several players behind one router, bans, and full tables."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.link import Accept, Connected, LinkEndpoint, Reason, Request
from retick.link.addresses import is_loopback, origin_of
from retick.link.handshake import acceptor, strangers
from retick.link.handshake import packets as hs
from retick.link.handshake.strangers import RateBudget, StrangerLimits
from retick.link.layout import ACCEPT, COOKIE, HELLO, REFUSE
from retick.link.packets import Report, encode_report
from retick.transport import Conditions
from tests.link.pair import Pair, make_endpoint

ROUTER = "198.51.100.7"


def ask(host: LinkEndpoint, address: Any, connection_id: int, now: float, number: int | None = None) -> bytes:
    """A whole handshake by hand, up to HELLO; the answer to it, or nothing."""
    nonce = (connection_id if number is None else number).to_bytes(8, "little")
    host.receive_datagram(hs.encode_request(nonce), address, now=now)
    [(answer, _)] = host.datagrams_to_send(now=now)
    _, cookie, _ = hs.decode_cookie(answer)
    offer = hs.Offer(connection_id, 0, 0, 0, 0)
    host.receive_datagram(hs.encode_hello(hs.Hello(nonce, cookie, offer, 1, 7, "", b"")), address, now=now)
    return b"".join(data for data, to in host.datagrams_to_send(now=now) if to == address)


def confirm(host: LinkEndpoint, answer: bytes, address: Any, now: float) -> None:
    connection_id = hs.decode_accept(answer).offer.connection_id
    host.receive_datagram(encode_report(connection_id, 1, Report(0xFFFF, 0, 0, 0, 0)), address, now=now)
    host.datagrams_to_send(now=now)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["requests", "hellos"])
def test_a_newcomer_connects_at_once_while_a_hundred_thousand_forged_datagrams_come_in_a_second(kind: str) -> None:
    pair = Pair(conditions=Conditions(latency=0.05))
    forged = [hs.encode_request(i.to_bytes(8, "little")) for i in range(100)]
    if kind == "hellos":
        offer = hs.Offer(9, 0, 0, 0, 0)
        forged = [hs.encode_hello(hs.Hello(bytes(8), bytes([i]) * 16, offer, 1, 0, "", b"")) for i in range(100)]
    sent = 0

    def flood() -> None:
        nonlocal sent
        for data in forged:
            sent += 1
            pair.host.receive_datagram(data, (f"10.{sent >> 16 & 255}.{sent >> 8 & 255}.{sent & 255}", 9), now=now())
        pair.network.flush("host")

    def now() -> float:
        return pair.network.now

    pair.network.every(0.001, flood)
    pair.run(0.3)
    pair.dial()
    dialled_at = now()
    assert pair.network.run_while(lambda: not pair.of(pair.host_events, Connected), limit=5.0)
    assert now() - dialled_at < 2.5 * 0.1 + 0.01, "two and a half round trips: nothing had to be sent again"
    assert sent >= 50_000


def test_a_flood_of_good_cookies_from_one_address_leaves_the_others_their_budget() -> None:
    host = make_endpoint(1, handshake_rate=50.0, handshake_rate_per_address=10.0, max_connections=1000, sealed=False)
    answers = [ask(host, (ROUTER, 1000 + i), i + 1, now=1.0) for i in range(100)]
    assert sum(bool(answer) for answer in answers) <= 10
    assert host.dropped["rate_limited"] == 90
    for i in range(30):
        assert ask(host, (f"203.0.113.{i}", 9), 5000 + i, now=1.0)[0] == ACCEPT


def test_unconfirmed_hellos_of_one_address_do_not_hold_all_connections() -> None:
    host = make_endpoint(1, max_connections=8, sealed=False)
    answers = [ask(host, (ROUTER, 1000 + i), i + 1, now=1.0) for i in range(12)]
    assert [bool(answer) for answer in answers] == [True] * 4 + [False] * 8
    assert host.dropped["unconfirmed"] == 8
    assert len(host.connections) == 4
    assert ask(host, ("203.0.113.1", 9), 99, now=1.0)[0] == ACCEPT
    # The same connection asking again is not another one.
    again = ask(host, (ROUTER, 1000), 1, now=1.0)
    assert hs.decode_accept(again).offer.connection_id == hs.decode_accept(answers[0]).offer.connection_id


@pytest.mark.parametrize("new_nonce", [False, True])
def test_one_who_only_repeats_its_hello_does_not_hold_a_connection(new_nonce: bool) -> None:
    """Neither the same HELLO again nor a handshake that begins again lasts longer than a dial may."""
    asked: list[float] = []

    def admit(request: Request) -> Accept:
        asked.append(host._now)
        return Accept()

    host = make_endpoint(1, admit=admit, sealed=False)
    for now in range(60):
        host.handle_timeout(now=now)
        ask(host, (ROUTER, 1), 7, now=now, number=now if new_nonce else 7)
    assert asked == [0, 10, 20, 30, 40, 50]


def test_eight_players_behind_one_router_who_start_together_all_get_in_and_the_ninth_is_told_why() -> None:
    pair = Pair(conditions=Conditions(latency=0.04))
    guests = [make_endpoint(100 + i) for i in range(9)]
    for number, guest in enumerate(guests):
        pair.network.attach((ROUTER, 5000 + number), guest)
    for number, guest in enumerate(guests[:8]):
        guest.dial("host")
        pair.network.flush((ROUTER, 5000 + number))
    pair.run(2.0)
    assert len(pair.of(pair.host_events, Connected)) == 8
    assert pair.host.dropped["unconfirmed"] > 0, "four had to ask again"
    last = guests[8].dial("host")
    pair.network.flush((ROUTER, 5008))
    pair.run(1.0)
    assert (last.close_reason, last.is_connected) == (Reason.FULL, False)


def test_a_seat_behind_the_router_is_free_again_when_its_connection_ends() -> None:
    host = make_endpoint(1, max_connections_per_address=1, sealed=False)
    answer = ask(host, (ROUTER, 1), 1, now=1.0)
    assert ask(host, (ROUTER, 2), 2, now=1.0)[0] == REFUSE
    confirm(host, answer, (ROUTER, 1), now=1.1)
    assert ask(host, (ROUTER, 2), 2, now=1.1)[0] == REFUSE
    host.handle_timeout(now=60.0)
    assert ask(host, (ROUTER, 2), 2, now=60.0)[0] == ACCEPT
    host.handle_timeout(now=120.0)
    assert host.connections == host._acceptor.limits._inside == {}


plain_ipv6 = st.ip_addresses(v=6).filter(lambda address: address.ipv4_mapped is None)


@given(st.ip_addresses(v=4), st.integers(0, 65535), st.integers(0, 65535))
def test_an_ipv4_address_is_one_stranger_through_an_ipv6_socket_too(address: Any, port: int, port2: int) -> None:
    assert origin_of((f"::ffff:{address}", port)) == origin_of((str(address), port2))


@given(plain_ipv6, plain_ipv6, st.integers(0, 65535), st.integers(0, 65535))
def test_one_stranger_is_an_ipv4_address_or_a_network_of_ipv6(one: Any, other: Any, port: int, port2: int) -> None:
    same = int(one) >> 64 == int(other) >> 64 if not one.is_link_local else one == other
    assert (origin_of((str(one), port)) == origin_of((str(other), port2))) == same
    assert origin_of((ROUTER, port)) == origin_of((ROUTER, port2)) != origin_of(("198.51.100.8", port))


@pytest.mark.parametrize("address", ["guest", ("name", 1), (), (1, 2), None, 7, ("fe80::1%é", 3)], ids=repr)
def test_an_address_of_no_socket_stands_for_itself(address: Any) -> None:
    assert hash(origin_of(address)) is not None
    assert not is_loopback(address)
    if address != ("fe80::1%é", 3):
        assert origin_of(address) == address


def test_loopback_has_no_limit_for_each_address_and_machines_on_one_cable_are_not_one_stranger() -> None:
    host = make_endpoint(1, max_connections=64, sealed=False)
    for i in range(40):
        assert ask(host, ("127.0.0.1" if i % 2 else "::1", 2000 + i), i + 1, now=1.0)[0] == ACCEPT
    assert origin_of(("fe80::1", 1, 0, 2)) != origin_of(("fe80::2", 1, 0, 2))


def test_a_banned_host_is_refused_with_any_port_and_others_are_not() -> None:
    host = make_endpoint(1, sealed=False)
    host.ban((ROUTER, 1))
    host.ban(("2001:db8::1", 1))
    host.ban("guest")
    for number, address in enumerate([(ROUTER, 2), ("2001:db8::2", 3), "guest"]):
        _, reason, text = hs.decode_refuse(ask(host, address, number + 1, now=1.0))
        assert (reason, "banned" in text) == (Reason.DENIED, True)
    assert ask(host, ("198.51.100.8", 2), 9, now=1.0)[0] == ACCEPT


def test_a_budget_fills_with_time_and_not_beyond_one_second() -> None:
    budget = RateBudget(3.0, 0.0)
    assert [budget.spend(0.0) for _ in range(5)] == [True, True, True, False, False]
    assert [budget.spend(0.5) for _ in range(2)] == [True, False]
    assert [budget.spend(100.0) for _ in range(5)] == [True, True, True, False, False]
    assert not budget.spend(1.0), "a clock that went back brings nothing"


def test_full_tables_forget_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "_ORIGINS_KEPT", 4)
    monkeypatch.setattr(strangers, "_BANS_KEPT", 3)
    monkeypatch.setattr(acceptor, "_REMEMBERED", 2)
    keeper = StrangerLimits(make_endpoint(1, handshake_rate_per_address=1.0, handshake_rate=1e9, sealed=False).config)
    for i in range(10):
        keeper.ban(("10.0.0.1", i))
        keeper.ban((f"10.0.1.{i}", 1))
        keeper.ban_key(f"key {i}")
        assert keeper.may_answer((f"10.0.2.{i}", 1), now=1.0)
        assert not keeper.may_answer((f"10.0.2.{i}", 2), now=1.0)
    assert (len(keeper._each), len(keeper._banned)) == (4, 3)
    assert keeper.is_banned(("10.0.0.1", 5)), "the newest ban stays"
    assert [keeper.is_banned_key(f"key {i}") for i in range(10)] == [False] * 7 + [True] * 3
    host = make_endpoint(1, sealed=False)
    for i in range(5):
        confirm(host, ask(host, (ROUTER, i), i + 1, now=1.0), (ROUTER, i), now=1.0)
        host.close()
        for at in range(20):
            host.handle_timeout(now=2.0 + at)
            host.datagrams_to_send(now=2.0 + at)
        assert host.connections == {}
    assert len(host._acceptor._finished) == 2


def test_answers_that_wait_to_be_sent_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor, "_ANSWERS_WAITING", 10)
    host = make_endpoint(1, sealed=False)
    for i in range(50):
        host.receive_datagram(hs.encode_request(i.to_bytes(8, "little")), ("10.0.0.1", i), now=1.0)
    answers = host.datagrams_to_send(now=1.0)
    assert [data[0] for data, _ in answers] == [COOKIE] * 10
    assert host.dropped["rate_limited"] == 40
    host.receive_datagram(hs.encode_request(bytes(8)), "later", now=1.0)
    assert len(host.datagrams_to_send(now=1.0)) == 1


sizes = st.sampled_from([0, 1, 12, 13, 17, 127, 128, 129, 400, 511, 512, 1200, 1201])
heads = st.sampled_from([0x52, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xE0, 0xE1, HELLO, 0xE3, 0xE4])


@given(st.lists(st.tuples(heads, st.sampled_from([1, 1, 2, 9]), sizes, st.binary(max_size=30)), max_size=30))
def test_an_address_that_proved_nothing_gets_no_more_bytes_than_it_sent(
    noise: list[tuple[int, int, int, bytes]],
) -> None:
    """Random datagrams that begin like real ones, and the least REQUEST of this and of another version."""
    pair = Pair(conditions=Conditions(latency=0.01))
    _, theirs = pair.connect()
    sent = got = 0
    for kind, version, size, tail in noise:
        head = bytes([kind]) + (b"RTL" + bytes([version]) if kind >= 0xE0 else theirs.local_id.to_bytes(4, "little"))
        for data in ((head + tail).ljust(size, b"\0"), (head + tail[:8]).ljust(size, b"\0")[: max(size, 5)]):
            pair.host.receive_datagram(data, "victim", now=1.0)
            out = [answer for answer, address in pair.host.datagrams_to_send(now=1.0) if address == "victim"]
            assert len(out) <= 1
            sent += len(data)
            got += sum(map(len, out))
            assert got <= sent
