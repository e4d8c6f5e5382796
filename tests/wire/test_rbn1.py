"""RBN1 as docs/formats/rbn1.md has it: the design's seven tests, the order of validation, and the extensions."""

from enum import IntFlag
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
    TrailingData,
    Truncated,
    UnsupportedVersion,
)
from retick.wire import rbn1
from retick.wire.rbn1 import InputPacket, LossStats, TimeSync

ALL = rbn1.TIME_SYNC | rbn1.LOSS_STATS | rbn1.WIDE_INPUTS

# The pinned packet of the design: StartFrame 1, AckFrame 2, one input Left | Right.
PINNED = bytes.fromhex("52424e31 01 00 01000000 01 02000000 0300")

PACKET = InputPacket(start_frame=1, ack_frame=2, inputs=(3,))

CHECKED = InputPacket(7, 6, (1, 2, 0xFFFF), checksum_frame=5, checksum=0x41B73DB7)

u16 = st.integers(0, 0xFFFF)

u32 = st.integers(0, 0xFFFFFFFF)


@st.composite
def plain_packets(draw: Any) -> InputPacket:
    packet = InputPacket(draw(u32), draw(u32), tuple(draw(st.lists(u16, min_size=1, max_size=32))))
    if draw(st.booleans()):
        packet = packet._replace(checksum_frame=draw(u32), checksum=draw(u32))
    return packet


