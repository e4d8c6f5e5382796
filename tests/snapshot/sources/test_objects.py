"""Snapshots of objects: floats are quantised as Fixed.quantise does it, in both forms."""

from typing import Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retick.snapshot import Bool, Fixed, Replicated, Snapshot, UInt, VarSInt, schema_of, snapshot_of_objects
from retick.snapshot.columns import columns_of_objects
from tests.effort import examples
from tests.twin import Twin, outcome

NARROW = Fixed.between(-10, 10, scale=3)
WIDE = Fixed(min_q=-(2**62), max_q=2**62, scale=1000)


class Body(Replicated, id=1):
    x: Annotated[float, NARROW]
    count: Annotated[int, VarSInt()] = 0
    on: Annotated[bool, Bool()] = False


class Far(Replicated, id=2):
    at: Annotated[float, WIDE]


class Tag(Replicated, id=3):
    number: Annotated[int, UInt(64)]


SCHEMA = schema_of(Body, Far, Tag)


@settings(max_examples=examples(200))
@given(st.floats(allow_nan=False) | st.integers() | st.floats(-11, 11) | st.integers(-60, 60).map(lambda n: n / 6))
@example(0.5 / 3)
@example(2.5 / 3)
@example(2**21 + 1)
def test_a_number_is_quantised_by_the_rule_of_its_field(value: float) -> None:
    for entities in ({4: [Body(x=value)]}, {4: [Body(x=value), Far(at=value)]}):
        made = snapshot_of_objects(SCHEMA, tick=1, entities=entities)
        assert made.to_dict()[4][1][0] == NARROW.quantise(value)


def objects(case: int) -> dict[Any, list[Any]]:
    cases: tuple[dict[Any, list[Any]], ...] = (
        {7: [Body(x=1.5)], 3: [Body(x=2), Tag(number=2**64 - 1)]},
        {3: [], 1: [Tag(number=5)]},
        {3: [Far(at=1e17), Body(x=1e300, count=-5, on=True)]},
        {3: [Body(x=1.0), Body(x=2.0)]},
        {3: [Body(x=float("nan"))]},
        {3: [Body(x="far")]},  # type: ignore[arg-type]  # an untyped caller
        {3: [Body(x=None)]},  # type: ignore[arg-type]  # an untyped caller
        {3: [Body(x=True)]},
        {3: [Body(x=1, count=True)]},
        {3: [Body(x=1, count=1.5)]},  # type: ignore[arg-type]  # an untyped caller
        {3: [Tag(number=-1)]},
        {3: [Tag(number=2**64)]},
        {-1: [Tag(number=1)]},
        {True: [Tag(number=1)]},
        {2**32: [Tag(number=1)]},
        {3: [5]},
        {3: [Body(x=10**400)]},
        {3: [Body(x=-(2**21) - 1)]},
    )
    return cases[case]


def story(case: int) -> list[str]:
    return [outcome(lambda: snapshot_of_objects(SCHEMA, tick=1, entities=objects(case)).to_dict())]


@pytest.mark.parametrize("case", range(18))
def test_both_forms_agree_on_every_value_and_every_error(case: int, twin: Twin) -> None:
    twin.agrees(story, case)


def test_a_missing_attribute_is_the_callers_error_in_both_forms() -> None:
    body = Body(x=1.0)
    del body.x
    with pytest.raises(AttributeError):
        snapshot_of_objects(SCHEMA, tick=1, entities={1: [body]})


def test_a_class_of_another_schema_is_refused() -> None:
    class Stranger(Replicated, id=9):
        x: Annotated[int, UInt(8)]

    with pytest.raises(ValueError, match="component 9 is not in the schema"):
        snapshot_of_objects(SCHEMA, tick=1, entities={1: [Stranger(x=1)]})


@pytest.mark.compiled_only
def test_a_plan_is_made_once_for_a_class() -> None:
    schema = schema_of(Body, Tag)
    for tick in (1, 2):
        snapshot_of_objects(schema, tick=tick, entities={1: [Body(x=1.0)]})
    assert list(schema.object_plans) == [Body]
    plan = schema.object_plans[Body]
    made = columns_of_objects(Snapshot, schema.table, 1, [(1, (Body(x=1.0),))], {Body: plan}, lambda _: None)
    assert made.to_dict() == {1: {1: (3, 0, False)}}
    assert columns_of_objects(Snapshot, schema.table, 1, [(1, (Tag(number=1),))], {Body: plan}, lambda _: None) is None
