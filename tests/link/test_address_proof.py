"""A changed address: who can prove it is followed, and nobody else moves a connection."""

import struct
from hashlib import blake2s
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.link import (
    AddressChanged,
    Connection,
    UnreliableReceived,
)
from retick.link.address_proof import CHALLENGE_INTERVAL, CLAIM_AFTER, claim_proof, path_key, path_proof
from retick.link.layout import (
    CLAIM,
    PROOF,
    PROVE,
)
from retick.link.packets import decode_claim, decode_prove, encode_claim, encode_prove
from retick.transport import Conditions
from tests.link.pair import Pair, chat, connected, fingerprint, make_endpoint

KINDS = [0x80, 0x85, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0x52, 0xFF]


def test_a_peer_whose_address_changes_goes_on() -> None:
    pair = Pair(conditions=Conditions(latency=0.05), sealed=False)
    mine, theirs = pair.connect()
    pair.network.move("guest", "guest2")
    until = pair.network.now + 3.0
    while pair.network.now < until:
        mine.send_unreliable(bytes(20))
        pair.network.flush("guest2")
        pair.run(1 / 60)
    [changed] = pair.of(pair.host_events, AddressChanged)
    assert (changed.connection, changed.old, changed.new) == (theirs, "guest", "guest2")
    assert theirs.address == "guest2"
    before = len(pair.of(pair.guest_events, UnreliableReceived))
    theirs.send_unreliable(b"found you")
    pair.network.flush("host")
    pair.run(0.2)
    assert len(pair.of(pair.guest_events, UnreliableReceived)) == before + 1
    # The guest needs three quarters of a second to notice that it hears nothing, then one and a half round trips.
    most = 60 * (CLAIM_AFTER * pair.guest.config.status_interval + 3 * 0.05)
    assert 0 < pair.host.dropped["unproven_address"] < most + 3
    assert pair.host.dropped["bad_proof"] == pair.guest.dropped["bad_proof"] == 0


def claim_of(sender: Connection, number: int) -> bytes:
    """A good CLAIM of this side."""
    claim = encode_claim(sender.remote_id, number)
    return claim + claim_proof(sender._path_key, claim)


def test_an_address_is_not_changed_without_proof() -> None:
    pair = Pair(sealed=False)
    mine, theirs = pair.connect()
    before = fingerprint(theirs)
    events = len(pair.host_events)
    for number in range(1, 51):
        pair.host.receive_datagram(claim_of(mine, number), "thief", now=0.5)
    challenges = pair.host.datagrams_to_send(now=0.5)
    assert [(d[0], a) for d, a in challenges] == [(PROVE, "thief")]
    assert len(challenges[0][0]) <= len(claim_of(mine, 1))
    head = bytes([PROOF]) + theirs.local_id.to_bytes(4, "little")
    for guess in (bytes(8), challenges[0][0][5:], path_proof(b"not the key", challenges[0][0][5:])):
        pair.host.receive_datagram(head + guess, "thief", now=0.5)
    # A true proof is bound to the address that was challenged.
    proof = path_proof(mine._path_key, challenges[0][0][5:])
    pair.host.receive_datagram(head + proof, "another thief", now=0.5)
    assert pair.host.dropped["bad_proof"] == 4
    changed = fingerprint(theirs)
    before["_claims"] = changed["_claims"]
    assert changed == before
    assert len(pair.host_events) == events
    pair.host.receive_datagram(head + proof, "thief", now=0.5)
    assert theirs.address == "thief"


def test_a_genuine_payload_from_elsewhere_gets_no_answer_and_does_not_tell_the_id_of_the_other_direction() -> None:
    pair = Pair(sealed=False)
    mine, _ = pair.connect()
    for _ in range(50):
        pair.host.receive_datagram(moved_payload(pair, mine, 0.5), "thief", now=0.5)
    assert [data for data, address in pair.host.datagrams_to_send(now=0.5) if address == "thief"] == []
    assert pair.host.dropped["unproven_address"] == 50


def test_a_claim_that_is_forged_repeated_or_turned_around_is_counted_and_not_answered() -> None:
    pair = Pair(sealed=False)
    mine, theirs = pair.connect()
    good = claim_of(mine, 7)
    pair.host.receive_datagram(good, "guest", now=1.0)
    for bad in (
        good,
        claim_of(mine, 6),
        claim_of(mine, 8)[:-8] + bytes(8),
        encode_claim(theirs.local_id, 9) + claim_proof(b"not the key", encode_claim(theirs.local_id, 9)),
        encode_claim(theirs.local_id, 9) + claim_of(theirs, 9)[9:],
    ):
        pair.host.receive_datagram(bad, "thief", now=2.0)
    assert pair.host.dropped["bad_proof"] == 5
    assert [data for data, address in pair.host.datagrams_to_send(now=2.0) if address == "thief"] == []


def test_a_claim_from_the_known_address_needs_no_proof_of_it() -> None:
    pair = Pair()
    mine, theirs = pair.connect()
    pair.host.datagrams_to_send(now=0.4)
    pair.host.receive_datagram(claim_of(mine, 1), "guest", now=0.4)
    assert pair.host.datagrams_to_send(now=0.4) == []
    assert theirs.address == "guest"


