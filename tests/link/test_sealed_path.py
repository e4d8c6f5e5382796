"""Sealed datagrams after the handshake: the window, numbers that wrap, another address, the end of a key."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError
from retick.link import (
    AddressChanged,
    Connection,
    Disconnected,
    Interrupted,
    Reason,
    ReliableReceived,
    UnreliableReceived,
)
from retick.link.layout import CLAIM, CONTROL, ENVELOPE_SIZE, KEY_LIMIT, PROOF, PROVE, SEEN_WINDOW, TAG_SIZE
from retick.link.sealed_path import PROVE_SIZE, send
from retick.link.sealing.noise import Pattern
from retick.transport import Conditions
from tests.link.pair import Pair, chat, received
from tests.link.talk import SECRET, Talk

SEALED: dict[str, Any] = {"sealed": True, "secret": SECRET}


def payloads(talk: Talk) -> list[bytes]:
    return [event.data for event in talk.events if isinstance(event, UnreliableReceived)]


def posted(talk: Talk, sender: Connection, data: bytes) -> bytes:
    """A sealed payload that is not delivered."""
    endpoint = talk.guest if sender is talk.mine else talk.host
    endpoint.datagrams_to_send(now=talk.now)
    assert sender.send_unreliable(data)
    [datagram] = [each for each, _ in endpoint.datagrams_to_send(now=talk.now) if each[0] < CONTROL]
    return datagram


def test_sealing_adds_16_bytes_and_the_budget_holds() -> None:
    pair = Pair(conditions=Conditions(latency=0.01), **SEALED)
    mine, theirs = pair.connect()
    most = 1200 - ENVELOPE_SIZE - TAG_SIZE
    with pytest.raises(EncodeError, match=f"a payload is 1 to {most} bytes, not {most + 1}"):
        mine.send_unreliable(bytes(most + 1))
    mine.send_unreliable(bytes(most))
    mine.send_unreliable(b"x")
    mine.send_reliable(bytes(50_000))
    pair.flush()
    sizes = [len(data) for data in pair.guest_tap.sent]
    assert max(sizes) == 1200
    assert 1 + ENVELOPE_SIZE + TAG_SIZE in sizes
    pair.run(2.0)
    assert received(pair) == [bytes(50_000)]
    assert mine.stats.bytes_sent == sum(len(data) for data in pair.guest_tap.sent if data[0] < 0xE0)
    assert theirs.stats.bytes_received == mine.stats.bytes_sent


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_a_lossy_sealed_link_delivers_as_a_plain_one(loss: float) -> None:
    told = {}
    for sealed in ({}, SEALED):
        pair = Pair(conditions=Conditions(latency=0.03, loss=loss, jitter=0.02, duplicate=0.1), **sealed)
        mine, theirs = pair.connect()
        for number in range(40):
            mine.send_reliable(b"%d" % number * 50)
            chat(pair, mine, theirs, 0.1)
        pair.run(3.0)
        told[bool(sealed)] = received(pair)
        assert pair.host.dropped["bad_seal"] == pair.guest.dropped["bad_seal"] == 0
    assert told[True] == told[False]
    assert len(told[True]) == 40


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, SEEN_WINDOW + 40), min_size=1, max_size=60), st.integers(0, 2**34))
def test_each_datagram_opens_once_in_any_order_within_the_window(picks: list[int], start: int) -> None:
    talk = Talk().connect()
    # Both as after so many datagrams: the sequence has wrapped many times.
    talk.mine._sequences._out_count += start
    talk.theirs._sequences._expected += start
    talk.theirs._sequences.newest = (talk.theirs._sequences.newest + start) & 0xFFFF
    sent = [posted(talk, talk.mine, b"%d" % number) for number in range(SEEN_WINDOW + 41)]
    newest, taken = -SEEN_WINDOW, set()
    expected = []
    for pick in picks:
        if pick > newest - SEEN_WINDOW and pick not in taken:
            expected.append(b"%d" % pick)
            taken.add(pick)
            newest = max(newest, pick)
        talk.deliver(sent[pick], to_host=True)
    found = [event.data for event in talk.host.events() if isinstance(event, UnreliableReceived)]
    assert found == expected
    assert talk.host.dropped["bad_seal"] == 0


def test_the_window_moves_only_after_a_datagram_has_opened() -> None:
    talk = Talk().connect()
    early = posted(talk, talk.mine, b"early")
    before = talk.state()
    for ahead in (1, 255, 256, 1000, 32_000, 40_000):
        forged = bytearray(early)
        sequence = (int.from_bytes(early[5:7], "little") + ahead) & 0xFFFF
        forged[5:7] = sequence.to_bytes(2, "little")
        talk.deliver(bytes(forged), to_host=True)
    assert talk.state() == before
    assert talk.host.dropped["bad_seal"] + talk.host.dropped["stale"] == 6
    talk.deliver(early, to_host=True)
    talk.step()
    assert payloads(talk) == [b"early"]


def test_sequences_wrap_many_times_and_old_ones_never_open_again() -> None:
    talk = Talk().connect()
    old: list[bytes] = []
    for number in range(100):
        # As if the datagrams between had been lost: three million in all, 45 turns of the sequence.
        talk.mine._sequences._out_count += 30_000 + number
        datagram = posted(talk, talk.mine, b"%d" % number)
        talk.deliver(datagram, to_host=True)
        for each in random.Random(number).sample(old, min(len(old), 5)):
            talk.deliver(each, to_host=True)
        old.append(datagram)
    talk.step()
    assert payloads(talk) == [b"%d" % number for number in range(100)]
    assert talk.theirs._sequences._expected == talk.mine._sequences._out_count >= 45 * 65536
    assert talk.host.dropped["bad_seal"] > 100
    assert talk.host.dropped["bad_seal"] + talk.host.dropped["stale"] + talk.host.dropped["duplicate"] == 485


def test_a_datagram_of_another_direction_or_connection_does_not_open() -> None:
    talk, other = Talk().connect(), Talk(Pattern.NN).connect()
    strange = posted(other, other.mine, b"strange")
    own = posted(talk, talk.theirs, b"own")
    head = talk.theirs.local_id.to_bytes(4, "little")
    for data in (strange, own):
        sequence = (talk.theirs._sequences.newest + 1).to_bytes(2, "little")
        talk.deliver(data[:1] + head + sequence + data[7:], to_host=True)
    assert talk.host.dropped["bad_seal"] == 2
    assert not talk.host.has_events


def test_a_peer_whose_address_changes_goes_on_without_a_gap() -> None:
    pair = Pair(conditions=Conditions(latency=0.05), **SEALED)
    mine, theirs = pair.connect()
    pair.network.move("guest", "guest2")
    until, sent = pair.network.now + 1.0, 0
    while pair.network.now < until:
        sent += mine.send_unreliable(bytes(20))
        pair.network.flush("guest2")
        pair.run(1 / 60)
    pair.run(0.1)
    [changed] = pair.of(pair.host_events, AddressChanged)
    assert (changed.connection, changed.old, changed.new) == (theirs, "guest", "guest2")
    assert len(pair.of(pair.host_events, UnreliableReceived)) == sent, (
        "what opens is the peer's, wherever it comes from"
    )
    before = len(pair.of(pair.guest_events, UnreliableReceived))
    theirs.send_unreliable(b"found you")
    pair.network.flush("host")
    pair.run(0.2)
    assert len(pair.of(pair.guest_events, UnreliableReceived)) == before + 1
    assert pair.host.dropped["unproven_address"] == pair.host.dropped["bad_proof"] == 0
    kinds = {data[0] for data in pair.guest_tap.sent + pair.host_tap.sent}
    assert {PROVE, PROOF} <= kinds
    assert CLAIM not in kinds


def test_an_idle_peer_whose_address_changes_is_found_before_it_counts_as_lost() -> None:
    pair = Pair(conditions=Conditions(latency=0.05), **SEALED)
    _, theirs = pair.connect()
    pair.network.move("guest", "guest2")
    pair.run(2.0)
    assert theirs.address == "guest2"
    assert not pair.of(pair.host_events, Interrupted)


def test_a_challenge_goes_out_only_to_a_new_datagram_as_long_as_it_and_not_too_often() -> None:
    talk = Talk().connect()

    def challenged(data: bytes, seconds: float = 0.2) -> list[Any]:
        talk.now += seconds
        talk.deliver(data, to_host=True, address="elsewhere")
        out = [(len(answer), to) for answer, to in talk.host.datagrams_to_send(now=talk.now) if answer[0] == PROVE]
        talk.host.events()
        return out

    short = PROVE_SIZE - ENVELOPE_SIZE - TAG_SIZE - 1
    assert challenged(posted(talk, talk.mine, bytes(short))) == []
    late = posted(talk, talk.mine, bytes(60))
    newer = posted(talk, talk.mine, bytes(short + 1))
    assert challenged(newer) == [(PROVE_SIZE, "elsewhere")]
    assert challenged(newer) == []
    assert challenged(late) == []
    assert challenged(posted(talk, talk.mine, bytes(60)), 0.3) == [(PROVE_SIZE, "elsewhere")]
    assert challenged(posted(talk, talk.mine, bytes(60)), 0.05) == []
    assert talk.theirs.address == "guest", "nobody has proved anything"


def test_a_proof_moves_a_connection_only_from_where_its_challenge_went() -> None:
    talk = Talk().connect()
    talk.deliver(posted(talk, talk.mine, bytes(60)), to_host=True, address="new")
    [prove] = [data for data, to in talk.host.datagrams_to_send(now=talk.now) if to == "new"]
    # The peer answers a challenge only when it comes from the address that it knows.
    talk.deliver(prove, to_host=False, address="liar")
    assert talk.guest.dropped["unproven_address"] == 1
    talk.deliver(prove, to_host=False)
    [(proof, _)] = [each for each in talk.guest.datagrams_to_send(now=talk.now) if each[0][0] == PROOF]
    wrong = send(talk.mine, PROOF, bytes(8), talk.now)
    talk.deliver(wrong, to_host=True, address="new")
    assert talk.host.dropped["bad_proof"] == 1
    again = send(talk.mine, PROOF, bytes(7), talk.now)
    talk.deliver(again, to_host=True, address="new")
    assert talk.host.dropped["malformed"] == 1
    # A proof that was caught and sent from elsewhere moves nothing, there or later.
    talk.deliver(proof, to_host=True, address="liar")
    assert talk.host.dropped["bad_proof"] == 2
    assert talk.theirs.address == "guest"
    talk.deliver(proof, to_host=True, address="new")
    assert talk.host.dropped["duplicate"] == 1
    assert not [event for event in talk.host.events() if isinstance(event, AddressChanged)]


@pytest.mark.parametrize("which", ["sent", "received"])
def test_a_key_that_has_sealed_enough_ends_the_link_in_words(which: str) -> None:
    talk = Talk(quiet_after=1.5).connect()
    ahead = KEY_LIMIT - talk.mine._sequences._out_count - 2
    ahead -= ahead % 65536
    talk.mine._sequences._out_count += ahead
    talk.theirs._sequences._expected += ahead
    if which == "received":
        talk.mine.send_unreliable(b"one more")
    else:
        talk.theirs.send_unreliable(b"one more")
    for _ in range(65536 // 20_000 + 1):
        talk.mine._sequences._out_count += 20_000
        talk.mine.send_unreliable(b"far ahead")
        talk.step()
    talk.run(2.0)
    ends = [event for event in talk.events if isinstance(event, Disconnected)]
    assert {event.reason for event in ends} == {Reason.KEYS_USED_UP}
    assert "connect again" in ends[0].text
    assert len(ends) == 2
    assert talk.mine._seal is None


def test_messages_wait_for_nothing_but_their_acknowledgement() -> None:
    talk = Talk().connect()
    talk.theirs.send_reliable(b"hello")
    talk.step()
    talk.step()
    assert [event.data for event in talk.events if isinstance(event, ReliableReceived)] == [b"hello"]
    assert talk.theirs.messages_delivered == 1


def test_a_datagram_that_opens_and_is_malformed_changes_nothing() -> None:
    talk = Talk().connect()
    for kind, body in ((CONTROL, b"short"), (0x80, b""), (0xC6, b""), (0xC1, b"\1\5"), (0xC2, b"x"), (0xC3, b"")):
        before = talk.state()[0]
        counted = sum(talk.host.dropped.values())
        talk.deliver(send(talk.mine, kind, body, talk.now), to_host=True)
        assert talk.state()[0] == before, kind
        assert sum(talk.host.dropped.values()) == counted + 1


@pytest.mark.parametrize("lost", [32_767, 32_768, 40_000, 65_535, 65_536, 65_537, 98_304, 150_000, 250_000])
def test_a_link_goes_on_after_any_number_of_datagrams_that_were_lost_within_its_timeout(lost: int) -> None:
    """Their sequences come round again, so the receiver has to find out how many were lost."""
    talk = Talk(timeout=8.0).connect()
    mine, theirs = talk.mine, talk.theirs
    talk.run(0.5)
    talk.guest.datagrams_to_send(now=talk.now)
    until = mine._sequences.sent + lost
    while left := until - mine._sequences.sent:  # and nothing arrives, either way
        talk.now += min(left, 50) * 4.0 / lost
        for endpoint in (talk.guest, talk.host):
            endpoint.handle_timeout(now=talk.now)
            endpoint.datagrams_to_send(now=talk.now)
        for _ in range(min(until - mine._sequences.sent, 50)):
            assert mine.send_unreliable(b"lost")
        talk.guest.datagrams_to_send(now=talk.now)
    assert mine._sequences.sent == until
    talk.events.clear()
    for at in range(20):
        mine.send_unreliable(b"to %d" % at)
        theirs.send_unreliable(b"from %d" % at)
        talk.step()
    assert sorted(payloads(talk)) == sorted([b"to %d" % at for at in range(20)] + [b"from %d" % at for at in range(20)])
    mine.send_reliable(b"message")
    theirs.send_reliable(b"answer")
    talk.run(10.0)
    assert {event.data for event in talk.events if isinstance(event, ReliableReceived)} == {b"message", b"answer"}
    assert mine.is_connected
    assert theirs.is_connected
    assert mine._sequences._out_count - mine._sequences._out_acked < 3
    assert theirs._sequences._expected == mine._sequences._out_count


def test_what_is_repeated_or_forged_in_a_silence_opens_nothing() -> None:
    talk = Talk(timeout=20.0).connect()
    talk.run(0.5)
    old = [posted(talk, talk.mine, b"old %d" % at) for at in range(200)]
    for data in old:
        talk.deliver(data, to_host=True)
    talk.events += talk.host.events()
    talk.events.clear()
    talk.now += 15.0
    talk.host.handle_timeout(now=talk.now)
    assert talk.theirs._interrupted
    dropped = dict(talk.host.dropped)
    for data in old:
        talk.deliver(data, to_host=True)
        talk.deliver(data[:-1] + bytes([data[-1] ^ 1]), to_host=True)
    talk.events += talk.host.events()
    assert payloads(talk) == []
    assert sum(talk.host.dropped.values()) - sum(dropped.values()) >= 400
    fresh = posted(talk, talk.mine, b"fresh")
    talk.deliver(fresh, to_host=True)
    talk.deliver(fresh, to_host=True)
    talk.events += talk.host.events()
    assert payloads(talk) == [b"fresh"]
