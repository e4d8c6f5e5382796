"""Schemas: hashes and errors as published, JSON forms, field codecs, declared components."""

import math
import subprocess
import sys
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import EncodeError, SchemaError, UsageError
from retick.snapshot import (
    Bool,
    Codec,
    Component,
    Field,
    FieldId,
    Fixed,
    Limits,
    Replicated,
    Schema,
    SInt,
    Snapshot,
    Threshold,
    UInt,
    VarSInt,
    VarUInt,
    objects_of_snapshot,
    schema_from_json,
    schema_of,
    schema_to_json,
    snapshot_of_objects,
)
from tests.snapshot.sdec import cases, load, schema_named
from tests.snapshot.sdec import schema_of as published_schema


@pytest.mark.parametrize("entry", load("schemas")["schemas"], ids=lambda entry: entry["name"])
def test_hashes_are_as_published(entry: Any) -> None:
    schema = published_schema(entry["schema"])
    assert schema.hash_preimage().hex() == entry["hash_preimage"]
    assert f"{schema.hash:016x}" == entry["schema_hash"]
    assert Codec(schema).schema_hash == schema.hash


@pytest.mark.parametrize("case", cases("schema_errors"), ids=lambda case: case["name"])
def test_schema_validation_is_as_published(case: Any) -> None:
    if case["ok"]:
        assert f"{published_schema(case['schema']).hash:016x}" == case["schema_hash"]
        return
    with pytest.raises(SchemaError) as caught:
        published_schema(case["schema"])
    assert caught.value.code == case["error"]["path"]


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


def test_names_are_for_people_and_not_hashed() -> None:
    named = Schema([Component(1, [Field(1, Bool(), name="alive")], name="Body")])
    plain = Schema([Component(1, [Field(1, Bool())])])
    assert (named, named.hash) == (plain, plain.hash)
    assert (named.label(0, 0), plain.label(0, 0)) == ("Body.alive", "1.1")
    assert schema_from_json(schema_to_json(named, names=True)).label(0, 0) == "Body.alive"


def test_a_threshold_of_zero_hashes_unlike_none() -> None:
    with_zero = Schema([Component(1, [Field(1, UInt(8), threshold=0)])])
    assert with_zero.hash == 0x3D63EC7EC45452DA
    assert with_zero.hash != Schema([Component(1, [Field(1, UInt(8))])]).hash


@pytest.mark.parametrize(
    "make",
    [
        lambda: Field(0, Bool()), lambda: Field(65536, Bool()), lambda: Field(1, Bool(), threshold=-1),
        lambda: Field(1, "bool"), lambda: Component(0, []), lambda: UInt(65), lambda: SInt(0), lambda: UInt(True),
        lambda: Fixed(min_q=0, max_q=1, scale=0), lambda: Fixed(min_q=2, max_q=1, scale=1),
        lambda: Fixed(min_q=0, max_q=1 << 63, scale=1),
    ],
)  # fmt: skip
def test_declarations_that_contradict_themselves_are_refused(make: Any) -> None:
    with pytest.raises(SchemaError):
        make()


def test_limits_and_versions_are_checked() -> None:
    with pytest.raises(UsageError):
        Limits(max_sections=-1)
    with pytest.raises(UsageError):
        Codec(Schema([]), version=1)


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


class Body(Replicated, id=1):
    x: Annotated[float, Fixed.between(-1000, 1000, scale=100)]
    y: Annotated[float, Fixed.between(-1000, 1000, scale=100), Threshold(3)]
    alive: Annotated[bool, Bool()] = True


class Purse(Replicated, id=4):
    coins: Annotated[int, VarUInt(), FieldId(9)]
    debt: Annotated[int, VarSInt()] = 0


def test_component_classes_declare_a_schema() -> None:
    schema = schema_of(Body, Purse)
    fixed = Fixed(min_q=-100_000, max_q=100_000, scale=100)
    assert schema == Schema(
        [
            Component(1, [Field(1, fixed), Field(2, fixed, threshold=3), Field(3, Bool())]),
            Component(4, [Field(9, VarUInt()), Field(2, VarSInt())]),
        ]
    )
    assert schema.label(1, 0) == "Purse.coins"


