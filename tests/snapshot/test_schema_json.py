"""Schemas as JSON: what the command-line tools of sdec write, read back, and what is no schema."""

import pytest

from retick.errors import SchemaError, SchemaMismatch
from retick.snapshot import (
    Codec,
    Component,
    Field,
    Group,
    Hold,
    Schema,
    Snapshot,
    UInt,
    schema_from_json,
    schema_to_json,
)
from tests.snapshot.sdec import schema_named


@pytest.mark.parametrize("name", ["all_codecs", "thresholds", "multi17_sparse_ids", "empty_schema", "empty_component"])
def test_json_round_trips(name: str) -> None:
    schema = schema_named(name)
    assert schema_from_json(schema_to_json(schema)) == schema
    assert schema_from_json(schema_to_json(schema)).hash == schema.hash


def test_json_keeps_names_and_so_the_groups_that_compact_codecs_derive_from_them() -> None:
    fields = [Field(at, UInt(10), name=name) for at, name in enumerate(("pos_x", "pos_y", "yaw", "armour"), 1)]
    schema = Schema([Component(1, fields, name="Tank")], [Group(1, (4,), Hold())])
    again = schema_from_json(schema_to_json(schema))
    assert Codec(again, compact=True).schema_hash == Codec(schema, compact=True).schema_hash
    assert again.label(0, 3) == "Tank.armour"
    bare = schema_from_json(schema_to_json(schema, names=False))
    assert bare == schema
    first, second = (Snapshot.of(bare, tick=tick, entities={1: {1: (tick, 0, 0, 0)}}) for tick in (1, 2))
    packet = Codec(bare, compact=True).encode_delta(first, second)
    with pytest.raises(SchemaMismatch, match="fields, their names, groups and the prior must be the same"):
        Codec(schema, compact=True).apply_delta(first, packet)


def test_json_is_that_of_the_command_line_tools() -> None:
    text = """{"components":[{"id":10,"fields":[
        {"id":1,"codec":"Bool","change":"Always"},
        {"id":2,"codec":{"SInt":{"bits":12}},"change":"Always"},
        {"id":3,"codec":{"UInt":{"bits":5}},"change":{"Threshold":{"threshold_q":3}}},
        {"id":4,"codec":{"FixedPoint":{"min_q":-500,"max_q":500,"scale":100}},"change":"Always"}]}]}"""
    assert schema_from_json(text).hash == 0x9320BE458A815FCB


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"components":[{}]}', '{"components":[{"id":1,"fields":[{"id":1,"codec":"Float"}]}]}',
     '{"components":[{"id":1,"fields":[{"id":1,"codec":{"UInt":{"bits":0}}}]}]}', '{"components":1}', "[" * 100_000],
)  # fmt: skip
def test_json_that_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        schema_from_json(text)


def test_a_schema_text_with_a_broken_bound_or_threshold_is_refused() -> None:
    field = '{"components":[{"id":1,"fields":[{"id":1,"codec":%s,"change":%s}]}]}'
    fixed = '{"FixedPoint":{"min_q":0.5,"max_q":9,"scale":1}}'
    for text in (field % (fixed, '"Always"'), field % ('"Bool"', '{"Threshold":{"threshold_q":1.5}}')):
        with pytest.raises(SchemaError):
            schema_from_json(text)