def test_claims_are_sent_in_silence_only_and_stop_when_it_ends() -> None:
    pair = Pair(conditions=Conditions(latency=0.01), sealed=False)
    mine, theirs = pair.connect()

    def claims() -> list[int]:
        found = [decode_claim(data)[1] for data in pair.guest_tap.sent if data[0] == CLAIM]
        pair.guest_tap.sent.clear()
        return found

    chat(pair, mine, theirs, 1.0)
    pair.run(5.0)
    assert len(claims()) <= 1, "the first report after a busy time comes after a whole interval"
    pair.run(5.0)
    assert claims() == []
    pair.network.cut("host", "guest", 3.0)
    pair.run(3.0)
    sent = claims()
    assert 3 <= len(sent) <= 4
    assert sent == list(range(sent[0], sent[0] + len(sent)))
    pair.run(1.0)
    claims()
    pair.run(5.0)
    assert claims() == []


def test_a_challenge_from_a_stranger_is_not_answered() -> None:
    pair = Pair(sealed=False)
    mine, _ = pair.connect()
    prove = bytes([PROVE]) + mine.local_id.to_bytes(4, "little") + bytes(8)
    pair.guest.receive_datagram(prove, "stranger", now=1.0)
    assert pair.guest.datagrams_to_send(now=1.0) == []
    assert pair.guest.dropped["bad_proof"] == 1


@given(st.binary(min_size=5, max_size=40), st.sampled_from(KINDS[:9]))
def test_a_stranger_who_guessed_the_id_gets_no_answer_and_changes_nothing(data: bytes, kind: int) -> None:
    pair, theirs = connected()
    pair.host.datagrams_to_send(now=0.4)
    before = fingerprint(theirs)
    datagram = bytes([kind]) + theirs.local_id.to_bytes(4, "little") + data
    pair.host.receive_datagram(datagram, "stranger", now=0.5)
    assert [address for _, address in pair.host.datagrams_to_send(now=0.5) if address == "stranger"] == []
    assert fingerprint(theirs) == before


def moved_payload(pair: Pair, mine: Connection, now: float) -> bytes:
    """A genuine payload that the host has not seen."""
    mine.send_unreliable(b"from another address")
    [data] = [data for data, _ in pair.guest.datagrams_to_send(now=now) if data.endswith(b"address")]
    return data


def test_the_hashes_are_pinned() -> None:
    """As docs/formats/link.md has them: a peer in another language computes the same."""
    text = b"n" * 8 + b"c" * 16 + struct.pack("<IIQQ", 1, 2, 3, 4)
    key = path_key(b"n" * 8, b"c" * 16, 1, 2, 3, 4)
    assert key == blake2s(text, person=b"path-key", digest_size=32).digest()
    assert claim_proof(key, b"claim") == blake2s(b"claim", key=key, person=b"claim___", digest_size=8).digest()
    assert path_proof(key, b"question") == blake2s(b"question", key=key, person=b"pathprof", digest_size=8).digest()


def test_challenges_of_one_connection_are_limited_in_time() -> None:
    pair = Pair(sealed=False)
    mine, _ = pair.connect()
    challenged = []
    for tick in range(41):
        now = 1.0 + tick * CHALLENGE_INTERVAL / 4
        pair.host.receive_datagram(claim_of(mine, tick + 1), "moved", now=now)
        challenged += [now for data, _ in pair.host.datagrams_to_send(now=now) if data[0] == PROVE]
    assert 8 <= len(challenged) <= 11
    assert all(later - earlier > CHALLENGE_INTERVAL - 1e-9 for earlier, later in pairwise(challenged))


def test_a_proof_is_good_for_a_short_time() -> None:
    pair = Pair(timeout=1000.0, sealed=False)
    mine, theirs = pair.connect()
    now = 5.0
    pair.host.receive_datagram(claim_of(mine, 1), "moved", now=now)
    [prove] = [data for data, _ in pair.host.datagrams_to_send(now=now) if data[0] == PROVE]
    _, challenge = decode_prove(prove)
    proof = encode_prove(PROOF, theirs.local_id, path_proof(mine._path_key, challenge))
    pair.host.receive_datagram(proof, "moved", now=26.0)
    assert theirs.address == "guest"
    assert pair.host.dropped["bad_proof"] == 1
    pair.host.receive_datagram(proof, "moved", now=14.0)
    assert theirs.address == "moved"
    pair.host.receive_datagram(proof, "moved", now=14.0)
    assert [type(event) for event in pair.host.events()].count(AddressChanged) == 1, "a copy of a proof changes nothing"


@pytest.mark.parametrize("kind", [PROVE, PROOF, CLAIM])
def test_proofs_for_nobody_and_before_the_end_of_the_handshake_are_counted(kind: int) -> None:
    host = make_endpoint(1, sealed=False)
    dialled = host.dial("guest")
    rest = bytes(12 if kind == CLAIM else 8)
    for connection_id, more in ((dialled.local_id ^ 1, b""), (dialled.local_id, b""), (dialled.local_id, b"x")):
        host.receive_datagram(bytes([kind]) + connection_id.to_bytes(4, "little") + rest + more, "guest", now=1.0)
    assert {name: count for name, count in host.dropped.items() if count} == {
        "unknown_connection": 1,
        "unexpected": 1,
        "malformed": 1,
    }
