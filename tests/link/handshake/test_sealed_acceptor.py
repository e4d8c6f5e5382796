"""The acceptor of sealed links: who is let in, who is refused in which words, and what it remembers."""

from typing import Any

import pytest

from retick.link import Accept, Connected, Disconnected, Reason, Refuse, Refused, Request
from retick.link.handshake import sealed
from retick.link.handshake.packets import encode_enter
from retick.link.handshake.sealed import ANOTHER_KEY, ANOTHER_SECRET, patterns_of
from retick.link.layout import ACCEPT, ADMIT, BYE, COOKIE, ENTER, HELLO, REFUSE, State
from retick.link.sealed_path import send
from retick.link.sealing.keys import ROLE_ACCEPTOR, fingerprint_of, prove_identity
from retick.link.sealing.noise import Pattern
from retick.link.sealing.primitives import public_key_of, signer_of
from tests.link.pair import Pair
from tests.link.talk import KEYS, SECRET, SERVER, Carried, Talk

patterns = pytest.mark.parametrize("pattern", Pattern)
OTHER = bytes(16)


def refusals(talk: Talk) -> list[tuple[int, str]]:
    return [(event.reason, event.text) for event in talk.events if isinstance(event, Refused)]


@patterns
def test_both_agree_on_terms_and_the_application_is_asked_with_what_was_sealed(pattern: Pattern) -> None:
    asked: list[Request] = []

    def admit(request: Request) -> Accept:
        asked.append(request)
        return Accept(seats=(3, 1), data=b"welcome")

    token = b"t" * 700 if pattern is Pattern.NK else b""
    talk = Talk(
        pattern, admit=admit, dial={"seats": 2, "data": b"hello", "token": token}, capabilities=5, tick_rate=60,
        game_version=7, guest={"capabilities": 6, "identity": bytes(32), "tick_rate": 0},
        host={"identity": bytes([1]) * 32},
    ).connect()  # fmt: skip
    [request] = asked
    assert (request.address, request.capabilities, request.tick_rate, request.seats) == ("guest", 6, 0, 2)
    assert (request.data, request.token) == (b"hello", token)
    assert request.fingerprint == talk.theirs.fingerprint == fingerprint_of(signer_of(bytes(32)))
    assert talk.mine.fingerprint == fingerprint_of(signer_of(bytes([1]) * 32))
    for terms, data in ((talk.mine.terms, b"welcome"), (talk.theirs.terms, b"hello")):
        assert terms is not None
        assert (terms.capabilities, terms.tick_rate, terms.seats, terms.peer_game_version) == (4, 60, (1, 3), 7)
        assert terms.peer_data == data
    assert talk.mine.terms is not None
    assert talk.theirs.terms is not None
    assert talk.mine.terms.seed == talk.theirs.terms.seed
    assert [type(event) for event in talk.events] == [Connected, Connected]


def test_without_lasting_keys_there_are_no_fingerprints() -> None:
    talk = Talk().connect()
    assert (talk.mine.fingerprint, talk.theirs.fingerprint) == (None, None)


@pytest.mark.parametrize(
    ("host", "guest", "text"),
    [
        ({"secret": SECRET}, {}, "an invite is needed here"),
        ({"secret": SECRET}, KEYS[Pattern.NK][1], "an invite is needed here"),
        ({"secret": SECRET}, {"secret": OTHER}, ANOTHER_SECRET),
        ({"key_pair": SERVER}, {}, "a token with this server's key is needed here"),
        ({"key_pair": SERVER}, {"secret": SECRET}, "a token with this server's key is needed here"),
        ({"key_pair": SERVER}, {"server_key": public_key_of(bytes(32))}, ANOTHER_KEY),
        ({"key_pair": SERVER, "secret": SECRET}, {}, "an invite, or a token with this server's key, is needed here"),
        ({}, {"secret": SECRET}, "this side has no invite and no key: dial it without"),
        ({}, KEYS[Pattern.NK][1], "this side has no invite and no key: dial it without"),
    ],
)
def test_a_secret_or_key_that_does_not_fit_is_refused_in_words(host: Any, guest: Any, text: str) -> None:
    talk = Talk(Pattern.NN, host=host, guest=guest)
    talk.run(0.5)
    assert refusals(talk) == [(Reason.SECRET, text)]
    assert not talk.host.connections


def test_who_has_a_secret_and_a_key_pair_takes_both_and_nobody_else() -> None:
    both = {"key_pair": SERVER, "secret": SECRET}
    for pattern in (Pattern.NNPSK0, Pattern.NK):
        assert Talk(pattern, host=both).connect().mine.is_connected
    assert patterns_of(Talk(host=both).host.config) == {Pattern.NNPSK0, Pattern.NK}


