"""The packed form of RBN1: never longer, always the same packet, and one spelling only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue, LimitExceeded, Truncated, UnsupportedVersion
from retick.wire import rbn1
from retick.wire import rbn1_layout as layout
from retick.wire.rbn1 import packed, unpacked
from tests.wire.rbn1_packets import packets

ALL = rbn1.ALL_EXTENSIONS
PLAIN = ALL & ~rbn1.PACKED_INPUTS
EXAMPLE = bytes.fromhex("A005 64000000 6200 2104 1104")


def test_the_example_of_the_page() -> None:
    packet = rbn1.InputPacket(100, 98, (0, 0, 4, 4, 0))
    assert rbn1.encode(packet, rbn1.PACKED_INPUTS) == EXAMPLE
    assert rbn1.decode(EXAMPLE, rbn1.PACKED_INPUTS) == packet
    assert len(rbn1.encode(packet)) == 25


def test_inputs_that_stay_zero_take_no_byte() -> None:
    idle = rbn1.InputPacket(100, 98, (0,) * 19, input_size=8)
    assert len(rbn1.encode(idle, ALL)) == layout.PACKED_HEADER_BYTES + 1
    assert len(rbn1.encode(idle, PLAIN)) == layout.WIDE_HEADER_BYTES + 19 * 8


@given(packets())
def test_a_packet_comes_back_from_either_form_and_the_packed_one_is_never_longer(packet: rbn1.InputPacket) -> None:
    plain, short = rbn1.encode(packet, PLAIN), rbn1.encode(packet, ALL)
    assert len(short) <= len(plain)
    assert rbn1.decode(short, ALL) == rbn1.decode(plain, PLAIN) == packet
    assert short == packed(plain)
    if short != plain:
        assert len(short) < len(plain)
        assert short[0] & 0xF0 == layout.PACKED_MARK
        assert unpacked(short, ALL) == plain
    buffer = bytearray(len(short))
    assert rbn1.encode_into(packet, buffer, ALL) == len(short)
    assert buffer == short


@given(packets(), st.data())
def test_what_is_read_is_written_the_same_however_a_packet_was_changed(
    packet: rbn1.InputPacket, data: st.DataObject
) -> None:
    octets = bytearray(rbn1.encode(packet, ALL))
    for _ in range(data.draw(st.integers(0, 3))):
        octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    octets = octets[: data.draw(st.integers(1, len(octets)))] + data.draw(st.binary(max_size=3))
    if octets[0] & 0xF0 == layout.PACKED_MARK:
        try:
            found = rbn1.decode(octets, ALL)
        except DecodeError:
            return
        assert rbn1.encode(found, ALL) == octets


def test_an_ack_frame_too_far_from_the_start_frame_keeps_the_plain_form() -> None:
    for ack, is_packed in ((100_000 - 32768, True), (100_000 + 32767, True), (0, False), (100_000 + 32768, False)):
        data = rbn1.encode(rbn1.InputPacket(100_000, ack, (1, 1)), ALL)
        assert (data[0] != layout.MAGIC[0]) == is_packed
        assert rbn1.decode(data, ALL).ack_frame == ack


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("A0 05 64000000 62", Truncated, "header of 8 bytes, this has 7"),
        ("A4 05 64000000 6200", InvalidValue, "flags 0x04 have bits that are not known"),
        ("A0 00 64000000 6200", LimitExceeded, "1 to 32 frames, not 0"),
        ("A0 21 64000000 6200", LimitExceeded, "1 to 32 frames, not 33"),
        ("A0 05 00000000 FFFF", InvalidValue, "ack frame"),
        ("A0 05 FFFFFFFF 0000", InvalidValue, "ack frame"),
        ("A1 05 64000000 6200 00000000 000000", Truncated, "ends after 15 bytes"),
        ("A8 05 64000000 6200", Truncated, "ends after 8 bytes"),
        ("A8 05 64000000 6200 09", InvalidValue, "not 9 and 0"),
        ("A8 05 64000000 6200 12", InvalidValue, "not 2 and 1"),
        ("A8 20 64000000 6200 88", LimitExceeded, "at most 1024 bytes, not 2048"),
        ("A0 01 64000000 6200 01 01 01 01 01 01 01 01 01", InvalidValue, "not shorter than the plain one"),
        ("A0 05 64000000 6200 22 01", Truncated, "ends after 10 bytes"),
        ("A0 05 64000000 6200 21 00", InvalidValue, "not as a writer packs them"),
        ("A0 05 64000000 6200 01 01 01 02", InvalidValue, "not as a writer packs them"),
        ("A0 05 64000000 6200 20", InvalidValue, "not as a writer packs them"),
        ("A0 20 64000000 6200 F0", InvalidValue, "not as a writer packs them"),
        ("A0 20 64000000 6200 F0 01 01", InvalidValue, "not as a writer packs them"),
        ("A0 05 64000000 6200 A1 01", InvalidValue, "not as a writer packs them"),
    ],
)
def test_each_rule_that_is_broken_is_named(text: str, kind: type[DecodeError], words: str) -> None:
    with pytest.raises(kind, match=words):
        rbn1.decode(bytes.fromhex(text), rbn1.PACKED_INPUTS | rbn1.TIME_SYNC | rbn1.WIDE_INPUTS)


def test_a_shape_needs_the_extension_for_it() -> None:
    data = rbn1.encode(rbn1.InputPacket(100, 98, (0,), input_size=4), ALL)
    with pytest.raises(InvalidValue, match="0x08"):
        rbn1.decode(data, rbn1.PACKED_INPUTS)


def test_a_reader_that_did_not_name_the_extension_refuses_it_as_it_always_did() -> None:
    for extensions in (0, 7):
        with pytest.raises(DecodeError):
            rbn1.decode(EXAMPLE + bytes(20), extensions)
    with pytest.raises(UnsupportedVersion):
        rbn1.decode(b"RBN1\x03" + bytes(20), ALL)


def test_long_runs_of_zeros_and_of_changes_are_split_in_one_way() -> None:
    quiet = rbn1.InputPacket(0, 0, (0,) * 31 + (1,))
    assert rbn1.encode(quiet, ALL)[8:].hex() == "f0f0" + "1101"
    busy = rbn1.InputPacket(0, 0, tuple(range(1, 33)))
    low = bytes(before ^ after for before, after in zip(range(32), range(1, 33), strict=True))
    assert rbn1.encode(busy, ALL)[8:] == b"\x0f" + low[:15] + b"\x0f" + low[15:30] + b"\x02" + low[30:]
