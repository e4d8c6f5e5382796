"""Datagrams of a relay in words: every byte is in one row, and what a reader would refuse has a fault."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.targets.relay import ANSWERS, FRAMES, REQUESTS
from retick.link import packets
from retick.link.layout import PAYLOAD
from retick.packets.formats import explain_datagram
from retick.relay import packets as relay
from retick.relay.explain import BODIES, NAMES, explain_relay, is_relay


@pytest.mark.parametrize("data", REQUESTS + ANSWERS + FRAMES, ids=lambda data: f"{data[0]:02x}")
def test_genuine_datagrams_have_no_fault_and_every_byte_is_in_a_row(data: bytes) -> None:
    found = explain_datagram(data)
    assert found.fault is None
    assert found.format == f"relay {NAMES[data[0]]}"
    at = 0
    for row in found.rows:
        assert row.offset == at
        at += row.size
    assert at == len(data)


def test_every_kind_has_a_table() -> None:
    assert set(BODIES) == set(NAMES)
    assert {data[0] for data in REQUESTS + ANSWERS + FRAMES} == set(NAMES)


@given(st.sampled_from(sorted(NAMES)), st.binary(max_size=120))
def test_any_bytes_are_explained(kind: int, body: bytes) -> None:
    data = bytes((kind,)) + body
    assert is_relay(data)
    found = explain_relay(data)
    assert sum(row.size for row in found.rows) == len(data)


def test_the_words_name_the_address_the_reason_and_what_is_inside() -> None:
    nonce = b"nonce678"
    seen = relay.Seen(nonce, 1, 7789, ip_address("192.0.2.1"), 5000, bytes(16))
    assert explain_relay(relay.encode_answer(seen)).summary.endswith(", 192.0.2.1 port 5000")
    refused = relay.RelayRefused(nonce, relay.Refusal.ROOM_FULL)
    assert explain_relay(relay.encode_answer(refused)).summary.endswith("ROOM_FULL")
    link = packets.ENVELOPE.pack(PAYLOAD, 0xABCD, 7, 6) + b"payload"
    found = explain_datagram(relay.encode_frame(relay.Frame(relay.DATA, b"roomid", 0, 1, link)))
    assert found.summary.startswith("DATA from member 0 to 1 of room 726f6f6d6964: PAYLOAD to 0000abcd, sequence")
    assert found.content == "link PAYLOAD"
    assert explain_datagram(b"\xd8short").fault is not None
    assert explain_datagram(b"\xde").fault is not None