@pytest.mark.parametrize("sealed", [False, True])
def test_plain_and_sealed_refuse_each_other_in_words_and_never_fall_back(sealed: bool) -> None:
    talk = Talk(Pattern.NN, host={"sealed": sealed}, guest={"sealed": not sealed})
    talk.run(1.0)
    form = "sealed" if sealed else "plain"
    text = f"the other side takes {form} links only: set sealed={sealed} here, or sealed={not sealed} on both"
    assert refusals(talk) == [(Reason.VERSION, text)]
    assert [carried.data[0] for carried in talk.carried if not carried.to_host] == [REFUSE]
    assert not talk.host.connections
    [refusal] = [carried.data for carried in talk.carried if not carried.to_host]
    assert refusal[4] == 1 + sealed


def test_settings_that_differ_are_refused_before_the_application_is_asked() -> None:
    asked: list[Request] = []
    for host, guest, reason in (
        ({}, {"game_id": "other"}, Reason.GAME),
        ({}, {"game_version": 2}, Reason.GAME_VERSION),
        ({"required": 1}, {}, Reason.CAPABILITY),
        ({"tick_rate": 60}, {"tick_rate": 30}, Reason.TICK_RATE),
        ({"max_connections": 0}, {}, Reason.FULL),
    ):
        talk = Talk(host=host, guest=guest, admit=lambda request: asked.append(request) or Accept())  # type: ignore[func-returns-value]  # append returns None
        talk.run(0.5)
        assert [found for found, _ in refusals(talk)] == [reason]
    assert asked == []


def test_the_applications_refusal_is_sealed_and_the_acceptor_hears_no_more_of_it() -> None:
    talk = Talk(admit=lambda request: Refuse(reason=200, text="planted no"))
    talk.run(1.0)
    assert refusals(talk) == [(200, "planted no")]
    assert len(talk.events) == 1, "the application said no, and knows it"
    kinds = [carried.data[0] for carried in talk.carried if not carried.to_host]
    assert BYE in kinds
    assert REFUSE not in kinds
    assert not any(b"planted" in carried.data for carried in talk.carried)
    assert not talk.host.connections
    assert not talk.guest.connections
    assert talk.mine._seal is None


@pytest.mark.parametrize("kind", [HELLO, ACCEPT, ENTER, ADMIT])
def test_each_datagram_of_the_handshake_may_be_lost(kind: int) -> None:
    lost: list[bytes] = []
    asked: list[Request] = []

    def lose(carried: Carried) -> bytes | None:
        if carried.data[0] == kind and len(lost) < 3:
            lost.append(carried.data)
            return None
        return carried.data

    talk = Talk(tamper=lose, admit=lambda request: asked.append(request) or Accept())  # type: ignore[func-returns-value]  # append returns None
    talk.run(3.0)
    assert talk.mine.is_connected
    assert talk.theirs.handshake_hash == talk.mine.handshake_hash
    assert len(asked) == 1
    assert len(lost) == 3
    assert [type(event) for event in talk.events].count(Connected) == 2
    if kind in (HELLO, ACCEPT):
        assert len(set(lost)) == 1, "repeated byte for byte"
    else:
        assert len(set(lost)) == 3, "sealed anew"


def test_one_who_never_enters_is_forgotten_and_nobody_hears_of_it() -> None:
    talk = Talk(tamper=lambda carried: None if carried.data[0] == ENTER else carried.data)
    talk.run(3.0)
    assert talk.theirs.state is State.ACCEPTED
    assert talk.mine.state is State.ENTERING
    talk.run(8.0)
    assert not talk.host.connections
    [end] = talk.events
    assert (end.connection, end.reason) == (talk.mine, Reason.NO_ANSWER)
    assert not talk.host._acceptor._accepted
    assert not talk.host._acceptor.limits._inside


def test_a_dialler_that_begins_again_gets_new_keys() -> None:
    """Eight HELLOs without an answer: it asks for a new cookie, under a new nonce, with a new ephemeral key."""
    hellos: list[bytes] = []

    def lose(carried: Carried) -> bytes | None:
        if carried.data[0] == HELLO:
            hellos.append(carried.data)
        return None if carried.data[0] == ACCEPT and carried.data[5:13] == hellos[0][5:13] else carried.data

    talk = Talk(tamper=lose)
    talk.run(6.0)
    assert talk.mine.is_connected
    assert len(set(hellos)) == 2
    assert talk.theirs.handshake_hash == talk.mine.handshake_hash
    assert len(talk.host.connections) == 1


def test_another_hello_under_the_same_nonce_is_dropped() -> None:
    talk = Talk(Pattern.NN, tamper=lambda carried: None if carried.data[0] == ENTER else carried.data)
    talk.run(0.2)
    hello = next(carried.data for carried in talk.carried if carried.data[0] == HELLO)
    before = talk.state()
    forged = bytearray(hello)
    forged[40] ^= 1
    talk.deliver(bytes(forged), to_host=True)
    assert talk.host.dropped["unexpected"] == 1
    assert talk.state() == before


def test_a_late_copy_of_a_hello_opens_nothing_when_its_connection_is_up_or_closed() -> None:
    talk = Talk().connect()
    hello = next(carried.data for carried in talk.carried if carried.data[0] == HELLO)
    talk.deliver(hello, to_host=True)
    assert talk.host.dropped["unexpected"] == 1
    talk.mine.close()
    talk.run(0.5)
    talk.deliver(hello, to_host=True)
    assert talk.host.dropped["unexpected"] == 2
    assert not talk.host.connections
    assert not talk.host._replies


