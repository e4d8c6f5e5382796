"""Columns keep what they hold when they grow."""

from typing import Any

from retick.snapshot import Codec, Snapshot
from tests.snapshot.sdec import schema_named


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
