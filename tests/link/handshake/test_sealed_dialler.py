"""The dialler of sealed links: what it requires, what it takes, and how long it tries."""

from itertools import pairwise

import pytest

from retick.link import Accept, Disconnected, Reason, Refused
from retick.link.handshake import packets, sealed
from retick.link.handshake.packets import encode_refuse
from retick.link.layout import ACCEPT, ADMIT, ENTER, HELLO, State
from retick.link.sealing.keys import ROLE_DIALLER, prove_identity
from retick.link.sealing.noise import Pattern
from tests.link.talk import Carried, Talk


def test_a_missing_capability_ends_it_with_a_sealed_goodbye() -> None:
    talk = Talk(guest={"required": 8, "capabilities": 8}, host={"capabilities": 0})
    talk.run(1.0)
    # The acceptor sees it first: what is required is in HELLO.
    assert [event.reason for event in talk.events if isinstance(event, Refused)] == [Reason.CAPABILITY]


def test_another_share_than_the_committed_one_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    real = packets.encode_answer
    monkeypatch.setattr(packets, "encode_answer", lambda offer, share: real(offer, share ^ 1))
    talk = Talk()
    talk.run(1.0)
    [end] = talk.events
    assert isinstance(end, Disconnected)
    assert (end.connection, end.reason) == (talk.mine, Reason.VIOLATION)
    assert not talk.host.connections, "the goodbye was sealed, and opened"


def test_an_acceptor_that_sends_the_diallers_signature_back_is_no_acquaintance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "prove_identity", lambda key, role, text: prove_identity(bytes(32), ROLE_DIALLER, text))
    talk = Talk(guest={"identity": bytes(32)})
    talk.run(1.0)
    mine = [event for event in talk.events if getattr(event, "connection", None) is talk.mine]
    assert [(type(event), event.reason) for event in mine] == [(Disconnected, Reason.VIOLATION)]
    assert talk.mine.fingerprint is None


def test_with_keys_a_refusal_in_clear_is_anybodys_and_ignored() -> None:
    talk = Talk(tamper=lambda carried: None if carried.data[0] == ADMIT else carried.data)
    talk.run(0.3)
    assert talk.mine.state is State.ENTERING
    before = talk.guest.dropped["unexpected"]
    talk.deliver(encode_refuse(talk.mine._nonce, Reason.DENIED, "forged", 2), to_host=False)
    assert talk.guest.dropped["unexpected"] == before + 1
    assert talk.mine.state is State.ENTERING
    talk.tamper = lambda carried: carried.data
    talk.run(1.0)
    assert talk.mine.is_connected


def test_a_second_accept_is_dropped() -> None:
    talk = Talk().connect()
    accept = next(carried.data for carried in talk.carried if carried.data[0] == ACCEPT)
    talk.deliver(accept, to_host=False)
    assert talk.guest.dropped["unexpected"] == 1


def test_enter_is_repeated_as_hello_is_and_given_up_after_the_time_of_a_dial() -> None:
    times: list[float] = []

    def lose(carried: Carried) -> bytes | None:
        if carried.data[0] == ENTER:
            times.append(talk.now)
            return None
        return carried.data

    talk = Talk(confirm_timeout=20.0)
    talk.tamper = lose
    talk.run(12.0, step=0.01)
    waits = [round(b - a, 2) for a, b in pairwise(times)]
    assert [0.24 <= wait <= 0.52 for wait in waits] == [True] * len(waits)
    assert waits[0] < waits[2]
    assert 18 <= len(times) <= 25
    assert [event.reason for event in talk.events] == [Reason.NO_ANSWER]


def test_data_and_messages_before_admit_are_dropped_and_come_again() -> None:
    held: list[Carried] = []

    def hold(carried: Carried) -> bytes | None:
        if carried.data[0] == ADMIT and not held:
            held.append(carried)
            return None
        return carried.data

    talk = Talk(tamper=hold, admit=lambda request: Accept())
    talk.run(0.2)
    assert talk.theirs.send_unreliable(b"too early")
    assert talk.theirs.send_reliable(b"again")
    talk.step()
    assert talk.guest.dropped["unexpected"] >= 2
    talk.run(2.0)
    assert talk.mine.is_connected
    assert [event.data for event in talk.events if hasattr(event, "data")] == [b"again"]


def test_a_connection_can_be_closed_while_it_enters() -> None:
    talk = Talk(tamper=lambda carried: None if carried.data[0] == ADMIT else carried.data)
    talk.run(0.3)
    talk.mine.close()
    talk.run(0.5)
    assert not talk.guest.connections
    assert not talk.host.connections


def test_each_dial_has_another_ephemeral_key() -> None:
    talk = Talk(Pattern.NN).connect()
    talk.guest.dial("host")
    talk.run(0.3)
    hellos = [carried.data[36:68] for carried in talk.carried if carried.data[0] == HELLO]
    assert len(set(hellos)) == 2
