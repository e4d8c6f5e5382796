"""Inputs, snapshots and notes as payloads."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.frames import (
    LAST_TICK,
    MOST_INPUTS,
    Cue,
    InputFrame,
    decode_input,
    decode_note,
    decode_snapshot,
    encode_input,
    encode_note,
    encode_snapshot,
)
from retick.errors import DecodeError, EncodeError, InvalidValue, LimitExceeded, TrailingData, Truncated
from retick.wire.values import encode_value


@st.composite
def input_frames(draw: st.DrawFn, bits: int) -> InputFrame:
    tick = draw(st.integers(1, LAST_TICK))
    pressed = st.integers(0, (1 << bits) - 1) | st.sampled_from([0, 1])
    return InputFrame(
        tick,
        draw(st.integers(0, tick - 1)),
        draw(st.integers(0, 0xFFFFFFFF)),
        tuple(draw(st.lists(pressed, min_size=1, max_size=MOST_INPUTS))),
    )


@given(st.sampled_from([1, 8, 16, 20, 64]), st.data())
def test_inputs_come_back(bits: int, data: st.DataObject) -> None:
    frame = data.draw(input_frames(bits))
    assert decode_input(encode_input(frame, bits), bits) == frame


@given(st.binary(max_size=40), st.sampled_from([1, 16, 64]))
def test_any_bytes_are_inputs_in_their_one_form_or_a_decode_error(data: bytes, bits: int) -> None:
    for payload in (data, b"\x21" + data):
        try:
            frame = decode_input(payload, bits)
        except DecodeError:
            continue
        assert encode_input(frame, bits) == payload


def test_eight_equal_inputs_cost_a_bit_each() -> None:
    frame = InputFrame(1000, 990, 96, (7,) * 8)
    assert encode_input(frame, 16).hex() == "21e80300000a6008000700"


@pytest.mark.parametrize("frame", [InputFrame(5, 5, 0, (1,)), InputFrame(5, 0, 0, ()), InputFrame(0, 0, 0, (1,)),
                                   InputFrame(5, 0, 0, (1,) * 9), InputFrame(5, 0, 0, (1 << 16,))])  # fmt: skip
def test_what_no_client_sends_is_not_written(frame: InputFrame) -> None:
    with pytest.raises(EncodeError):
        encode_input(frame, 16)


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ("", Truncated),
        ("2105000000", Truncated),
        ("22050000000000010000", InvalidValue),
        ("21000000000000010000", InvalidValue),
        ("21050000000500010000", InvalidValue),
        ("21050000000000000000", LimitExceeded),
        ("21050000000000090000", LimitExceeded),
        ("2105000000000001000000", TrailingData),
        ("21050000000000020000800000", InvalidValue),  # the same input again
    ],
)
def test_wrong_inputs_are_refused(payload: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_input(bytes.fromhex(payload), 16)


CUES = st.lists(st.tuples(st.integers(1, 60), st.tuples(st.text("ab"), st.integers(-9, 99))), max_size=4)


@given(CUES, st.integers(0, 60), st.integers(0, 30), st.integers(-500, 500), st.integers(0, 300), st.binary(max_size=9))
def test_snapshots_come_back(cues: Any, back: int, apart: int, margin: int, newest: int, body: bytes) -> None:
    payload = encode_snapshot(
        tick=100, back=back, apart=apart if back else 0, margin=margin, newest=newest, serial=7,
        cues=[(when, encode_value(cue)) for when, cue in cues], body=body,
    )  # fmt: skip
    frame = decode_snapshot(payload)
    assert frame.cues == tuple(Cue(when, cue) for when, cue in cues)
    assert (frame.tick, frame.back, frame.apart, frame.body) == (100, back, apart if back else 0, body)
    assert (frame.margin, frame.newest) == (max(-128, min(127, margin)), newest)
    assert frame.serial == (7 if cues else 0)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_snapshot_or_a_decode_error(data: bytes) -> None:
    for payload in (data, b"\x22" + data, b"\x22\1\1\0\0\1\0\0" + data):
        try:
            frame = decode_snapshot(payload)
        except DecodeError:
            continue
        again = encode_snapshot(
            tick=frame.tick, back=frame.back, apart=frame.apart, margin=frame.margin, newest=frame.newest,
            serial=frame.serial, cues=[(cue.tick, encode_value(cue.cue)) for cue in frame.cues], body=frame.body,
        )  # fmt: skip
        assert again == payload


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ("2205000000", Truncated),
        ("22050000000500000000", InvalidValue),  # a base at tick 0
        ("22050000000001000000", InvalidValue),  # carried on without a base
        ("22050000000301000000", None),
        ("22050000000302000000", InvalidValue),
        ("22050000000000000b00", InvalidValue),  # an input of a negative tick
        ("22050000000000000080020000", LimitExceeded),  # 256 cues
        ("2205000000000000000100" + "0540", InvalidValue),  # a cue at tick 0
        ("2205000000000000000100" + "0040", InvalidValue),  # a cue that is no tuple
    ],
)
def test_wrong_snapshots_are_refused(payload: str, error: type[Exception] | None) -> None:
    if error is None:
        assert decode_snapshot(bytes.fromhex(payload)).apart == 1
        return
    with pytest.raises(error):
        decode_snapshot(bytes.fromhex(payload))


def test_notes_are_the_bytes_of_the_application() -> None:
    assert decode_note(encode_note(b"hi")) == b"hi"
    for wrong in (b"", b"\x22hi"):
        with pytest.raises(InvalidValue):
            decode_note(wrong)
