"""Evidence as bytes."""

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue, LimitExceeded, TrailingData, Truncated, UnsupportedVersion
from retick.rollback.desync.evidence import (
    CLOSEUP,
    MAX_CHECKSUMS,
    MAX_FIELDS,
    TIMELINE,
    Assembler,
    Closeup,
    StateFields,
    Timeline,
    alarm_in,
    decode_closeup,
    decode_timeline,
    encode_closeup,
    encode_timeline,
    select_fields,
    split_into_messages,
)
from retick.rollback.desync.field_values import portable_fields

U32 = st.integers(0, 2**32 - 1)
FRAMES = st.integers(0, 2**31)


@given(
    st.builds(
        Timeline,
        peer_id=st.integers(0, 255),
        alarm=st.none() | FRAMES,
        last_agreed=st.none() | FRAMES,
        first=FRAMES,
        checksums=st.lists(U32, max_size=20).map(tuple),
    )
)
def test_a_timeline_comes_back_as_it_was(line: Timeline) -> None:
    assert decode_timeline(encode_timeline(line)) == line


def closeup_of(frame: int, fields: int, rows: int = 3, text: str = "v") -> Closeup:
    pairs = portable_fields((f"name{number}", f"{text}{number}") for number in range(fields))
    return Closeup(
        peer_id=3,
        frame=frame,
        first_input=frame - 2,
        inputs=tuple((row, 2**64 - 1) for row in range(rows)),
        states=(select_fields(frame - 1, pairs), select_fields(frame, pairs)),
    )


@given(st.integers(5, 1000), st.integers(0, 40), st.integers(0, 16))
def test_a_closeup_comes_back_as_it_was(frame: int, fields: int, rows: int) -> None:
    closeup = closeup_of(frame, fields, rows)
    assert decode_closeup(encode_closeup(closeup)) == closeup


@given(st.binary(max_size=80))
def test_any_bytes_are_evidence_or_a_decode_error(data: bytes) -> None:
    for decode, encode in ((decode_timeline, encode_timeline), (decode_closeup, encode_closeup)):
        try:
            found = decode(data)  # type: ignore[operator]  # one of several readers
        except DecodeError:
            continue
        assert encode(found) == data


@given(st.data())
def test_a_closeup_with_one_wrong_byte_is_evidence_or_a_decode_error(data: st.DataObject) -> None:
    whole = bytearray(encode_closeup(closeup_of(9, 3)))
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(DecodeError):
        assert encode_closeup(decode_closeup(bytes(whole))) == whole


def test_a_state_too_large_to_send_is_cut_and_says_so() -> None:
    closeup = closeup_of(9, MAX_FIELDS + 50, text="long " * 30)
    messages = list(split_into_messages(CLOSEUP, encode_closeup(closeup)))
    assert 2 <= len(messages) <= 4
    assert max(len(message) for message in messages) <= 57 * 1024
    assembler = Assembler()
    *before, last = (assembler.receive(message) for message in messages)
    assert before == [None] * len(before)
    assert last is not None
    found = decode_closeup(last[1])
    assert found == closeup
    assert 0 < len(found.states[0].fields) < found.states[0].total == MAX_FIELDS + 50


def test_parts_that_do_not_follow_each_other_are_refused_and_the_next_body_is_read() -> None:
    one, two, three = split_into_messages(CLOSEUP, bytes(150_000))
    line = Timeline(peer_id=1, alarm=5, last_agreed=None, first=0, checksums=(1, 2))
    (small,) = split_into_messages(TIMELINE, encode_timeline(line))
    for wrong in ((two,), (one, three), (one, one), (one, two, two), (one, small)):
        assembler = Assembler()
        for message in wrong[:-1]:
            assert assembler.receive(message) is None
        with pytest.raises(InvalidValue):
            assembler.receive(wrong[-1])
        assert assembler.receive(small) == (TIMELINE, encode_timeline(line))


def test_only_a_timeline_opens_an_investigation() -> None:
    line = Timeline(peer_id=1, alarm=5, last_agreed=None, first=0, checksums=(1, 2))
    (message,) = split_into_messages(TIMELINE, encode_timeline(line))
    assert alarm_in(message) == 5
    (closeup,) = split_into_messages(CLOSEUP, encode_closeup(closeup_of(9, 1)))
    for wrong in (b"", b"\x01", closeup, message + b"\x00", b"\x03" + message[1:], message[:4]):
        with pytest.raises(DecodeError):
            alarm_in(wrong)


def test_each_bound_is_checked_before_anything_is_read() -> None:
    with pytest.raises(LimitExceeded) as caught:
        decode_timeline(struct.pack("<BIIIH", 0, 0, 0, 0, MAX_CHECKSUMS + 1))
    assert (caught.value.what, caught.value.actual) == ("checksums", MAX_CHECKSUMS + 1)
    with pytest.raises(InvalidValue):
        decode_timeline(struct.pack("<BIIIHI", 0, 0, 0, 0xFFFFFFFE, 1, 0))
    with pytest.raises(Truncated):
        decode_timeline(struct.pack("<BIIIH", 0, 0, 0, 0, 1))
    with pytest.raises(TrailingData):
        decode_timeline(struct.pack("<BIIIHB", 0, 0, 0, 0, 0, 0))
    head = struct.pack("<BIIBB", 0, 9, 0, 0, 0)
    for states in (b"\x03", b"\x01" + struct.pack("<IIH", 9, 5000, 4097), b"\x01" + struct.pack("<IIH", 9, 0, 1)):
        with pytest.raises(DecodeError):
            decode_closeup(head + states)
    with pytest.raises(InvalidValue, match="around"):
        decode_closeup(head + b"\x01" + struct.pack("<IIH", 7, 0, 0))
    with pytest.raises(InvalidValue, match="twice"):
        decode_closeup(head + b"\x01" + struct.pack("<IIH", 9, 2, 2) + b"\x01x\x01\x01\x05" * 2)
    for rows, players in ((17, 1), (1, 17), (1, 0)):
        with pytest.raises(DecodeError):
            decode_closeup(struct.pack("<BIIBB", 0, 9, 0, rows, players) + bytes(8 * rows * players) + b"\x00")
    with pytest.raises(UnsupportedVersion):
        Assembler().receive(b"\x01\x02\x00\x01")


# Written by the version before evidence had peer ids in its Python names; the bytes must never change.
GOLDEN_TIMELINE = "0130000000ffffffff28000000020001000000efbeadde"
GOLDEN_CLOSEUP = (
    "012a0000002800000002020100000000000000020000000000000003000000000000000400000000000000"
    "02290000000200000002000470312e780102d4fe046e616d65030474657874"
    "2a0000000900000002000470312e7801090000000000000000400573706565640208000000000000e03f"
)


def test_evidence_has_the_bytes_that_it_always_had() -> None:
    line = Timeline(peer_id=1, alarm=48, last_agreed=None, first=40, checksums=(1, 0xDEADBEEF))
    assert encode_timeline(line).hex() == GOLDEN_TIMELINE
    assert [message.hex() for message in split_into_messages(TIMELINE, encode_timeline(line))] == [
        "01010001" + GOLDEN_TIMELINE
    ]
    states = (
        StateFields(frame=41, total=2, fields=(("p1.x", -300), ("name", "text"))),
        StateFields(frame=42, total=9, fields=(("p1.x", 2**70), ("speed", 0.5))),
    )
    closeup = Closeup(peer_id=1, frame=42, first_input=40, inputs=((1, 2), (3, 4)), states=states)
    assert encode_closeup(closeup).hex() == GOLDEN_CLOSEUP
