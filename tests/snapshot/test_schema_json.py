"""Schemas as JSON: what the command-line tools of sdec write, read back, and what is no schema."""

import pytest

from retick.errors import SchemaError
from retick.snapshot import (
    schema_from_json,
    schema_to_json,
)
from tests.snapshot.sdec import schema_named


@pytest.mark.parametrize("name", ["all_codecs", "thresholds", "multi17_sparse_ids", "empty_schema", "empty_component"])
def test_json_round_trips(name: str) -> None:
    schema = schema_named(name)
    assert schema_from_json(schema_to_json(schema)) == schema
    assert schema_from_json(schema_to_json(schema)).hash == schema.hash


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