@st.composite
def extended_packets(draw: Any) -> InputPacket:
    packet = draw(plain_packets())
    size, seats = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    frames = draw(st.integers(1, min(32, 1024 // (size * seats))))
    values = st.integers(0, (1 << 8 * size) - 1)
    inputs = tuple(draw(st.lists(values, min_size=frames * seats, max_size=frames * seats)))
    sync = draw(st.none() | st.builds(TimeSync, u16, st.integers(-32768, 32767)))
    loss = draw(st.none() | st.builds(LossStats, u16, u16))
    changed: InputPacket = packet._replace(inputs=inputs, input_size=size, seats=seats, time_sync=sync, loss_stats=loss)
    return changed


@given(plain_packets())
def test_round_trip_preserves_fields_with_and_without_checksum(packet: InputPacket) -> None:
    data = rbn1.encode(packet)
    assert rbn1.decode(data) == packet
    assert len(data) == rbn1.encoded_size(packet) <= rbn1.MAX_PACKET_SIZE


@given(extended_packets())
def test_extended_packets_round_trip_when_both_sides_know_the_extensions(packet: InputPacket) -> None:
    data = rbn1.encode(packet, ALL)
    assert rbn1.decode(data, ALL) == packet
    assert len(data) == rbn1.encoded_size(packet)
    if packet.time_sync or packet.loss_stats or (packet.input_size, packet.seats) != (2, 1):
        assert rbn1.try_decode(data) is None
        with pytest.raises(EncodeError):
            rbn1.encode(packet)


@given(extended_packets())
def test_encode_into_writes_the_same_bytes_and_nothing_beyond(packet: InputPacket) -> None:
    data = rbn1.encode(packet, ALL)
    buffer = bytearray(b"\xaa" * (len(data) + 3))
    assert rbn1.encode_into(packet, buffer, ALL) == len(data)
    assert buffer == data + b"\xaa\xaa\xaa"
    assert rbn1.encode_into(packet, memoryview(bytearray(len(data))), ALL) == len(data)


def test_byte_layout_is_pinned_for_the_known_packet() -> None:
    assert rbn1.encode(PACKET) == PINNED
    assert rbn1.decode(PINNED) == PACKET
    assert rbn1.decode(bytearray(PINNED)) == rbn1.decode(memoryview(PINNED)) == PACKET


def test_byte_layout_with_checksum() -> None:
    expected = "52424e31 01 01 07000000 03 06000000 05000000 b73db741 0100 0200 ffff"
    assert rbn1.encode(CHECKED) == bytes.fromhex(expected)


def test_byte_layout_of_the_extensions() -> None:
    packet = InputPacket(1, 2, (0x010203, 0x040506), 3, 4, TimeSync(9, -2), LossStats(10, 1), input_size=3, seats=2)
    expected = "52424e31 02 07 01000000 01 02000000 23 03000000 04000000 0900feff 0a000100 030201 060504"
    assert rbn1.encode(packet, ALL) == bytes.fromhex(expected)


def test_largest_packet_is_87_bytes() -> None:
    packet = InputPacket(0, 0, (0,) * 32, checksum_frame=0, checksum=0)
    assert len(rbn1.encode(packet)) == 87 == rbn1.MAX_PACKET_SIZE


def changed(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", Truncated),
        (PINNED[:14], Truncated),
        (changed(PINNED, 0, 0x53), BadMagic),
        (changed(PINNED, 4, 0xFF), UnsupportedVersion),
        (changed(PINNED, 4, 2), UnsupportedVersion),
        (changed(PINNED, 4, 0), UnsupportedVersion),
        (changed(PINNED, 5, 0x02), InvalidValue),
        (changed(PINNED, 5, 0x80), InvalidValue),
        (changed(PINNED, 10, 0), LimitExceeded),
        (changed(PINNED, 10, 33), LimitExceeded),
        (PINNED[:-1], Truncated),
        (PINNED + b"\0", TrailingData),
        (changed(PINNED, 10, 2), Truncated),
        (changed(PINNED, 5, 1), Truncated),
    ],
)
def test_each_failure_has_its_error(data: bytes, error: type[DecodeError]) -> None:
    with pytest.raises(DecodeError) as caught:
        rbn1.decode(data)
    assert type(caught.value) is error
    assert rbn1.try_decode(data) is None


def test_the_order_of_validation_is_the_documents() -> None:
    """A packet with every fault at once, repaired one by one, shows the faults in their order."""
    data = bytearray(b"XXXX\xff\xff\0\0\0\0\xff\0\0\0\0")
    expected: list[tuple[type[DecodeError], slice, bytes]] = [
        (BadMagic, slice(0, 4), b"RBN1"),
        (UnsupportedVersion, slice(4, 5), b"\x01"),
        (InvalidValue, slice(5, 6), b"\x01"),
        (LimitExceeded, slice(10, 11), b"\x20"),
    ]
    with pytest.raises(Truncated):
        rbn1.decode(bytes(data[:14]))
    for error, where, repaired in expected:
        with pytest.raises(error):
            rbn1.decode(bytes(data))
        data[where] = repaired
    with pytest.raises(Truncated) as caught:
        rbn1.decode(bytes(data))
    assert (caught.value.needed, caught.value.available) == (87, 15)
    assert rbn1.decode(bytes(data) + bytes(72)).inputs == (0,) * 32


def test_version_2_failures_come_in_their_order() -> None:
    good = rbn1.encode(InputPacket(1, 2, (5,) * 32, input_size=8), ALL)
    for data, error in [
        (good[:15], Truncated),
        (changed(good, 15, 0x10), InvalidValue),
        (changed(good, 15, 0x09), InvalidValue),
        (changed(good, 15, 0x91), InvalidValue),
        (changed(good, 15, 0x58), LimitExceeded),
        (good[:-1], Truncated),
        (good + b"\0", TrailingData),
    ]:
        with pytest.raises(DecodeError) as caught:
            rbn1.decode(data, ALL)
        assert type(caught.value) is error


def test_each_extension_is_decoded_only_when_named() -> None:
    sync = rbn1.encode(PACKET._replace(time_sync=TimeSync(1, 1)), ALL)
    loss = rbn1.encode(PACKET._replace(loss_stats=LossStats(1, 1)), ALL)
    wide = rbn1.encode(PACKET._replace(input_size=4), ALL)
    for data, needed in ((sync, rbn1.TIME_SYNC), (loss, rbn1.LOSS_STATS), (wide, rbn1.WIDE_INPUTS)):
        assert rbn1.try_decode(data, needed) is not None
        assert rbn1.try_decode(data, ALL & ~needed) is None


@given(st.binary(max_size=120), st.sampled_from([0, 1, 2, 4, ALL]))
def test_any_bytes_decode_or_raise_decode_error(data: bytes, extensions: int) -> None:
    try:
        packet = rbn1.decode(data, extensions)
    except DecodeError:
        return
    assert rbn1.encode(packet, extensions) == data or packet.input_size == 2


@given(extended_packets(), st.integers(0, 40), st.integers(0, 255))
def test_a_changed_byte_decodes_or_raises_decode_error(packet: InputPacket, at: int, value: int) -> None:
    data = rbn1.encode(packet, ALL)
    data = changed(data, min(at, len(data) - 1), value)
    for extensions in (0, ALL):
        decoded = rbn1.try_decode(data, extensions)
        assert decoded is None or len(decoded.inputs) >= 1


class Known(IntFlag):
    SYNC = 1
    LOSS = 2
    WIDE = 4


SYNCED = InputPacket(1, 2, (3,), time_sync=TimeSync(4, -5))


@pytest.mark.parametrize("extensions", [-1, 1 << 40 | 1, (1 << 90) - 1, True, Known.SYNC | Known.WIDE])
def test_extensions_are_any_integer_and_bits_beyond_the_known_mean_nothing(extensions: int) -> None:
    data = rbn1.encode(SYNCED, extensions)
    assert rbn1.encode_into(SYNCED, bytearray(40), extensions) == len(data)
    assert rbn1.decode(data, extensions) == rbn1.try_decode(data, extensions) == SYNCED


@pytest.mark.parametrize("extensions", [None, 1.0, "1"])
def test_extensions_that_are_no_integer_are_a_type_error(extensions: Any) -> None:
    for call in (rbn1.decode, rbn1.try_decode):
        with pytest.raises(TypeError, match="unsupported operand type"):
            call(PINNED, extensions)
    with pytest.raises(TypeError, match="unsupported operand type"):
        rbn1.encode(SYNCED, extensions)
