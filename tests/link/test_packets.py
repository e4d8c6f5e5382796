"""Datagrams of an established connection: round trips, faults, and nothing from a datagram with one bad part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import InvalidValue
from retick.link.layout import (
    CLAIM,
    CONTROL_SIZE,
    ENVELOPE_SIZE,
    FRAGMENT_FIRST,
    FRAGMENT_LAST,
    PROOF,
    PROVE,
)
from retick.link.packets import (
    FRAGMENT,
    Fragment,
    Report,
    decode_bye,
    decode_bye_ack,
    decode_claim,
    decode_fragments,
    decode_prove,
    decode_report,
    encode_bye,
    encode_bye_ack,
    encode_claim,
    encode_fragment,
    encode_prove,
    encode_report,
)
from tests.link.pair import Pair, forged, fragment, received


@pytest.mark.parametrize(
    "body", [b"\0\0\0", fragment(0, FRAGMENT_FIRST | FRAGMENT_LAST, b"abc")[:-1], FRAGMENT.pack(0, 0x0800)]
)
def test_a_control_with_one_bad_fragment_is_dropped_whole(body: bytes) -> None:
    pair = Pair(sealed=False)
    _, theirs = pair.connect()
    good = fragment(0, FRAGMENT_FIRST | FRAGMENT_LAST, b"good")
    pair.host.receive_datagram(forged(theirs, 1000, good + body), "guest", now=0.5)
    assert pair.host.dropped["malformed"] == 1
    assert received(pair) == []
    pair.host.receive_datagram(forged(theirs, 1000, good), "guest", now=0.5)
    assert [e.data for e in pair.host.events()] == [b"good"]


u16 = st.integers(0, 0xFFFF)
u32 = st.integers(0, 0xFFFFFFFF)
reports = st.builds(Report, u16, u16, u32, u16, st.integers(0, 2**64 - 1))
marks = st.sampled_from([0, FRAGMENT_FIRST, FRAGMENT_LAST, FRAGMENT_FIRST | FRAGMENT_LAST])


@given(reports, st.lists(st.builds(Fragment, u16, marks, st.binary(max_size=60)), max_size=6), u32, u16)
def test_control_round_trips_with_its_fragments(
    report: Report, fragments: list[Fragment], connection_id: int, sequence: int
) -> None:
    data = encode_report(connection_id, sequence, report) + b"".join(encode_fragment(f) for f in fragments)
    assert decode_report(data) == report
    assert decode_fragments(data) == fragments


@given(u32, u16, u16, st.integers(0, 255), st.text(st.characters(categories=("L", "N")), max_size=40))
def test_bye_round_trips_and_its_answer_is_an_envelope(
    connection_id: int, sequence: int, acked: int, reason: int, text: str
) -> None:
    assert decode_bye(encode_bye(connection_id, sequence, acked, reason, text)) == (reason, text[:120])
    answer = encode_bye_ack(connection_id, sequence, acked)
    decode_bye_ack(answer)
    assert len(answer) == ENVELOPE_SIZE


@given(st.sampled_from([PROVE, PROOF]), u32, st.binary(min_size=8, max_size=8))
def test_prove_round_trips(kind: int, connection_id: int, value: bytes) -> None:
    data = encode_prove(kind, connection_id, value)
    assert data[0] == kind
    assert decode_prove(data) == (connection_id, value)


@given(u32, u32, st.binary(min_size=8, max_size=8))
def test_claim_round_trips(connection_id: int, number: int, proof: bytes) -> None:
    data = encode_claim(connection_id, number) + proof
    assert data[0] == CLAIM
    assert decode_claim(data) == (connection_id, number, data[:9], proof)


@given(st.binary(max_size=80))
def test_any_bytes_decode_or_raise_invalid_value(data: bytes) -> None:
    for decode in (decode_report, decode_fragments, decode_bye, decode_bye_ack, decode_prove, decode_claim):
        for candidate in (data, bytes(CONTROL_SIZE) + data):
            try:
                decode(candidate)
            except InvalidValue:
                continue
