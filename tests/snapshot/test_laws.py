"""Laws of the codec, for any schema, any world and any bytes."""

import contextlib
from array import array
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, UsageError
from retick.snapshot import Codec, Component, Field, Fixed, Limits, Schema, SInt, Snapshot, UInt
from retick.snapshot.inspect import inspect_packet
from tests.snapshot.sdec import cases, codec_for, load, schema_named
from tests.snapshot.worlds import PLAIN, schemas, successors, worlds

LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
VERSIONS = st.sampled_from([0, 2])


@LAW
@given(st.data(), schemas(), VERSIONS)
def test_a_full_packet_round_trips(data: Any, schema: Schema, version: int) -> None:
    codec = Codec(schema, version=version)
    world = data.draw(worlds(schema, 7))
    packet = codec.encode_full(world)
    assert codec.decode_full(packet) == world
    assert codec.encode_full(codec.decode_full(packet)) == packet


@LAW
@given(st.data(), schemas(thresholds=False), VERSIONS, st.booleans())
def test_a_delta_makes_the_current_state_and_leaves_the_baseline_alone(
    data: Any, schema: Schema, version: int, packed: bool
) -> None:
    codec = Codec(schema, version=version)
    base = data.draw(worlds(schema, 3))
    before = base.to_dict()
    current = data.draw(successors(base, 4))
    packet = codec.encode_delta(base, current, packed=packed and version == 2)
    assert codec.apply_delta(base, packet) == current
    assert base.to_dict() == before


def careful(schema: Schema, *, strict: bool = True, limits: Limits | None = None) -> Codec:
    """A codec that never takes the fast way."""
    codec = Codec(schema, strict=strict, limits=limits)
    codec._encoder.sections.quick = codec._decoder.reader.quick = False
    return codec


@LAW
@given(st.data(), schemas(PLAIN))
def test_the_fast_way_and_the_careful_way_write_the_same(data: Any, schema: Schema) -> None:
    fast, slow = Codec(schema), careful(schema)
    base = data.draw(worlds(schema, 3))
    current = data.draw(successors(base, 4))
    assert fast.encode_full(current) == slow.encode_full(current)
    packet = fast.encode_delta(base, current)
    assert packet == slow.encode_delta(base, current)
    assert fast.apply_delta(base, packet) == slow.apply_delta(base, packet)
    assert sum(inspect_packet(packet, schema).costs.values()) == 8 * len(packet)


def outcome(call: Any) -> Any:
    try:
        result = call()
    except DecodeError as error:
        return error.code, str(error)
    return result.to_dict()


ALIKE = Schema([Component(1, [Field(1, Fixed(min_q=-5, max_q=5, scale=1)), Field(2, SInt(9)), Field(3, UInt(3))])])
ALIKE_BASE = Snapshot.of(ALIKE, tick=1, entities={at: {1: (at % 5, -at, at % 8)} for at in range(1, 9)})
ALIKE_NEXT = Snapshot.of(ALIKE, tick=2, entities={at: {1: (at % 5, at, at % 8)} for at in range(1, 9)})


