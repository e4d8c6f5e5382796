"""STATEMENT, CONSENT, DECIDED, OUTCOME and TAKEN: what goes in comes out, and any bytes decode or raise DecodeError."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue
from retick.rollback.session.messages.agreement import (
    LARGEST_BODY,
    MOST_SIGNERS,
    Consent,
    OfferedState,
    ReadyNewcomer,
    Signature,
    SignedItem,
    Statement,
    Tail,
    Taken,
    ToldOutcome,
    Wishes,
    decode_consent,
    decode_decided,
    decode_item,
    decode_outcome,
    decode_statement,
    decode_taken,
    encode_consent,
    encode_decided,
    encode_item,
    encode_outcome,
    encode_statement,
    encode_taken,
    head_of,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.roster import MemberTerms
from tests.rollback.session.messages.values import frames, keys, peer_ids, reaches, seats

hashes = keys
tails = st.builds(
    lambda player, before, inputs: Tail(player, before + len(inputs), tuple(inputs)),
    st.integers(0, 15),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 65535), max_size=40),
)
orders = st.integers(0, 16).flatmap(lambda count: st.permutations(range(count))).map(tuple)
newcomers = st.builds(ReadyNewcomer, peer_ids, st.builds(MemberTerms, seats, keys, reaches))
statements = st.builds(
    Statement,
    frames,
    hashes,
    st.integers(200, 255),
    frames,
    st.builds(
        Wishes,
        st.booleans(),
        st.none() | orders,
        st.none() | st.builds(OfferedState, peer_ids, frames, frames),
        st.lists(peer_ids, max_size=4).map(tuple),
    ),
    st.none() | newcomers,
    st.none() | st.text(max_size=30),
    st.lists(st.tuples(st.integers(0, 199), st.integers(0, 255)), max_size=6, unique_by=lambda each: each[0]).map(
        tuple
    ),
    st.lists(tails, max_size=4, unique_by=lambda each: each.player).map(tuple),
)
items = st.builds(
    lambda kind, ids, signature, body: SignedItem(kind, tuple(Signature(each, signature) for each in ids), body),
    st.sampled_from([int(MessageKind.STATEMENT), int(MessageKind.CONSENT)]),
    st.lists(peer_ids, min_size=1, max_size=MOST_SIGNERS, unique=True),
    st.binary(min_size=64, max_size=64),
    st.binary(max_size=50),
)


@given(statements)
def test_a_statement_comes_back_as_it_was(said: Statement) -> None:
    body = encode_statement(said, 2)
    assert decode_statement(body, 2) == said
    assert head_of(body) == (said.slot, said.history, said.author)


@given(statements, st.data())
def test_a_statement_that_was_cut_or_grew_is_refused(said: Statement, data: st.DataObject) -> None:
    body = encode_statement(said, 2)
    with pytest.raises(DecodeError):
        decode_statement(body[: data.draw(st.integers(0, len(body) - 1))], 2)
    with pytest.raises(DecodeError):
        decode_statement(body + data.draw(st.binary(min_size=1, max_size=8)), 2)


@given(items)
def test_an_item_comes_back_with_its_signatures(item: SignedItem) -> None:
    assert decode_item(encode_item(item)) == item


@given(frames, hashes, peer_ids, hashes)
def test_consents_and_short_messages_come_back_as_they_were(
    slot: int, history: bytes, author: int, other: bytes
) -> None:
    consent = Consent(slot, history, author, other)
    assert decode_consent(encode_consent(consent)) == consent
    assert decode_decided(encode_decided(slot)) == slot
    taken = Taken(slot, history, slot, other)
    assert decode_taken(encode_taken(taken)) == taken


@given(frames, hashes, st.lists(peer_ids, max_size=6), st.lists(st.binary(max_size=60), max_size=6))
def test_an_outcome_comes_back_as_it_was(slot: int, history: bytes, lost: list[int], bodies: list[bytes]) -> None:
    told = ToldOutcome(slot, history, tuple(lost), tuple(bodies))
    assert decode_outcome(encode_outcome(told)) == told


READERS: list[Callable[[bytes], Any]] = [
    decode_item,
    lambda data: decode_statement(data, 1),
    lambda data: decode_statement(data, 8),
    decode_consent,
    decode_decided,
    decode_outcome,
    decode_taken,
    head_of,
]


@pytest.mark.parametrize("reader", READERS)
@given(data=st.binary(min_size=1, max_size=300))
def test_any_bytes_decode_or_raise_decode_error(reader: Callable[[bytes], Any], data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        reader(data)


SAID = Statement(1, bytes(32), 7)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (SAID._replace(unheard=((3, 1), (3, 2))), "twice as unheard"),
        (SAID._replace(unheard=((7, 1),)), "its own author"),
        (SAID._replace(tails=(Tail(1, 0, ()), Tail(1, 3, ()))), "two tails of one player"),
        (SAID._replace(tails=(Tail(16, 0, ()),)), "tail of player 16"),
        (SAID._replace(tails=(Tail(1, 1, (5, 5)),)), "2 inputs before frame 1"),
        (SAID._replace(wishes=Wishes(rematch=(0, 0))), "each must occur once"),
        (SAID._replace(wishes=Wishes(rematch=(1, 2))), "each must occur once"),
        (SAID._replace(newcomer=ReadyNewcomer(9, MemberTerms(()))), "without a seat"),
        (SAID._replace(tails=(Tail(1, 5000, (1,) * 2000),)), f"where {LARGEST_BODY} are allowed"),
    ],
)
def test_statements_that_no_honest_peer_makes_are_refused(said: Statement, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        decode_statement(encode_statement(said, 2), 2)


def test_a_statement_with_an_unknown_flag_is_refused() -> None:
    body = bytearray(encode_statement(SAID, 2))
    body[41] |= 0x80
    with pytest.raises(InvalidValue, match="flags 0x80"):
        decode_statement(bytes(body), 2)


@pytest.mark.parametrize("count", [0, MOST_SIGNERS + 1])
def test_an_item_has_one_signature_or_more_and_of_each_peer_one(count: int) -> None:
    item = SignedItem(4, tuple(Signature(peer_id, bytes(64)) for peer_id in range(count)), b"body")
    with pytest.raises(InvalidValue, match=f"{count} signatures"):
        decode_item(encode_item(item))
    twice = SignedItem(4, (Signature(1, bytes(64)), Signature(1, bytes(64))), b"body")
    with pytest.raises(InvalidValue, match="signed twice"):
        decode_item(encode_item(twice))


def test_an_outcome_of_more_statements_than_peers_is_refused() -> None:
    with pytest.raises(InvalidValue, match="more than 16 statements"):
        decode_outcome(encode_outcome(ToldOutcome(0, bytes(32), (), (b"",) * 17)))


def test_all_statements_of_the_largest_match_fit_into_one_outcome() -> None:
    told = ToldOutcome(0, bytes(32), tuple(range(16)), (bytes(LARGEST_BODY),) * 16)
    assert len(encode_outcome(told)) <= 65536
