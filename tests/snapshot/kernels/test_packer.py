"""What encoding does not allocate."""

import tracemalloc
from collections.abc import Callable

import pytest

from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt


def peak_of(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.compiled_only
def test_encoding_into_a_buffer_allocates_nothing_for_each_entity() -> None:
    schema = Schema([Component(1, [Field(f, UInt(16)) for f in range(1, 9)])])
    codec = Codec(schema)
    base = Snapshot.of(schema, tick=1, entities={at: {1: (at,) * 8} for at in range(1000)})
    current = Snapshot.of(schema, tick=2, entities={at: {1: (at + 1,) * 8} for at in range(1000)})
    buffer = bytearray(40_000)
    for call in (
        lambda: codec.encode_full_into(base, buffer),
        lambda: codec.encode_delta_into(base, current, buffer),
    ):
        call()
        assert peak_of(call) < 2_000
