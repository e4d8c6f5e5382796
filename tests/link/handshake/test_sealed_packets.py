"""Layouts of the sealed handshake: round trips, golden bytes, and every fault one DecodeError."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.link.handshake import packets
from retick.link.handshake.packets import Offer, Proposal, SealedHello
from retick.link.layout import ADMIT, ENTER, MAX_APPLICATION_DATA, MAX_HANDSHAKE, MAX_TOKEN
from retick.link.packets import ENVELOPE

u32, u64 = st.integers(0, 0xFFFFFFFF), st.integers(0, 2**64 - 1)
proposals = st.builds(
    Proposal, u32, u32, u32, st.integers(0, 0xFFFF), st.integers(0, 255), u64, st.text(max_size=8),
    st.binary(max_size=MAX_TOKEN),
)  # fmt: skip
identities = st.sampled_from([b"", bytes(range(96))])
data = st.binary(max_size=MAX_APPLICATION_DATA)


@given(proposals)
def test_a_proposal_is_read_as_it_was_written_and_fits_a_hello(proposal: Proposal) -> None:
    written = packets.encode_proposal(proposal)
    assert packets.decode_proposal(written) == proposal
    hello = SealedHello(bytes(8), bytes(16), 1, 2, bytes(32) + written + bytes(16))
    assert 512 <= len(packets.encode_sealed_hello(hello)) <= MAX_HANDSHAKE
    assert packets.decode_sealed_hello(packets.encode_sealed_hello(hello)) == hello


@given(st.builds(Offer, st.integers(1, 0xFFFFFFFF), u32, u32, u32, st.integers(0, 0xFFFF)), u64)
def test_an_answer_is_read_as_it_was_written(offer: Offer, share: int) -> None:
    assert packets.decode_answer(packets.encode_answer(offer, share)) == (offer, share)


@given(data, identities, u32)
def test_enter_and_admit_are_read_as_they_were_written(application: bytes, identity: bytes, seats: int) -> None:
    entry = packets.decode_enter(bytes(8) + packets.encode_enter(application, identity))
    assert entry == (application, identity[:32], identity[32:])
    assert packets.decode_admit(bytes(8) + packets.encode_admit(seats, application, identity)) == (seats, entry)


def test_the_bytes_are_those_of_the_page() -> None:
    """Written by hand from docs/formats/link.md; whoever changes one breaks the format."""
    nonce, cookie = b"nonce678", b"cookie7890123456"
    assert packets.prologue_of(nonce, cookie, 0x01020304, b"c" * 16) == (
        b"retick-link-2" + nonce + cookie + bytes([4, 3, 2, 1]) + b"c" * 16
    )
    assert len(packets.prologue_of(nonce, cookie, 1, b"c" * 16)) == 57
    message = bytes(range(100, 200))
    hello = packets.encode_sealed_hello(SealedHello(nonce, cookie, 0x01020304, 1, message))
    assert hello.rstrip(b"\0") == b"\xe2RTL\2" + nonce + cookie + bytes([4, 3, 2, 1, 1, 100, 0]) + message
    assert len(hello) == 512
    assert packets.encode_sealed_accept(nonce, message[:74]) == b"\xe3RTL\2" + nonce + message[:74]
    proposal = Proposal(1, 2, 3, 60, 4, 5, "ab", b"tok")
    assert packets.encode_proposal(proposal).hex() == "0100000002000000030000003c000405000000000000000261620300746f6b"
    assert (
        packets.encode_answer(Offer(9, 1, 2, 3, 60), 5).hex() == "090000000100000002000000030000003c000500000000000000"
    )
    assert packets.encode_enter(b"ab", b"").hex() == "0200616200"
    assert packets.encode_admit(6, b"", bytes(96)) == bytes([6, 0, 0, 0, 0, 0, 1]) + bytes(96)


def test_sizes_are_those_of_the_table_of_kinds() -> None:
    head = ENVELOPE.size + 16
    assert head + len(packets.encode_enter(b"", b"")) == 27
    assert head + len(packets.encode_enter(bytes(256), bytes(96))) == 379
    assert head + len(packets.encode_admit(0, b"", b"")) == 31
    assert head + len(packets.encode_admit(0, bytes(256), bytes(96))) == 383
    assert packets.LEAST_MESSAGE == 58


HELLO = packets.encode_sealed_hello(SealedHello(bytes(8), bytes(16), 1, 1, bytes(range(1, 91))))
ENTERED = ENVELOPE.pack(ENTER, 1, 1, 0) + packets.encode_enter(b"data", bytes(96))
ADMITTED = ENVELOPE.pack(ADMIT, 1, 1, 0) + packets.encode_admit(1, b"data", b"")
PROPOSED = packets.encode_proposal(Proposal(1, 2, 3, 60, 4, 5, "ab", b"tok"))
ANSWERED = packets.encode_answer(Offer(9, 1, 2, 3, 60), 5)


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        (packets.decode_sealed_hello, HELLO[:511]),
        (packets.decode_sealed_hello, HELLO + bytes(700)),
        (packets.decode_sealed_hello, HELLO[:4] + b"\1" + HELLO[5:]),
        (packets.decode_sealed_hello, HELLO[:-1] + b"\1"),
        (packets.decode_sealed_hello, HELLO[:29] + bytes(4) + HELLO[33:]),
        (packets.decode_sealed_hello, HELLO[:34] + bytes([57, 0]) + HELLO[36:]),
        (packets.decode_sealed_hello, HELLO[:34] + bytes([255, 255]) + HELLO[36:]),
        (packets.decode_sealed_accept, b"\xe3RTL\2" + bytes(81)),
        (packets.decode_sealed_accept, b"\xe3RTL\1" + bytes(82)),
        (packets.decode_proposal, PROPOSED[:20]),
        (packets.decode_proposal, PROPOSED[:-1]),
        (packets.decode_proposal, PROPOSED + b"x"),
        (packets.decode_proposal, PROPOSED[:23] + bytes([33]) + bytes(60)),
        (packets.decode_proposal, PROPOSED[:24] + b"\xff\xff" + PROPOSED[26:]),
        (packets.decode_proposal, PROPOSED[:26] + bytes([189, 2]) + bytes(701)),
        (packets.decode_answer, ANSWERED[:-1]),
        (packets.decode_answer, bytes(4) + ANSWERED[4:]),
        (packets.decode_enter, ENTERED[:-1]),
        (packets.decode_enter, ENTERED + b"x"),
        (packets.decode_enter, ENTERED[:9]),
        (packets.decode_enter, ENTERED[:8] + bytes([1, 1]) + bytes(400)),
        (packets.decode_enter, ENTERED[:14] + b"\2" + ENTERED[15:]),
        (packets.decode_enter, ENTERED[:14]),
        (packets.decode_admit, ADMITTED[:11]),
        (packets.decode_admit, ADMITTED[:-1]),
        (packets.decode_admit, ADMITTED + b"x"),
    ],
)
def test_what_the_page_forbids_is_a_decode_error(read: Any, wrong: bytes) -> None:
    with pytest.raises(DecodeError):
        read(wrong)


def test_a_token_is_not_in_the_repr_of_what_was_read() -> None:
    assert "tok'" not in repr(packets.decode_proposal(PROPOSED))
    assert repr(packets.decode_proposal(PROPOSED)).endswith("'ab', 3 bytes of token)")
