"""The handshake: address proof, terms, refusals, and every datagram of it lost, repeated, forged or replayed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import InvalidValue, UsageError
from retick.link import Accept, Connected, Disconnected, LinkConfig, Reason, Refuse, Refused, Request, State, describe
from retick.link import handshake as hs
from retick.transport import Conditions
from tests.link.pair import Pair, fingerprint, make_endpoint

NONCE = bytes(range(8))
u32 = st.integers(0, 0xFFFFFFFF)
hellos = st.builds(
    hs.Hello,
    st.binary(min_size=8, max_size=8),
    st.binary(min_size=16, max_size=16),
    st.integers(1, 0xFFFFFFFF),
    u32,
    u32,
    u32,
    st.integers(0, 0xFFFF),
    st.integers(0, 255),
    st.integers(0, 2**64 - 1),
    st.text(max_size=8),
    st.binary(max_size=256),
)


@given(hellos)
def test_hello_round_trips_and_is_padded(hello: hs.Hello) -> None:
    data = hs.encode_hello(hello)
    assert hs.decode_hello(data) == hello
    assert 512 <= len(data) <= 1200


@given(st.binary(max_size=700), st.sampled_from(range(0xE0, 0xE5)))
def test_any_bytes_read_as_handshake_or_raise_invalid_value(data: bytes, kind: int) -> None:
    framed = bytes([kind]) + b"RTL\x01" + data
    for decode in (hs.decode_request, hs.decode_cookie, hs.decode_hello, hs.decode_accept, hs.decode_refuse):
        for candidate in (data, framed, framed.ljust(512, b"\0")):
            try:
                decode(candidate)
            except InvalidValue:
                continue


def test_layouts_are_pinned() -> None:
    """Byte for byte as docs/formats/link.md has them; a change here is another protocol version."""
    assert hs.encode_request(NONCE) == bytes.fromhex("e052544c01 0001020304050607").ljust(512, b"\0")
    cookie = hs.encode_cookie(NONCE, b"c" * 16, b"s" * 16)
    assert cookie == bytes.fromhex("e152544c01 0001020304050607") + b"c" * 16 + b"s" * 16
    hello = hs.Hello(NONCE, b"c" * 16, 0x01020304, 5, 1, 7, 60, 2, 9, "duel", b"hi")
    expected = bytes.fromhex("e252544c01 0001020304050607") + b"c" * 16
    expected += bytes.fromhex("04030201 05000000 01000000 07000000 3c00 02 0900000000000000 04") + b"duel\x02\x00hi"
    assert hs.encode_hello(hello) == expected.ljust(512, b"\0")
    accept = hs.Acceptance(NONCE, 0x01020304, 5, 1, 7, 60, 2, 9, b"hi")
    expected = bytes.fromhex("e352544c01 0001020304050607 04030201 05000000 01000000 07000000 3c00 02000000")
    expected += bytes.fromhex("0900000000000000 0000 0200") + b"hi"
    assert hs.encode_accept(accept) == expected
    assert hs.decode_accept(expected) == accept
    refuse = bytes.fromhex("e452544c01 0001020304050607 07 04") + b"full"
    assert hs.encode_refuse(NONCE, 7, "full") == refuse
    assert hs.decode_refuse(refuse) == (NONCE, 7, "full")


def test_text_is_cut_between_characters_and_made_printable() -> None:
    assert len(hs.cut_text("ü" * 100)) == 120
    assert len(hs.cut_text("x" + "ü" * 100)) == 119
    assert hs.shown_text(b"red \x1b[31m") == "red ?[31m"


def test_both_sides_agree_on_the_terms() -> None:
    pair = Pair(
        game_id="duel", game_version=3, capabilities=0b0111, tick_rate=60, host_config={"capabilities": 0b1101},
        admit=lambda request: Accept(seats=(1,), data=b"welcome " + request.data),
    )  # fmt: skip
    mine, theirs = pair.connect(seats=1, data=b"guest")
    assert mine.state is theirs.state is State.CONNECTED
    assert mine.terms is not None
    assert theirs.terms is not None
    assert mine.terms.capabilities == theirs.terms.capabilities == 0b0101
    assert mine.terms.seats == theirs.terms.seats == (1,)
    assert mine.terms.tick_rate == theirs.terms.tick_rate == 60
    assert mine.terms.seed == theirs.terms.seed != 0
    assert mine.terms.peer_data == b"welcome guest"
    assert theirs.terms.peer_data == b"guest"
    assert (mine.remote_id, mine.local_id) == (theirs.local_id, theirs.remote_id)


def test_the_seed_depends_on_both_sides_entropy() -> None:
    seeds = set()
    for host_seed, guest_seed in ((1, 2), (1, 3), (4, 2)):
        pair = Pair()
        pair.network.detach("host")
        pair.network.detach("guest")
        host, guest = make_endpoint(host_seed), make_endpoint(guest_seed)
        pair.network.attach("host", host)
        pair.network.attach("guest", guest)
        connection = guest.dial("host")
        pair.network.flush("guest")
        pair.run(1.0)
        assert connection.terms is not None
        seeds.add(connection.terms.seed)
    assert len(seeds) == 3


def test_nothing_is_kept_before_the_cookie_comes_back() -> None:
    host = make_endpoint(1)
    before = fingerprint(host)
    for i in range(150):
        host.receive_datagram(hs.encode_request(i.to_bytes(8, "little")), ("10.0.0.1", i), now=1.0)
        answers = host.datagrams_to_send(now=1.0)
        assert [data[0] for data, _ in answers] == [hs.COOKIE]
        assert fingerprint(host) == before
    assert host.next_timeout() is None


def test_no_answer_is_longer_than_its_question() -> None:
    for admit in (None, lambda request: Accept(data=b"x" * 256), lambda request: Refuse(text="x" * 500)):
        pair = Pair(admit=admit, game_id="g" * 32)
        pair.dial(data=b"y" * 256)
        pair.run(2.0)
        questions = [len(data) for data in pair.guest_tap.sent if data[0] >= 0xE0]
        answers = [len(data) for data in pair.host_tap.sent if data[0] >= 0xE0]
        assert len(questions) == len(answers) == 2
        assert all(answer <= question for question, answer in zip(questions, answers, strict=True))


REFUSALS: list[tuple[dict[str, Any], dict[str, Any], Reason]] = [
    ({"game_id": "a"}, {"game_id": "b"}, Reason.GAME),
    ({"game_version": 1}, {"game_version": 2}, Reason.GAME_VERSION),
    ({"required": 2, "capabilities": 2}, {"capabilities": 1, "required": 0}, Reason.CAPABILITY),
    ({"capabilities": 1}, {"capabilities": 3, "required": 2}, Reason.CAPABILITY),
    ({"tick_rate": 60}, {"tick_rate": 30}, Reason.TICK_RATE),
    ({}, {"max_connections": 0}, Reason.FULL),
]


@pytest.mark.parametrize(("guest", "host", "reason"), REFUSALS)
def test_terms_that_do_not_meet_are_refused_with_the_reason(
    guest: dict[str, Any], host: dict[str, Any], reason: Reason
) -> None:
    pair = Pair(host_config=host, **guest)
    connection = pair.dial()
    pair.run(2.0)
    refusals = pair.of(pair.guest_events, Refused)
    assert [(event.connection, event.reason) for event in refusals] == [(connection, reason)]
    assert describe(reason) in refusals[0].text
    assert connection.state is State.CLOSED
    assert pair.guest.connections == pair.host.connections == {}
    assert pair.host_events == []


def test_the_applications_own_refusal_is_shown() -> None:
    pair = Pair(admit=lambda request: Refuse(reason=200, text="not tonight"))
    pair.dial()
    pair.run(2.0)
    event = pair.guest_events[0]
    assert (event.reason, event.text) == (200, "not tonight")
    assert describe(200) == "reason 200"


def test_another_protocol_version_is_refused_by_name() -> None:
    host = make_endpoint(1)
    request = bytearray(hs.encode_request(NONCE))
    request[4] = 9
    host.receive_datagram(bytes(request), "old", now=0.0)
    [(answer, address)] = host.datagrams_to_send(now=0.0)
    assert address == "old"
    assert hs.decode_refuse(answer)[:2] == (NONCE, Reason.VERSION)


@pytest.mark.parametrize("kind", [hs.REQUEST, hs.COOKIE, hs.HELLO, hs.ACCEPT])
def test_each_datagram_of_the_handshake_may_be_lost(kind: int) -> None:
    pair = Pair(conditions=Conditions(latency=0.03))
    lost: list[int] = []

    def lose_first(data: bytes) -> bool:
        if data[0] == kind and len(lost) < 2:
            lost.append(kind)
            return True
        return False

    pair.host_tap.lose = pair.guest_tap.lose = lose_first
    pair.connect()
    assert lost == [kind, kind]
    assert len(pair.of(pair.host_events, Connected)) == len(pair.of(pair.guest_events, Connected)) == 1
    assert len(pair.host.connections) == 1


@settings(max_examples=300)
@given(st.integers(0, 10_000))
def test_handshakes_succeed_over_bad_links_and_leave_one_connection(seed: int) -> None:
    bad = Conditions(latency=0.05, jitter=0.05, loss=0.3, duplicate=0.2, reorder=0.2)
    pair = Pair(conditions=bad, seed=seed, dial_timeout=60.0)
    mine, theirs = pair.connect()
    assert mine.terms is not None
    assert theirs.terms is not None
    assert mine.terms.seed == theirs.terms.seed
    assert len(pair.host.connections) == len(pair.guest.connections) == 1


def test_the_acceptor_may_restart_with_another_secret_in_mid_handshake() -> None:
    pair = Pair(conditions=Conditions(latency=0.01))
    pair.dial()
    pair.network.run_while(lambda: not any(data[0] == hs.HELLO for data in pair.guest_tap.sent), limit=1.0)
    pair.network.detach("host")
    host = make_endpoint(99)
    pair.network.attach("host", host)
    pair.run(5.0)
    assert len(pair.of(pair.guest_events, Connected)) == 1
    assert host.dropped["bad_cookie"] == 8


def test_a_dial_without_answer_ends() -> None:
    guest = Pair()
    guest.network.detach("host")
    connection = guest.dial()
    guest.run(9.9)
    assert guest.guest_events == []
    guest.run(0.2)
    assert [type(e) for e in guest.guest_events] == [Disconnected]
    assert guest.guest_events[0].reason == Reason.NO_ANSWER
    assert connection.state is State.CLOSED
    assert guest.guest.next_timeout() is None
    # 0.25 s, then half as long again each time, up to half a second.
    assert 19 <= len(guest.guest_tap.sent) <= 22


def captured_hello(pair: Pair) -> bytes:
    return next(data for data in pair.guest_tap.sent if data[0] == hs.HELLO)


def test_a_cookie_is_good_for_its_address_and_its_time_only() -> None:
    pair = Pair()
    pair.host_tap.lose = lambda data: data[0] == hs.ACCEPT
    pair.dial()
    pair.run(0.1)
    hello = captured_hello(pair)
    fresh = make_endpoint(2)  # the host's own seed, and so its secret, without its connections
    fresh.receive_datagram(hello, "elsewhere", now=0.1)
    fresh.receive_datagram(hello, "guest", now=30.0)
    assert fresh.dropped["bad_cookie"] == 2
    assert fresh.connections == {}
    assert fresh.datagrams_to_send(now=30.0) == []
    fresh.receive_datagram(hello, "guest", now=10.1)
    assert len(fresh.connections) == 1


def test_an_accepted_connection_that_never_speaks_is_dropped() -> None:
    admitted: list[Request] = []

    def admit(request: Request) -> Accept:
        admitted.append(request)
        return Accept()

    pair = Pair(admit=admit)
    pair.host_tap.lose = lambda data: data[0] == hs.ACCEPT
    pair.dial()
    pair.run(0.1)
    pair.network.detach("guest")
    pair.run(6.0)
    assert [(type(e), e.reason, e.connection) for e in pair.host_events] == [
        (Disconnected, Reason.NO_ANSWER, admitted[0].connection)
    ]
    assert pair.host.connections == {}


def test_a_dialler_that_begins_again_is_known_again() -> None:
    admitted: list[Request] = []

    def admit(request: Request) -> Accept:
        admitted.append(request)
        return Accept(seats=(len(admitted),))

    pair = Pair(admit=admit, conditions=Conditions(latency=0.01))
    pair.host_tap.lose = lambda data: data[0] == hs.ACCEPT and pair.network.now < 8.0
    mine, theirs = pair.connect()
    assert len({data[5:13] for data in pair.guest_tap.sent if data[0] == hs.REQUEST}) >= 2
    hellos = [hs.decode_hello(data) for data in pair.guest_tap.sent if data[0] == hs.HELLO]
    shares = {(hello.nonce, hello.seed_share) for hello in hellos}
    assert len(shares) == len({share for _, share in shares}) >= 2, "a share must not be used under two commitments"
    assert [request.connection for request in admitted] == [theirs]
    assert mine.terms is not None
    assert theirs.terms is not None
    assert mine.terms.seed == theirs.terms.seed
    assert mine._path_key == theirs._path_key


def test_a_late_copy_of_a_hello_does_not_begin_anew() -> None:
    pair = Pair()
    mine, _ = pair.connect()
    hello = captured_hello(pair)
    pair.host.receive_datagram(hello, "guest", now=1.0)
    assert [data[0] for data, _ in pair.host.datagrams_to_send(now=1.0)] == [hs.ACCEPT]
    assert len(pair.host.connections) == 1
    mine.close()
    pair.network.flush("guest")
    pair.run(1.0)
    pair.host.receive_datagram(hello, "guest", now=2.0)
    assert pair.host.connections == {}
    assert pair.host.dropped["unexpected"] == 1


def test_a_share_of_the_seed_that_was_not_committed_to_ends_the_connection() -> None:
    pair = Pair()
    receive = pair.guest_tap.receive_datagram

    def tamper(data: bytes, address: Any, *, now: float) -> None:
        if data[0] == hs.ACCEPT:
            data = hs.encode_accept(hs.decode_accept(data)._replace(seed_share=1))
        receive(data, address, now=now)

    pair.guest_tap.receive_datagram = tamper
    pair.dial()
    pair.run(5.0)
    assert [(type(e), e.reason) for e in pair.guest_events] == [(Disconnected, Reason.VIOLATION)]


def test_answers_are_limited_in_number() -> None:
    host = make_endpoint(1, handshake_rate=10.0)
    for i in range(50):
        host.receive_datagram(hs.encode_request(i.to_bytes(8, "little")), "flood", now=1.0)
    assert len(host.datagrams_to_send(now=1.0)) == 10
    assert host.dropped["rate_limited"] == 40
    host.receive_datagram(hs.encode_request(NONCE), "later", now=1.5)
    assert len(host.datagrams_to_send(now=1.5)) == 1


def test_an_endpoint_that_only_dials_answers_nobody() -> None:
    guest = make_endpoint(1, accepting=False)
    guest.receive_datagram(hs.encode_request(NONCE), "x", now=1.0)
    hello = hs.encode_hello(hs.Hello(NONCE, b"c" * 16, 1, 0, 0, 0, 0, 1, 0, "", b""))
    guest.receive_datagram(hello, "x", now=1.0)
    assert guest.dropped["not_accepting"] == 2
    assert guest.datagrams_to_send(now=1.0) == []


def test_answers_from_another_address_or_with_another_nonce_are_ignored() -> None:
    guest = make_endpoint(1)
    guest.dial("host")
    [(request, _)] = guest.datagrams_to_send(now=0.0)
    nonce = request[5:13]
    before = fingerprint(guest)
    guest.receive_datagram(hs.encode_refuse(nonce, Reason.FULL, ""), "evil", now=0.1)
    guest.receive_datagram(hs.encode_refuse(NONCE, Reason.FULL, ""), "host", now=0.1)
    guest.receive_datagram(hs.encode_cookie(NONCE, b"c" * 16, b"s" * 16), "host", now=0.1)
    assert fingerprint(guest) == before
    assert guest.dropped["unexpected"] == 3


def test_misuse_is_refused() -> None:
    guest = make_endpoint(1, max_connections=1)
    with pytest.raises(UsageError):
        guest.dial("host", data=b"x" * 257)
    with pytest.raises(UsageError):
        guest.dial("host", seats=256)
    guest.dial("host")
    with pytest.raises(UsageError):
        guest.dial("host")
    for wrong in (
        {"game_id": "x" * 33},
        {"game_version": -1},
        {"capabilities": 1 << 32},
        {"max_datagram": 2000},
        {"timeout": 1.0},
        {"handshake_rate": 0.5},
        {"unread_limit": 0},
        {"max_message": -1},
        {"dial_timeout": 0.0},
        {"confirm_timeout": float("nan")},
    ):
        with pytest.raises(UsageError):
            LinkConfig(**wrong)  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(UsageError):
        Accept(seats=(32,))
    with pytest.raises(UsageError):
        Accept(data=b"x" * 257)
    with pytest.raises(UsageError):
        Refuse(reason=256)
