"""The fast way writes and reads what the careful way does, and leaves every fault to it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError
from retick.snapshot import Codec, Component, Field, Fixed, Limits, Schema, SInt, Snapshot, UInt
from retick.snapshot.inspect import inspect_packet
from tests.effort import examples
from tests.snapshot.worlds import PLAIN, schemas, successors, worlds

LAW = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


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


@settings(max_examples=examples(300), deadline=None)
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
