"""Errors name the value as it was given."""

from array import array
from typing import Any

import pytest

from retick.errors import DecodeError, EncodeError
from retick.snapshot import Codec, Component, Field, Fixed, Schema, Snapshot, UInt
from tests.snapshot.sdec import schema_named

MIXED = schema_named("neg_mix")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({1: (2, 0)}, "InvalidValue.TypeMismatch"), ({1: (True, "x")}, "InvalidValue.TypeMismatch"),
        ({1: (True, 1.5)}, "InvalidValue.TypeMismatch"), ({1: (True, True)}, "InvalidValue.TypeMismatch"),
        ({1: (True, -1)}, "InvalidValue.UnsignedOutOfRange"), ({1: (True, 1 << 70)}, "InvalidValue.UnsignedOutOfRange"),
        ({2: (0, 1 << 63, 0)}, "InvalidValue.FixedPointOutOfRange"),
        ({2: (0, 0, -(1 << 80))}, "InvalidValue.SignedOutOfRange"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_named(values: Any, code: str) -> None:
    codec = Codec(MIXED)
    with pytest.raises(EncodeError) as caught:
        codec.encode_full(Snapshot.of(MIXED, tick=1, entities={77: values}))
    error = caught.value
    [(component, _)] = values.items()
    assert (error.code, error.entity, error.component) == (code, 77, component)
    assert error.field is not None
    assert "entity 77" in str(error)


def test_a_value_beyond_63_bits_is_named_as_it_is() -> None:
    schema = Schema([Component(1, [Field(1, Fixed(min_q=2**63 - 10, max_q=2**63 - 1, scale=1))])])
    codec = Codec(schema)
    packet = bytearray(codec.encode_full(Snapshot.of(schema, tick=1, entities={1: {1: (2**63 - 1,)}})))
    packet[-1] |= 0b00111100
    with pytest.raises(DecodeError) as caught:
        codec.decode_full(packet)
    assert caught.value.details["value"] == 2**63 + 5


NAMED = Schema([Component(2, [Field(1, UInt(7), name="points")], name="Health"), Component(3, [])])


@pytest.mark.parametrize("value", [-128, 128, -(2**63)])
@pytest.mark.parametrize("options", [{"version": 0}, {"version": 2}, {"compact": True}])
def test_a_value_of_a_column_is_named_as_it_is_with_its_sign_and_its_fields_name(value: int, options: Any) -> None:
    columns = {2: [array("q", [value])], 3: []}
    made = Snapshot.from_columns(NAMED, tick=2, ids=array("I", [5]), columns=columns)
    base = Snapshot.of(NAMED, tick=1, entities={5: {2: (1,), 3: ()}})
    message = rf"entity 5, component 2, field 1 \(Health.points\): {value} does not fit uint 0 to 127"
    for encode in (Codec(NAMED, **options).encode_full, lambda made: Codec(NAMED, **options).encode_delta(base, made)):
        with pytest.raises(EncodeError, match=message) as caught:
            encode(made)
        assert caught.value.value == value


def test_a_component_that_comes_or_goes_is_named() -> None:
    base = Snapshot.of(NAMED, tick=1, entities={5: {2: (1,)}})
    with pytest.raises(EncodeError, match=r"component 2 \(Health\) was added"):
        Codec(NAMED).encode_delta(base, Snapshot.of(NAMED, tick=2, entities={5: {}}))


@pytest.mark.parametrize("options", [{"version": 0}, {"version": 2}, {"compact": True}])
def test_no_delta_starts_from_tick_0_and_both_ends_say_so(options: Any) -> None:
    codec = Codec(NAMED, **options)
    zero, one, two = (Snapshot.of(NAMED, tick=tick, entities={5: {2: (tick,)}}) for tick in (0, 1, 2))
    words = "count ticks from 1: no delta starts from tick 0"
    for encode in (codec.encode_delta, codec.encode_payload):
        with pytest.raises(EncodeError, match=words) as refused:
            encode(zero, one)
        assert refused.value.code == "Wire.InvalidBaselineTick"
    packet = bytearray(codec.encode_delta(one, two))
    packet[20:24] = bytes(4)
    with pytest.raises(DecodeError, match=words):
        codec.apply_delta(zero, packet)
    full = bytearray(codec.encode_full(one))
    full[20] = 9
    with pytest.raises(DecodeError, match="a full snapshot has no baseline, and this one names tick 9"):
        codec.decode_full(full)


def test_sessions_and_change_lists_start_from_no_tick_0_either() -> None:
    codec = Codec(NAMED, version=2)
    zero, one = (Snapshot.of(NAMED, tick=tick, entities={5: {2: (tick,)}}) for tick in (0, 1))
    with pytest.raises(EncodeError, match="no delta starts from tick 0"):
        codec.encode_frame(zero, one, last_tick=0)
    with pytest.raises(EncodeError, match="no delta starts from tick 0"):
        codec.encode_changes(tick=1, baseline_tick=0)


def test_a_wrong_number_of_values_names_the_component() -> None:
    with pytest.raises(EncodeError, match=r"entity 5, component 2 \(Health\): 2 values for 1 fields"):
        Snapshot.of(NAMED, tick=1, entities={5: {2: (1, 2)}})