def test_a_wrong_signature_ends_the_handshake_before_the_application_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []
    # The dialler signs in the other role: as an acceptor would that sends a signature back.
    monkeypatch.setattr(
        sealed, "prove_identity", lambda key, role, text: prove_identity(bytes(32), ROLE_ACCEPTOR, text)
    )
    talk = Talk(admit=lambda request: asked.append(request) or Accept())  # type: ignore[func-returns-value]  # append returns None
    talk.run(1.0)
    assert refusals(talk) == [(Reason.VIOLATION, "the signature was not made with this key")]
    assert asked == []
    assert not talk.host.connections


def test_closing_the_endpoint_ends_those_that_have_not_entered() -> None:
    talk = Talk(tamper=lambda carried: None if carried.data[0] == ENTER else carried.data)
    talk.run(0.2)
    talk.host.close()
    talk.run(1.0)
    assert [reason for reason, _ in refusals(talk)] == [Reason.SHUTDOWN]
    assert not talk.host.connections
    assert not [event for event in talk.events if isinstance(event, Disconnected)]


def test_many_dial_at_once_and_each_has_keys_of_its_own() -> None:
    pair = Pair(sealed=True, secret=SECRET, max_unconfirmed_per_address=100, max_connections_per_address=100)
    dialled = [pair.dial() for _ in range(12)]
    pair.run(3.0)
    assert all(each.is_connected for each in dialled)
    assert len({each.handshake_hash for each in dialled}) == 12


def test_a_cookie_is_answered_with_the_version_that_was_asked_for() -> None:
    talk = Talk().connect()
    assert {carried.data[4] for carried in talk.carried if carried.data[0] >= 0xE0} == {2}
    assert next(carried.data for carried in talk.carried if carried.data[0] == COOKIE)[4] == 2


def test_those_who_have_not_entered_are_limited_for_each_address_and_expire() -> None:
    pair = Pair(sealed=True, secret=SECRET, max_unconfirmed_per_address=2)
    pair.guest_tap.lose = lambda data: data[0] == ENTER
    dialled = [pair.dial() for _ in range(4)]
    pair.run(2.0)
    assert len(pair.host.connections) == 2
    assert pair.host.dropped["unconfirmed"] > 0
    pair.guest_tap.lose = lambda data: False
    pair.run(4.0)
    assert all(each.is_connected for each in dialled), "the others were in by then, and these asked again"


def test_a_peer_that_repeats_enter_gets_the_same_answer_without_a_new_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Talk(host={"identity": bytes(32)}).connect()
    monkeypatch.setattr(sealed, "prove_identity", None)
    for _ in range(3):
        talk.deliver(send(talk.mine, ENTER, encode_enter(b"", b""), talk.now), to_host=True)
    answers = [data for data, _ in talk.host.datagrams_to_send(now=talk.now)]
    assert [data[0] for data in answers].count(ADMIT) == 3
    for data in answers:
        talk.deliver(data, to_host=False)
    assert talk.mine.is_connected
    assert not talk.guest.has_events


def test_a_public_key_of_low_order_opens_nothing() -> None:
    """X25519 gives zeros for it, whatever the other key is: the keys would be known to everybody."""

    def weaken(carried: Carried) -> bytes:
        return carried.data if carried.data[0] != HELLO else carried.data[:36] + bytes(32) + carried.data[68:]

    talk = Talk(Pattern.NN, tamper=weaken)
    talk.run(1.0)
    assert talk.host.dropped["malformed"] > 0
    assert not talk.host.connections
    assert not talk.mine.is_connected


def test_a_banned_key_is_refused_from_any_address_and_the_application_is_not_asked() -> None:
    asked: list[Request] = []

    def admit(request: Request) -> Accept:
        asked.append(request)
        return Accept()

    talk = Talk(admit=admit, guest={"identity": bytes(32)})
    talk.host.ban("elsewhere", fingerprint=fingerprint_of(signer_of(bytes(32))))
    talk.run(1.0)
    assert refusals(talk) == [(Reason.DENIED, "refused: this key is banned")]
    assert (asked, talk.host.connections) == ([], {})


def test_who_has_no_key_is_not_the_one_that_was_banned() -> None:
    talk = Talk()
    talk.host.ban("elsewhere", fingerprint=fingerprint_of(signer_of(bytes(32))))
    talk.connect()


def test_a_dialler_has_no_link_with_an_acceptor_whose_key_it_has_banned() -> None:
    talk = Talk(host={"identity": bytes(32)})
    talk.guest.ban("elsewhere", fingerprint=fingerprint_of(signer_of(bytes(32))))
    talk.run(1.0)
    mine = [event for event in talk.events if event.connection is talk.mine]
    assert [(type(event), event.reason, event.text) for event in mine] == [
        (Disconnected, Reason.DENIED, "refused: this key is banned")
    ]
    assert talk.host.connections == {}
