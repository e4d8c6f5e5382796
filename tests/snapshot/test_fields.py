"""Field types: their bounds, how floats are quantised, and what it takes to add one."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, SchemaError
from retick.snapshot import Codec, Component, Field, FieldCodec, Fixed, Schema, Snapshot, UInt, fields
from retick.snapshot import schema as schema_json
from retick.snapshot.inspect import inspect_packet
from retick.wire.bits import BitReader, BitWriter
from tests.snapshot.worlds import CODECS, values_of

POSITION = Fixed.between(-10, 10, scale=100)


@given(st.floats(allow_nan=False))
def test_quantising_rounds_to_the_nearest_step_and_clamps(value: float) -> None:
    q = POSITION.quantise(value)
    assert POSITION.min_q <= q <= POSITION.max_q
    clamped = max(-10.0, min(10.0, value))
    assert abs(POSITION.value_of(q) - clamped) <= 0.5 / POSITION.scale + 1e-9


def test_quantising_takes_ties_to_even_and_no_nan() -> None:
    halves = Fixed(min_q=-10, max_q=10, scale=1)
    assert [halves.quantise(x) for x in (0.5, 1.5, 2.5, -0.5, math.inf, -math.inf)] == [0, 2, 2, 0, 10, -10]
    with pytest.raises(EncodeError):
        halves.quantise(math.nan)


@pytest.mark.parametrize("bad", [0.5, 0.0, "0", None, True])
def test_bounds_and_scales_that_are_no_integers_are_refused_at_once(bad: Any) -> None:
    for bounds in ({"min_q": bad, "max_q": 5, "scale": 1}, {"min_q": 0, "max_q": bad, "scale": 1}):
        with pytest.raises(SchemaError):
            Fixed(**bounds)
    with pytest.raises(SchemaError):
        Fixed(min_q=0, max_q=5, scale=bad)


def test_integers_beyond_any_float_are_clamped_and_no_range_is_refused() -> None:
    codec = Fixed(min_q=-500, max_q=500, scale=100)
    assert (codec.quantise(10**400), codec.quantise(-(10**400))) == (500, -500)
    for lowest, highest in ((math.nan, 1.0), (-math.inf, 1.0), (0.0, math.inf)):
        with pytest.raises(SchemaError):
            Fixed.between(lowest, highest, scale=100)


@given(st.data(), CODECS)
def test_a_type_writes_one_value_as_the_kernels_do(data: Any, codec: FieldCodec) -> None:
    field = Field(1, codec)
    value = data.draw(values_of(field))
    schema = Schema([Component(1, [field])])
    writer = BitWriter()
    writer.write_u8(1)  # one entity
    writer.write_u32(0)
    writer.write_bits(0b11, 2)  # its component and its field
    codec.write(writer, value)
    writer.align()
    packet = Codec(schema).encode_full(Snapshot.of(schema, tick=1, entities={0: {1: (value,)}}))
    assert packet.endswith(writer.to_bytes())
    reader = BitReader(writer.to_bytes())
    reader.read_u8(), reader.read_u32(), reader.read_bits(2)
    assert codec.read(reader) == value


@dataclass(frozen=True, slots=True)
class Percent(FieldCodec):
    """A type that the package does not have: all that is needed to add it is in this class and in KINDS."""

    most: int
    kind: ClassVar[str] = "percent"
    tag: ClassVar[int] = 77
    range_code: ClassVar[str] = "PercentOutOfRange"
    json_name: ClassVar[str] = "Percent"
    json_keys: ClassVar[dict[str, str]] = {"most": "most"}

    @property
    def bits(self) -> int:
        return 7

    @property
    def highest(self) -> int:
        return self.most


def test_a_new_type_of_a_fixed_width_needs_nothing_outside_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema([Component(1, [Field(1, UInt(3)), Field(2, Percent(100), threshold=2)])])
    codec = Codec(schema, version=2)
    base = Snapshot.of(schema, tick=1, entities={5: {1: (1, 50)}, 6: {1: (2, 0)}})
    current = Snapshot.of(schema, tick=2, entities={5: {1: (1, 100)}, 6: {1: (3, 2)}})
    assert codec.decode_full(codec.encode_full(base)) == base
    delta = codec.encode_delta(base, current)
    assert codec.apply_delta(base, delta).to_dict() == {5: {1: (1, 100)}, 6: {1: (3, 0)}}
    assert sum(inspect_packet(delta, schema).costs.values()) == 8 * len(delta)
    listed = codec.encode_changes(tick=2, baseline_tick=1, updates={5: {1: [(1, 7)]}})
    assert codec.apply_delta(base, listed).to_dict()[5] == {1: (1, 7)}
    with pytest.raises(EncodeError, match="101 does not fit percent 0 to 100") as refused:
        codec.encode_full(Snapshot.of(schema, tick=1, entities={5: {1: (1, 101)}}))
    assert refused.value.code == "InvalidValue.PercentOutOfRange"
    packet = bytearray(codec.encode_full(Snapshot.of(schema, tick=1, entities={5: {1: (0, 100)}})))
    packet[-1] |= 0xF0
    with pytest.raises(DecodeError) as caught:
        codec.decode_full(packet)
    assert caught.value.code == "InvalidValue.PercentOutOfRange"
    monkeypatch.setattr(schema_json, "KINDS", (*fields.KINDS, Percent))
    assert schema_json.schema_from_json(schema_json.schema_to_json(schema)) == schema