@settings(max_examples=300, deadline=None)
@given(st.data(), st.booleans(), st.booleans())
def test_the_fast_way_and_the_careful_way_read_the_same(data: Any, strict: bool, full: bool) -> None:
    """Flip bits in packets of entities that are all alike: results and errors must not tell the two apart."""
    fast, slow = Codec(ALIKE, strict=strict), careful(ALIKE, strict=strict)
    packet = bytearray(fast.encode_full(ALIKE_BASE) if full else fast.encode_delta(ALIKE_BASE, ALIKE_NEXT))
    for _ in range(data.draw(st.integers(0, 3))):
        packet[data.draw(st.integers(28, len(packet) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = data.draw(st.integers(0, 4))
    if cut:
        del packet[-cut:]
        packet[24:28] = (len(packet) - 28).to_bytes(4, "little")
        packet[29] = max(0, len(packet) - 30)
    for codec in (fast, slow):
        codec_outcome = outcome(
            lambda codec=codec: codec.decode_full(packet) if full else codec.apply_delta(ALIKE_BASE, packet)
        )
        if codec is fast:
            expected = codec_outcome
    assert codec_outcome == expected


def test_a_component_wider_than_the_limit_never_goes_the_fast_way() -> None:
    limits = Limits(max_fields_per_component=2)
    packet = Codec(ALIKE).encode_full(ALIKE_BASE)
    with pytest.raises(DecodeError) as caught:
        Codec(ALIKE, limits=limits).decode_full(packet)
    assert caught.value.code == "LimitsExceeded.FieldsPerComponent"
    with pytest.raises(EncodeError) as refused:
        Codec(ALIKE, limits=limits).encode_full(ALIKE_BASE)
    assert refused.value.code == "LimitsExceeded.FieldsPerComponent"


@LAW
@given(st.data(), schemas())
def test_with_thresholds_the_receiver_is_never_further_off_than_they_allow(data: Any, schema: Schema) -> None:
    codec = Codec(schema)
    held = data.draw(worlds(schema, 3))
    for tick in (4, 5, 6):
        current = data.draw(successors(held, tick))
        held = codec.apply_delta(held, codec.encode_delta(held, current))
        truth, theirs = current.to_dict(), held.to_dict()
        assert truth.keys() == theirs.keys()
        for entity, components in truth.items():
            for component in schema.components:
                if component.id in components:
                    pairs = zip(components[component.id], theirs[entity][component.id], strict=True)
                    for field, (true, held_value) in zip(component.fields, pairs, strict=True):
                        assert abs(int(true) - int(held_value)) <= (field.threshold or 0)


PLAYER = schema_named("player")
MIXED = schema_named("neg_mix")
BASE = Snapshot.of(
    MIXED, tick=50, entities={5: {1: (True, 5), 2: (300, -5, 7), 7: (False,)}, 9: {1: (False, 0)}, 300: {2: (0, 5, -8)}}
)
GOOD = [
    bytes.fromhex(case["packet"])
    for case in cases("quirks")
    if case["schema"] == "neg_mix" and len(case["packet"]) < 200
]


def mutated(data: Any) -> bytes:
    packet = bytearray(data.draw(st.sampled_from(GOOD)))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, max(0, len(packet) - 1)))
        if data.draw(st.booleans()):
            packet[at : at + 1] = data.draw(st.binary(max_size=3))
        elif packet:
            packet[at] ^= 1 << data.draw(st.integers(0, 7))
    if data.draw(st.booleans()) and len(packet) >= 28:
        packet[24:28] = (len(packet) - 28).to_bytes(4, "little")
    return bytes(packet)


@settings(max_examples=400, deadline=None)
@given(st.data(), VERSIONS, st.booleans())
def test_any_bytes_decode_or_raise_a_decode_error(data: Any, version: int, strict: bool) -> None:
    packet = data.draw(st.binary(max_size=80)) if data.draw(st.integers(0, 3)) == 0 else mutated(data)
    codec = Codec(MIXED, version=version, strict=strict)
    calls: list[Any] = [codec.decode_full, lambda p: codec.apply_delta(BASE, p)]
    if version == 2:
        calls += [codec.decode_session_init, lambda p: codec.apply_frame(BASE, p, last_tick=40)]
    before = BASE.to_dict()
    for call in calls:
        with contextlib.suppress(DecodeError):
            result = call(packet)
            if isinstance(result, Snapshot):
                again = Codec(MIXED, version=version)
                assert again.decode_full(again.encode_full(result)).to_dict() == result.to_dict()
    assert BASE.to_dict() == before


def test_a_packet_may_be_any_buffer_and_nothing_else() -> None:
    codec = Codec(PLAYER)
    packet = codec.encode_full(Snapshot.of(PLAYER, tick=1, entities={}))
    for form in (bytearray(packet), memoryview(packet), array("B", packet)):
        assert codec.decode_full(form).tick == 1
    with pytest.raises(UsageError):
        codec.decode_full("text")


def test_what_was_never_an_error_of_decoding_stays_one_of_applying() -> None:
    """A packet whose update names a missing entity and then breaks off: the break is what counts."""
    codec = Codec(MIXED)
    current = Snapshot.of(MIXED, tick=60, entities={6: {1: (True, 1)}, 9: {1: (True, 0)}})
    start = Snapshot.of(MIXED, tick=50, entities={6: {1: (True, 0)}, 9: {1: (False, 0)}})
    packet = codec.encode_delta(start, current)
    with pytest.raises(DecodeError) as caught:
        codec.apply_delta(BASE, packet)
    assert caught.value.code == "EntityNotFound"
    cut = bytearray(packet[:-1])
    cut[24] -= 1
    cut[29] -= 1
    with pytest.raises(DecodeError) as caught:
        codec.apply_delta(BASE, bytes(cut))
    assert caught.value.code == "InvalidMask.ComponentMask.NotEnoughBits"


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


def test_the_strict_encoder_keeps_to_what_readers_take() -> None:
    limits = Limits(max_section_len=100)
    world = Snapshot.of(MIXED, tick=1, entities={at: {1: (True, at)} for at in range(20)})
    assert len(Codec(MIXED, limits=limits, strict=False).encode_full(world)) > 128
    with pytest.raises(EncodeError) as caught:
        Codec(MIXED, limits=limits).encode_full(world)
    assert caught.value.code == "Wire.LimitsExceeded.SectionLength"


def test_strict_change_lists_keep_to_it_too() -> None:
    limits = Limits(max_section_len=100)
    creates = {at: {1: (True, at)} for at in range(20)}
    lists: list[Any] = [
        {"creates": creates},
        {"destroys": list(range(30))},
        {"updates": {at: {1: [(0, True), (1, 5)]} for at in range(40)}},
    ]
    for changes in lists:
        loose = Codec(MIXED, version=2, limits=limits, strict=False)
        assert len(loose.encode_changes(tick=2, baseline_tick=1, **changes)) > 128
        with pytest.raises(EncodeError) as caught:
            Codec(MIXED, version=2, limits=limits).encode_changes(tick=2, baseline_tick=1, **changes)
        assert caught.value.code == "Wire.LimitsExceeded.SectionLength"


def test_growing_columns_keep_what_they_hold() -> None:
    """Many components, of which each entity has one: room for all at once would be out of proportion."""
    schema = schema_named("wide_multi")
    worlds_of = {at: {(2, 500, 7)[at % 3]: None} for at in range(60)}
    sizes = {component.id: component.fields for component in schema.components}
    entities: dict[int, dict[int, tuple[Any, ...]]] = {
        at: {c: tuple(f.codec.kind == "bool" or at % 7 for f in sizes.get(c, ())) for c in held if c in sizes}
        for at, held in worlds_of.items()
    }
    codec = Codec(schema)
    world = Snapshot.of(schema, tick=1, entities=entities)
    assert codec.decode_full(codec.encode_full(world)) == world


def test_mutated_packets_are_taken_apart_or_refused_like_the_decoder() -> None:
    bases = load("mutations")["bases"]
    for case in cases("mutations")[::3]:
        base = bases[case["base"]]
        if base["op"] != "decode_full":
            continue
        packet = bytes.fromhex(case["packet"])
        codec = codec_for(base)
        if "error" not in case:
            report = inspect_packet(packet, codec.schema, strict=False)
            assert sum(report.costs.values()) == 8 * len(packet)
        elif case["error"] != "SchemaMismatch":
            with pytest.raises(DecodeError) as caught:
                inspect_packet(packet, codec.schema, strict=False)
            assert caught.value.code == case["error"]


def test_a_value_beyond_63_bits_is_named_as_it_is() -> None:
    schema = Schema([Component(1, [Field(1, Fixed(min_q=2**63 - 10, max_q=2**63 - 1, scale=1))])])
    codec = Codec(schema)
    packet = bytearray(codec.encode_full(Snapshot.of(schema, tick=1, entities={1: {1: (2**63 - 1,)}})))
    packet[-1] |= 0b00111100
    with pytest.raises(DecodeError) as caught:
        codec.decode_full(packet)
    assert caught.value.details["value"] == 2**63 + 5
