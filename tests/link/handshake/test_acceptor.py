"""The acceptor: terms, refusals, repeated and late HELLOs, and nothing kept before an address is proven."""

from typing import Any

import pytest

from retick.link import (
    Accept,
    Disconnected,
    Reason,
    Refuse,
    Refused,
    Request,
    State,
    describe,
)
from retick.link.handshake import packets as hs
from retick.link.layout import (
    ACCEPT,
    COOKIE,
)
from tests.link.pair import NONCE, Pair, captured_hello, fingerprint, make_endpoint


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


def test_nothing_is_kept_before_the_cookie_comes_back() -> None:
    host = make_endpoint(1, sealed=False)
    before = fingerprint(host)
    for i in range(150):
        host.receive_datagram(hs.encode_request(i.to_bytes(8, "little")), ("10.0.0.1", i), now=1.0)
        answers = host.datagrams_to_send(now=1.0)
        assert [data[0] for data, _ in answers] == [COOKIE]
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


def test_an_accepted_connection_that_never_speaks_is_dropped() -> None:
    admitted: list[Request] = []

    def admit(request: Request) -> Accept:
        admitted.append(request)
        return Accept()

    pair = Pair(admit=admit, sealed=False)
    pair.host_tap.lose = lambda data: data[0] == ACCEPT
    pair.dial()
    pair.run(0.1)
    pair.network.detach("guest")
    pair.run(6.0)
    assert [(type(e), e.reason, e.connection) for e in pair.host_events] == [
        (Disconnected, Reason.NO_ANSWER, admitted[0].connection)
    ]
    assert pair.host.connections == {}


def test_a_late_copy_of_a_hello_does_not_begin_anew() -> None:
    pair = Pair(sealed=False)
    mine, _ = pair.connect()
    hello = captured_hello(pair)
    pair.host.receive_datagram(hello, "guest", now=1.0)
    assert [data[0] for data, _ in pair.host.datagrams_to_send(now=1.0)] == [ACCEPT]
    assert len(pair.host.connections) == 1
    mine.close()
    pair.network.flush("guest")
    pair.run(1.0)
    pair.host.receive_datagram(hello, "guest", now=2.0)
    assert pair.host.connections == {}
    assert pair.host.dropped["unexpected"] == 1


def test_an_endpoint_that_only_dials_answers_nobody() -> None:
    guest = make_endpoint(1, accepting=False, sealed=False)
    guest.receive_datagram(hs.encode_request(NONCE), "x", now=1.0)
    hello = hs.encode_hello(hs.Hello(NONCE, b"c" * 16, hs.Offer(1, 0, 0, 0, 0), 1, 0, "", b""))
    guest.receive_datagram(hello, "x", now=1.0)
    assert guest.dropped["not_accepting"] == 2
    assert guest.datagrams_to_send(now=1.0) == []