def test_objects_become_a_snapshot_and_come_back() -> None:
    schema = schema_of(Body, Purse)
    entities: Any = {7: [Body(x=1.234, y=-5000.0)], 3: [Body(x=0, y=2, alive=False), Purse(coins=5)]}
    snapshot = snapshot_of_objects(schema, tick=9, entities=entities)
    assert snapshot.to_dict() == {3: {1: (0, 200, False), 4: (5, 0)}, 7: {1: (123, -100_000, True)}}
    back = objects_of_snapshot(snapshot, Body, Purse)
    assert back == {3: entities[3], 7: [Body(x=1.23, y=-1000.0)]}
    assert objects_of_snapshot(snapshot, Purse) == {3: [Purse(coins=5)], 7: []}


def test_objects_that_do_not_fit_say_where() -> None:
    with pytest.raises(EncodeError, match=r"entity 7, Body\.x"):
        snapshot_of_objects(schema_of(Body), tick=1, entities={7: [Body(x="far", y=0)]})  # type: ignore[arg-type]  # an untyped caller


def test_a_component_class_needs_a_codec_for_each_field() -> None:
    with pytest.raises(SchemaError, match=r"Bare\.x"):

        class Bare(Replicated, id=1):
            x: int


def test_importing_the_library_does_not_load_the_hash() -> None:
    program = "import sys, retick, retick.snapshot; print('blake3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_snapshot_of_another_schema_is_refused() -> None:
    one, other = Schema([Component(1, [Field(1, Bool())])]), Schema([Component(2, [Field(1, Bool())])])
    equal = Schema([Component(1, [Field(1, Bool())])])
    codec = Codec(one)
    theirs = Snapshot.of(other, tick=1, entities={1: {2: (True,)}})
    mine = Snapshot.of(equal, tick=1, entities={1: {1: (True,)}})
    packet = codec.encode_full(mine)
    for call in (
        lambda: codec.encode_full(theirs),
        lambda: codec.encode_delta(mine, theirs),
        lambda: codec.apply_delta(theirs, codec.encode_delta(mine, mine)),
    ):
        with pytest.raises(UsageError, match="another schema"):
            call()
    assert codec.decode_full(packet) == mine


@pytest.mark.parametrize("bad", [0.5, 0.0, "0", None, True])
def test_bounds_and_scales_that_are_no_integers_are_refused_at_once(bad: Any) -> None:
    for bounds in ({"min_q": bad, "max_q": 5, "scale": 1}, {"min_q": 0, "max_q": bad, "scale": 1}):
        with pytest.raises(SchemaError):
            Fixed(**bounds)
    with pytest.raises(SchemaError):
        Fixed(min_q=0, max_q=5, scale=bad)


def test_a_schema_text_with_a_broken_bound_or_threshold_is_refused() -> None:
    field = '{"components":[{"id":1,"fields":[{"id":1,"codec":%s,"change":%s}]}]}'
    fixed = '{"FixedPoint":{"min_q":0.5,"max_q":9,"scale":1}}'
    for text in (field % (fixed, '"Always"'), field % ('"Bool"', '{"Threshold":{"threshold_q":1.5}}')):
        with pytest.raises(SchemaError):
            schema_from_json(text)


@pytest.mark.parametrize("threshold", [1.5, "1", True, -1, 2**32])
def test_thresholds_are_whole_numbers_of_32_bits(threshold: Any) -> None:
    with pytest.raises(SchemaError):
        Field(1, UInt(8), threshold=threshold)


def test_what_is_no_field_or_component_is_refused_where_it_is_given() -> None:
    wrong: list[Any] = [5, None, [5], [None], Field(1, Bool()), [Component(1, [])]]
    for fields in wrong:
        with pytest.raises(SchemaError):
            Component(1, fields)
    for components in (5, None, [5], Component(1, []), [Field(1, Bool())]):
        with pytest.raises(SchemaError):
            Schema(components)  # type: ignore[arg-type] # that is the point


def test_integers_beyond_any_float_are_clamped_and_no_range_is_refused() -> None:
    codec = Fixed(min_q=-500, max_q=500, scale=100)
    assert (codec.quantise(10**400), codec.quantise(-(10**400))) == (500, -500)
    for lowest, highest in ((math.nan, 1.0), (-math.inf, 1.0), (0.0, math.inf)):
        with pytest.raises(SchemaError):
            Fixed.between(lowest, highest, scale=100)
