"""The dialler: repetitions, restarts, and answers that are lost, forged or missing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.link import (
    Accept,
    Connected,
    Disconnected,
    Reason,
    Request,
    State,
)
from retick.link.handshake import packets as hs
from retick.link.handshake.dialler import MOST_UNANSWERED, UNANSWERED_RATE
from retick.link.layout import (
    ACCEPT,
    COOKIE,
    HELLO,
    REQUEST,
)
from retick.transport import Conditions
from tests.effort import examples
from tests.link.pair import NONCE, Pair, fingerprint, make_endpoint


@pytest.mark.parametrize("kind", [REQUEST, COOKIE, HELLO, ACCEPT])
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


@settings(max_examples=examples(300))
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
    pair.network.run_while(lambda: not any(data[0] == HELLO for data in pair.guest_tap.sent), limit=1.0)
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


def test_a_dialler_that_begins_again_is_known_again() -> None:
    admitted: list[Request] = []

    def admit(request: Request) -> Accept:
        admitted.append(request)
        return Accept(seats=(len(admitted),))

    pair = Pair(admit=admit, conditions=Conditions(latency=0.01), sealed=False)
    pair.host_tap.lose = lambda data: data[0] == ACCEPT and pair.network.now < 8.0
    mine, theirs = pair.connect()
    assert len({data[5:13] for data in pair.guest_tap.sent if data[0] == REQUEST}) >= 2
    hellos = [hs.decode_hello(data) for data in pair.guest_tap.sent if data[0] == HELLO]
    shares = {(hello.nonce, hello.seed_share) for hello in hellos}
    assert len(shares) == len({share for _, share in shares}) >= 2, "a share must not be used under two commitments"
    assert [request.connection for request in admitted] == [theirs]
    assert mine.terms is not None
    assert theirs.terms is not None
    assert mine.terms.seed == theirs.terms.seed
    assert mine._path_key == theirs._path_key


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


def test_an_address_that_was_only_heard_of_gets_few_and_small_requests() -> None:
    pair = Pair()
    pair.crash("host")
    pair.dial(heard_of=True)
    pair.run(30.0)
    assert [event.reason for event in pair.guest_events] == [Reason.NO_ANSWER]
    assert {data[0] for data in pair.guest_tap.sent} == {REQUEST}
    assert len(pair.guest_tap.sent) <= 8
    assert sum(map(len, pair.guest_tap.sent)) <= 1024


def test_all_addresses_that_were_only_heard_of_share_one_budget() -> None:
    """However many there are: 15 kB at once, and 64 bytes a second from then on."""
    guest, sent, seconds = make_endpoint(1, max_connections=1000), 0, 320
    for now in range(seconds):
        guest.handle_timeout(now=now)
        if now % 10 == 0:
            for number in range(15):
                guest.dial(f"victim{now}.{number}", heard_of=True)
        sent += sum(len(data) for data, _ in guest.datagrams_to_send(now=now))
    assert 15_000 < sent <= (MOST_UNANSWERED + UNANSWERED_RATE * seconds) * 128


def test_requests_that_were_answered_are_not_counted() -> None:
    pair = Pair(conditions=Conditions(latency=0.3), sealed=False)
    for _ in range(2 * MOST_UNANSWERED):
        connection = pair.dial(heard_of=True)
        pair.run(1.3)
        assert connection.is_connected
        connection.close()
        pair.run(0.6)
    asked = sum(data[0] == REQUEST for data in pair.guest_tap.sent)
    assert asked > MOST_UNANSWERED + UNANSWERED_RATE * pair.network.now


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_a_dial_to_an_address_that_was_heard_of_is_an_ordinary_one_after_the_first_answer(loss: float) -> None:
    pair = Pair(conditions=Conditions(latency=0.03, loss=loss))
    pair.connect(heard_of=True)
    requests = [len(data) for data in pair.guest_tap.sent if data[0] == REQUEST]
    hellos = [len(data) for data in pair.guest_tap.sent if data[0] == HELLO]
    assert set(requests) == {128}
    assert set(hellos) == {512}
