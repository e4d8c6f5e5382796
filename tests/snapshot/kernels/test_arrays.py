"""Arrays of kernels: a pointer is good for as long as the object that holds it lives."""

import gc
from array import array

from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt
from tests.twin import Twin


def story() -> list[str]:
    """Tables and plans whose arrays must outlive the lists that they were made from."""
    schema = Schema([Component(1, [Field(at, UInt(at)) for at in range(1, 30)])])
    codec = Codec(schema, compact=True)
    gc.collect()
    junk = [array("q", range(at, at + size)) for at in range(50) for size in (8, 16, 29, 30)]
    first, second = (
        Snapshot.of(schema, tick=tick, entities={1: {1: tuple(tick % (1 << at) for at in range(1, 30))}})
        for tick in (77, 1234)
    )
    assert codec.apply_delta(first, codec.encode_delta(first, second)) == second
    return [codec.encode_delta(first, second).hex(), str(len(junk))]


def test_arrays_live_as_long_as_their_tables_and_both_forms_agree(twin: Twin) -> None:
    twin.agrees(story)
