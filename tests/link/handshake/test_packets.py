"""Datagrams of the handshake: round trips, pinned layouts, any bytes."""

from hypothesis import given
from hypothesis import strategies as st

from retick.errors import InvalidValue
from retick.link.handshake import packets as hs
from tests.link.pair import (
    NONCE,
)

u32 = st.integers(0, 0xFFFFFFFF)


hellos = st.builds(
    hs.Hello,
    st.binary(min_size=8, max_size=8),
    st.binary(min_size=16, max_size=16),
    st.builds(hs.Offer, st.integers(1, 0xFFFFFFFF), u32, u32, u32, st.integers(0, 0xFFFF)),
    st.integers(0, 255),
    st.integers(0, 2**64 - 1),
    st.text(max_size=8),
    st.binary(max_size=256),
)


@given(hellos)
def test_hello_round_trips_and_is_padded(hello: hs.Hello) -> None:
    data = hs.encode_hello(hello)
    assert hs.decode_hello(data) == hello
    assert 512 <= len(data) <= 1200


@given(st.binary(max_size=700), st.sampled_from(range(0xE0, 0xE5)))
def test_any_bytes_read_as_handshake_or_raise_invalid_value(data: bytes, kind: int) -> None:
    framed = bytes([kind]) + b"RTL\x01" + data
    for decode in (hs.decode_request, hs.decode_cookie, hs.decode_hello, hs.decode_accept, hs.decode_refuse):
        for candidate in (data, framed, framed.ljust(512, b"\0")):
            try:
                decode(candidate)
            except InvalidValue:
                continue


def test_layouts_are_pinned() -> None:
    """Byte for byte as docs/formats/link.md has them; a change here is another protocol version."""
    assert hs.encode_request(NONCE) == bytes.fromhex("e052544c01 0001020304050607").ljust(512, b"\0")
    cookie = hs.encode_cookie(NONCE, b"c" * 16, b"s" * 16)
    assert cookie == bytes.fromhex("e152544c01 0001020304050607") + b"c" * 16 + b"s" * 16
    hello = hs.Hello(NONCE, b"c" * 16, hs.Offer(0x01020304, 5, 1, 7, 60), 2, 9, "duel", b"hi")
    expected = bytes.fromhex("e252544c01 0001020304050607") + b"c" * 16
    expected += bytes.fromhex("04030201 05000000 01000000 07000000 3c00 02 0900000000000000 04") + b"duel\x02\x00hi"
    assert hs.encode_hello(hello) == expected.ljust(512, b"\0")
    accept = hs.Acceptance(NONCE, hs.Offer(0x01020304, 5, 1, 7, 60), 2, 9, b"hi")
    expected = bytes.fromhex("e352544c01 0001020304050607 04030201 05000000 01000000 07000000 3c00 02000000")
    expected += bytes.fromhex("0900000000000000 0000 0200") + b"hi"
    assert hs.encode_accept(accept) == expected
    assert hs.decode_accept(expected) == accept
    refuse = bytes.fromhex("e452544c01 0001020304050607 07 04") + b"full"
    assert hs.encode_refuse(NONCE, 7, "full") == refuse
    assert hs.decode_refuse(refuse) == (NONCE, 7, "full")
