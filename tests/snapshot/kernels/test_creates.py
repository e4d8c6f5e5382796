"""What a packet can make the decoder allocate is bounded by its bytes."""

import tracemalloc
from collections.abc import Callable

import pytest

from retick import is_compiled
from retick.errors import DecodeError
from retick.snapshot import Bool, Codec, Component, Field, Limits, Schema, Snapshot, UInt
from retick.wire.varint import encode_varuint

# 64 components of 64 fields: a dense row would take 32 KiB.
HUGE = Schema([Component(c, [Field(f, UInt(8)) for f in range(1, 65)]) for c in range(1, 65)])

WIDE = Limits(max_entities_create=10_000)

# Uncompiled, each of the schema's columns is a view object, whatever the packet holds.
VIEWS = 0 if is_compiled() else 250 * len(HUGE.fields)


def peak_of(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def full_packet(codec: Codec, count: int, content: bytes) -> bytes:
    body = encode_varuint(count) + content
    section = b"\x01" + encode_varuint(len(body)) + body
    header = codec.encode_full(Snapshot.of(codec.schema, tick=1, entities={}))
    return header[:24] + len(section).to_bytes(4, "little") + section


def test_entities_without_components_cost_no_columns() -> None:
    codec = Codec(HUGE, limits=WIDE)
    content = b"".join(at.to_bytes(4, "little") + bytes(8) for at in range(2000))
    packet = full_packet(codec, 2000, content)
    codec.decode_full(packet)
    assert peak_of(lambda: codec.decode_full(packet)) < 20 * len(packet) + VIEWS


def test_a_count_beyond_the_bytes_allocates_for_the_bytes() -> None:
    codec = Codec(HUGE, limits=WIDE)
    packet = full_packet(codec, 9_999, bytes(100))

    def refused() -> None:
        with pytest.raises(DecodeError):
            codec.decode_full(packet)

    refused()
    assert peak_of(refused) < 200_000 + VIEWS


def test_the_smallest_fields_expand_by_a_bounded_factor() -> None:
    schema = Schema([Component(1, [Field(f, Bool()) for f in range(1, 65)])])
    codec = Codec(schema)
    world = Snapshot.of(schema, tick=1, entities={at: {1: (True,) * 64} for at in range(500)})
    packet = codec.encode_full(world)
    codec.decode_full(packet)
    assert peak_of(lambda: codec.decode_full(packet)) < 64 * len(packet)
