"""A sealed link in hostile hands: listeners, forgers on the path, replays, and whoever sits in between."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.link import Accept, LinkConfig, LinkEndpoint, Reason, Refused
from retick.link.handshake.packets import encode_request
from retick.link.layout import ACCEPT, ADMIT, COOKIE, ENTER, HELLO, MIN_HANDSHAKE, MIN_REQUEST, REQUEST
from retick.link.sealing.noise import Pattern
from tests.link.pair import total
from tests.link.talk import KEYS, SECRET, SERVER, Carried, Talk, flips

patterns = pytest.mark.parametrize("pattern", Pattern)
PLANTED = {name: f"planted-{name}".encode() for name in ("input", "message", "data", "answer", "token", "bye")}


def conversation(pattern: Pattern, **more: Any) -> Talk:
    """Connect, talk both ways, and part."""
    dial = {"data": PLANTED["data"]}
    if pattern is Pattern.NK:
        dial["token"] = PLANTED["token"]
    talk = Talk(pattern, admit=lambda request: Accept(seats=(2,), data=PLANTED["answer"]), dial=dial, **more).connect()
    for connection in (talk.mine, talk.theirs):
        connection.send_unreliable(PLANTED["input"])
        connection.send_reliable(PLANTED["message"] * 3)
    talk.run(0.2)
    return talk


@patterns
def test_a_capture_has_nothing_in_clear(pattern: Pattern) -> None:
    identity = bytes(range(90, 122))
    talk = conversation(pattern, identity=identity)
    talk.mine.close(text=PLANTED["bye"].decode())
    talk.run(0.2)
    assert [event.text for event in talk.events if hasattr(event, "text")] == [PLANTED["bye"].decode()] * 2
    capture = b"".join(carried.data for carried in talk.carried)
    secrets = [*PLANTED.values(), SECRET, SERVER, identity]
    assert [secret for secret in secrets if secret in capture] == []
    if pattern is not Pattern.NN:
        assert b"talk" not in capture, "with NN the game's id can be read, and the page says so"


def test_any_bit_of_any_datagram_flipped_changes_nothing_but_a_counter() -> None:
    """Exhaustive, for the whole of a short conversation, but for COOKIE: a dialler returns it unread, see below."""

    def flip_all(carried: Carried) -> bytes:
        if carried.data[0] == COOKIE:
            return carried.data
        endpoint = talk.host if carried.to_host else talk.guest
        before, counted = talk.state(), total(endpoint)
        refused = 0
        for changed in flips(carried.data):
            talk.deliver(changed, to_host=carried.to_host)
            if carried.to_host and carried.data[0] in (REQUEST, HELLO):
                answers = talk.host._replies
                refused += len(answers)
                assert sum(len(data) for data, _ in answers) <= len(changed)
                answers.clear()
        assert total(endpoint) - counted + refused == 8 * len(carried.data)
        assert talk.state() == before, carried
        seen.add(carried.data[0] if carried.data[0] >= 0xC0 else 0x80)
        return carried.data

    seen: set[int] = set()
    talk = Talk(Pattern.NNPSK0, identity=bytes(32))
    talk.tamper = flip_all
    talk.connect()
    for connection in (talk.mine, talk.theirs):
        connection.send_unreliable(b"input")
        connection.send_reliable(b"message")
    talk.step()
    talk.step()
    talk.mine.close(text="bye")
    talk.step()
    talk.step()
    assert seen == {0x80, 0xC0, 0xC1, 0xC2, 0xC6, 0xC7, 0xE0, 0xE2, 0xE3}
    assert not talk.host.connections
    assert not talk.guest.connections


@patterns
def test_replaying_any_datagram_at_any_time_changes_nothing(pattern: Pattern) -> None:
    talk = conversation(pattern)
    for _ in range(3):
        replay_all(talk)
        for connection in (talk.mine, talk.theirs):
            connection.send_unreliable(PLANTED["input"])
            # As if many datagrams had been lost: the sequence wraps on the way.
            connection._sequences._out_count += 30_000
        talk.step()
    talk.mine.close()
    talk.step()
    talk.step()
    assert not talk.host.connections
    replay_all(talk)


def replay_all(talk: Talk) -> None:
    talk.discard_answers()
    talk.host.events()
    talk.guest.events()
    order = list(talk.carried)
    for arrange in (list, reversed, lambda each: random.Random(1).sample(each, len(each))):
        for carried in arrange(order):
            for address in (None, "stranger"):
                for to_host in (carried.to_host, not carried.to_host):
                    before = talk.state()
                    talk.deliver(carried.data, to_host=to_host, address=address)
                    assert talk.state() == before, carried
                    assert talk.discard_answers() <= len(carried.data)


def between(pattern: Pattern, kind: int, change: Any) -> Talk:
    """Whoever sits in between changes every datagram of a kind, and the two try for a while."""
    talk = Talk(pattern, tamper=lambda carried: change(carried.data) if carried.data[0] == kind else carried.data)
    for _ in range(7):
        talk.step(0.3)
    return talk


def assert_apart(talk: Talk, kind: int) -> None:
    """The handshake has not come to its end, and nobody has keys that the other does not have."""
    assert not talk.mine.is_connected
    held = [each for each in talk.host.connections.values() if each.is_connected]
    if kind == ADMIT:
        assert [each.handshake_hash for each in held] == [talk.mine.handshake_hash]
    else:
        assert held == []
    if kind in (HELLO, COOKIE, REQUEST, ACCEPT):
        assert talk.mine._seal is None


HEADS = {REQUEST: 14, COOKIE: 45, HELLO: 36 + 32 + 26 + 4 + 16 + 1, ACCEPT: 87, ENTER: 27, ADMIT: 31}
"""Bytes of each kind before its padding; one byte of padding too."""


@patterns
@pytest.mark.parametrize("kind", [REQUEST, COOKIE, HELLO, ACCEPT, ENTER, ADMIT])
def test_who_sits_in_between_and_changes_one_bit_ends_the_handshake(pattern: Pattern, kind: int) -> None:
    """Each bit of each datagram of the handshake: that is, of the prologue, the messages, and all that is clear."""
    assert between(pattern, kind, bytes).mine.is_connected, "unchanged, it comes to its end"
    for bit in range(8 * HEADS[kind]):

        def flip(data: bytes, bit: int = bit) -> bytes:
            return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]

        assert_apart(between(pattern, kind, flip), kind)


@patterns
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 7), st.integers(0, 10**6))
def test_one_changed_datagram_delays_or_ends_a_handshake_and_never_splits_it(
    pattern: Pattern, number: int, at: int
) -> None:
    def once(carried: Carried) -> bytes:
        return (
            flips(carried.data[: at % len(carried.data) + 1])[-1] + carried.data[at % len(carried.data) + 1 :]
            if (carried.number == number)
            else carried.data
        )

    talk = Talk(pattern, tamper=once)
    talk.run(9.0, step=0.1)
    if talk.mine.is_connected:
        assert talk.theirs.handshake_hash == talk.mine.handshake_hash
        talk.mine.send_unreliable(b"through")
        talk.step()
        assert any(getattr(event, "data", b"") == b"through" for event in talk.events)
    else:
        assert any(isinstance(event, Refused) for event in talk.events)
        assert not any(each.is_connected for each in talk.host.connections.values())


def test_an_answer_of_somebody_else_leaves_the_dialler_waiting_for_the_right_one() -> None:
    other = Talk(Pattern.NNPSK0).connect()
    strange = next(carried.data for carried in other.carried if carried.data[0] == ACCEPT)

    def forge(carried: Carried) -> bytes:
        if carried.data[0] == ACCEPT:
            talk.deliver(carried.data[:13] + strange[13:], to_host=False)
        return carried.data

    talk = Talk(Pattern.NK)
    talk.tamper = forge
    talk.connect()
    assert talk.guest.dropped["bad_seal"] == 1


@given(st.binary(max_size=1400), st.sampled_from(Pattern), st.sampled_from(["guest", "stranger", ("192.0.2.1", 9)]))
def test_no_answer_to_any_bytes_is_longer_than_they_are(data: bytes, pattern: Pattern, address: Any) -> None:
    endpoint = LinkEndpoint(LinkConfig(sealed=True, **KEYS[pattern][0]), entropy=random.Random(1).randbytes)
    endpoint.receive_datagram(data, address, now=1.0)
    assert sum(len(answer) for answer, _ in endpoint.datagrams_to_send(now=1.0)) <= len(data)


@pytest.mark.parametrize("size", [MIN_REQUEST, MIN_HANDSHAKE])
@pytest.mark.parametrize("version", range(256))
def test_no_answer_to_a_request_is_longer_than_it_is(size: int, version: int) -> None:
    for sealed in (False, True):
        endpoint = LinkEndpoint(LinkConfig(sealed=sealed), entropy=random.Random(1).randbytes)
        endpoint.receive_datagram(encode_request(bytes(8), size, version), "stranger", now=1.0)
        [(answer, _)] = endpoint.datagrams_to_send(now=1.0)
        assert len(answer) <= size


@patterns
def test_before_the_address_is_proven_no_answer_is_longer_than_its_question(pattern: Pattern) -> None:
    talk = conversation(pattern)
    sizes = {carried.data[0]: len(carried.data) for carried in talk.carried}
    assert sizes[COOKIE] <= MIN_REQUEST <= sizes[REQUEST]
    assert sizes[ACCEPT] <= sizes[HELLO]


def test_secrets_are_in_no_repr_event_or_error() -> None:
    requests: list[Any] = []

    def admit(request: Any) -> Accept:
        requests.append(request)
        return Accept()

    talk = Talk(Pattern.NK, admit=admit, dial={"token": PLANTED["token"]}, identity=bytes(range(90, 122))).connect()
    assert requests[0].token == PLANTED["token"]
    shown = repr((talk.host.config, talk.guest.config, requests, talk.mine, talk.theirs, talk.events, talk.mine._seal))
    for secret in (SERVER, bytes(range(90, 122)), PLANTED["token"], talk.guest.config.server_key):
        assert repr(secret)[2:-1] not in shown
        assert secret is not None
        assert secret.hex() not in shown


def test_keys_are_forgotten_when_a_connection_ends() -> None:
    talk = Talk(Pattern.NNPSK0).connect()
    mine, theirs = talk.mine, talk.theirs
    assert mine._seal is not None
    mine.close()
    talk.run(1.0)
    assert (mine._seal, theirs._seal) == (None, None)
    assert [event.reason for event in talk.events if hasattr(event, "reason")] == [Reason.GOODBYE] * 2
