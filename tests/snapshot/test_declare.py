"""Schemas declared as classes, and snapshots of their objects."""

from typing import Annotated, Any

import pytest

from retick.errors import EncodeError, SchemaError
from retick.snapshot import (
    Bool,
    Component,
    Field,
    FieldId,
    Fixed,
    Replicated,
    Schema,
    Threshold,
    VarSInt,
    VarUInt,
    objects_of_snapshot,
    schema_of,
    snapshot_of_objects,
)


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
