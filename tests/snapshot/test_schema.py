"""Schemas: published hashes, and declarations that contradict themselves."""

import subprocess
import sys
from typing import Any

import pytest

from retick.errors import SchemaError, UsageError
from retick.snapshot import (
    Bool,
    Codec,
    Component,
    Field,
    Fixed,
    Schema,
    SInt,
    Snapshot,
    UInt,
    schema_from_json,
    schema_to_json,
)
from tests.snapshot.sdec import cases, load
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
