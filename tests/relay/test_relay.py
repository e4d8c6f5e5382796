"""Datagrams of the relay: the layouts of docs/formats/relay.md, round trips, and any other bytes."""

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import (
    BadMagic,
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    ReservedNotZero,
    Truncated,
    UnknownFlags,
    UnsupportedVersion,
)
from retick.link import layout as link
from retick.relay import packets
from retick.relay.packets import Frame, Left, MemberLost, Place, Present, Refusal, RelayRefused, RelayRequest, Seen

NONCE = bytes(range(1, 9))
COOKIE = bytes(range(16, 32))
TAG = b"the game's tag.."
TICKET = bytes(range(49))


def fixed(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def requests(*kinds: int, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[RelayRequest]:
    drawn = st.fixed_dictionaries({"kind": st.sampled_from(kinds), "nonce": fixed(8), **fields})
    return drawn.map(lambda found: RelayRequest(**found))


REQUESTS = st.one_of(
    requests(packets.ASK, flags=st.integers(0, 1)),
    requests(packets.OPEN, cookie=fixed(16), places=st.integers(2, 64), tag=fixed(16)),
    requests(packets.JOIN, cookie=fixed(16), code=fixed(5), tag=fixed(16)),
    requests(packets.HERE, packets.LEAVE, cookie=fixed(16), ticket=fixed(49)),
)
U16 = st.integers(0, 65535)
ANSWERS: st.SearchStrategy[Any] = st.one_of(
    st.builds(Seen, fixed(8), st.integers(0, 255), U16, st.ip_addresses(), U16, fixed(16)),
    st.integers(0, 63).flatmap(
        lambda member: st.builds(
            Place, fixed(8), st.just(member), fixed(5), U16,
            st.integers(0, 2**64 - 1).map(lambda bits: bits | 1 << member), fixed(49),
        )
    ),
    st.builds(RelayRefused, fixed(8), st.sampled_from(Refusal), U16),
    st.builds(Left, fixed(8)),
    st.builds(Present, fixed(6), st.integers(0, 2**64 - 1)),
    st.builds(MemberLost, fixed(8)),
)  # fmt: skip
PAIRS = st.tuples(st.integers(0, 63), st.integers(0, 63)).filter(lambda pair: pair[0] != pair[1])
FRAMES = st.builds(
    lambda kind, room, pair, payload: Frame(kind, room, *pair, payload),
    st.sampled_from([packets.DATA, packets.SIGNAL]), fixed(6), PAIRS, st.binary(min_size=1, max_size=1463),
)  # fmt: skip


@given(REQUESTS)
def test_requests_come_back_as_they_were(request: RelayRequest) -> None:
    data = packets.encode_request(request)
    assert len(data) == packets.REQUEST_SIZE
    assert packets.decode_request(data) == request


@given(ANSWERS)
def test_answers_come_back_as_they_were_and_are_shorter_than_requests(answer: Any) -> None:
    data = packets.encode_answer(answer)
    assert len(data) < packets.REQUEST_SIZE
    assert packets.decode_answer(data) == answer


@given(FRAMES)
def test_frames_come_back_as_they_were(frame: Frame) -> None:
    data = packets.encode_frame(frame)
    assert packets.decode_frame(data) == frame
    assert data[1:9] == packets.channel_of(frame.room, frame.sender, frame.receiver)


@given(st.binary(max_size=200), st.sampled_from([b"", *(bytes((kind,)) for kind in range(0xD0, 0xE0))]))
def test_any_bytes_are_read_or_refused(data: bytes, head: bytes) -> None:
    with suppress(DecodeError):
        packets.decode_request(head + data)
    with suppress(DecodeError):
        packets.decode_answer(head + data)
    with suppress(DecodeError):
        packets.decode_frame(head + data)


def test_the_layouts_are_pinned() -> None:
    """From the tables of docs/formats/relay.md; another version may change them."""
    join = packets.encode_request(RelayRequest(packets.JOIN, NONCE, COOKIE, code=b"\x11\x22\x33\x44\x55", tag=TAG))
    assert join == b"\xd2RTR\x01" + NONCE + COOKIE + b"\x11\x22\x33\x44\x55" + TAG + bytes(30)
    opened = packets.encode_request(RelayRequest(packets.OPEN, NONCE, COOKIE, places=4, tag=TAG))
    assert opened == b"\xd1RTR\x01" + NONCE + COOKIE + b"\x04" + TAG + bytes(34)
    seen = packets.encode_answer(Seen(NONCE, 1, 7789, IPv4Address("198.51.100.7"), 0x1234, COOKIE))
    host = bytes(a ^ b for a, b in zip(bytes((198, 51, 100, 7)) + bytes(12), NONCE + NONCE, strict=True))
    assert seen == b"\xd8" + NONCE + b"\x01" + (7789).to_bytes(2, "little") + b"\x04\x35\x10" + host + COOKIE
    assert len(seen) == 47
    place = packets.encode_answer(Place(NONCE, 1, b"12345", 600, 3, TICKET))
    assert place == b"\xd9" + NONCE + b"\x0112345\x58\x02\x03" + bytes(7) + TICKET
    assert packets.encode_answer(RelayRefused(NONCE, Refusal.SLOW_DOWN, 10)) == b"\xda" + NONCE + b"\x06\x0a\x00"
    assert packets.encode_answer(Left(NONCE)) == b"\xdb" + NONCE
    assert packets.encode_answer(Present(b"roomid", 5)) == b"\xdcroomid\x05" + bytes(7)
    assert packets.encode_answer(MemberLost(b"roomid\0\1")) == b"\xddroomid\0\1"
    assert packets.encode_frame(Frame(packets.DATA, b"roomid", 0, 1, b"x")) == b"\xderoomid\0\1x"


def test_no_kind_begins_a_datagram_of_the_link() -> None:
    ours = {
        packets.ASK,
        packets.OPEN,
        packets.JOIN,
        packets.HERE,
        packets.LEAVE,
        *range(packets.SEEN, packets.SIGNAL + 1),
    }
    others = {value for name, value in vars(link).items() if name.isupper() and isinstance(value, int)}
    payloads = set(range(link.PAYLOAD, link.CONTROL))
    kinds = {link.CONTROL, link.BYE, link.BYE_ACK, link.PROVE, link.PROOF, link.CLAIM, *range(link.REQUEST, 0xE5)}
    assert kinds <= others
    assert not ours & (kinds | payloads)


def changed(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes((value,)) + data[at + 1 :]


ASKED = packets.encode_request(RelayRequest(packets.ASK, NONCE))
OPENED = packets.encode_request(RelayRequest(packets.OPEN, NONCE, places=2, tag=TAG))
SEEN = packets.encode_answer(Seen(NONCE, 1, 1, ip_address("192.0.2.1"), 1, COOKIE))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", Truncated),
        (ASKED[:28], Truncated),
        (changed(ASKED, 0, 0xD5), BadMagic),
        (changed(ASKED, 1, 0), BadMagic),
        (changed(ASKED, 4, 2), UnsupportedVersion),
        (changed(ASKED, 4, 2)[:40], UnsupportedVersion),
        (ASKED[:-1], InvalidValue),
        (ASKED + b"\0", InvalidValue),
        (changed(ASKED, 79, 1), ReservedNotZero),
        (changed(ASKED, 29, 2), UnknownFlags),
        (changed(ASKED, 13, 1), ReservedNotZero),
        (changed(OPENED, 29, 1), InvalidValue),
        (changed(OPENED, 29, 65), InvalidValue),
    ],
)
def test_wrong_requests_are_refused_in_the_order_of_the_page(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        packets.decode_request(data)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", BadMagic),
        (b"\xd0", BadMagic),
        (SEEN[:-1], InvalidValue),
        (changed(SEEN, 12, 5), InvalidValue),
        (changed(SEEN, 30, 0), ReservedNotZero),
        (packets.encode_answer(Place(NONCE, 1, b"12345", 0, 1, TICKET)), InvalidValue),
        (packets.encode_answer(Place(NONCE, 64, b"12345", 0, 1, TICKET)), InvalidValue),
        (changed(packets.encode_answer(RelayRefused(NONCE, Refusal.VERSION)), 9, 10), InvalidValue),
    ],
)
def test_wrong_answers_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        packets.decode_answer(data)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", BadMagic),
        (b"\xe0roomid\0\1x", BadMagic),
        (b"\xderoomid\0\1", Truncated),
        (b"\xderoomid\1\1x", InvalidValue),
        (b"\xderoomid\x40\1x", InvalidValue),
        (b"\xderoomid\0\x40x", InvalidValue),
        (b"\xderoomid\0\1" + bytes(1464), LimitExceeded),
    ],
)
def test_wrong_frames_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        packets.decode_frame(data)


def test_payloads_that_do_not_fit_are_not_written() -> None:
    for payload in (b"", bytes(1464)):
        with pytest.raises(EncodeError, match="1 to 1463 bytes"):
            packets.encode_frame(Frame(packets.DATA, b"roomid", 0, 1, payload))


def test_an_ipv6_address_uses_all_bytes() -> None:
    host = IPv6Address("2001:db8::1234:5678")
    seen = Seen(NONCE, 1, 0, host, 65535, COOKIE)
    assert packets.decode_answer(packets.encode_answer(seen)) == seen
    assert host.packed not in packets.encode_answer(seen)
