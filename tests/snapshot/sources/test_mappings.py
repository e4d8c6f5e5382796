"""Snapshots of mappings: the fast way gives what the long way gives, or leaves it to it."""

from collections import UserDict
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.snapshot import Bool, Component, Field, Fixed, Schema, SInt, Snapshot, UInt
from retick.snapshot.columns import columns_of_items
from tests.effort import examples
from tests.snapshot.worlds import schemas, worlds
from tests.twin import Twin, outcome

SCHEMA = Schema(
    [
        Component(1, [Field(1, SInt(8)), Field(2, UInt(64)), Field(3, Bool())]),
        Component(2, [Field(1, Fixed(min_q=0, max_q=1, scale=1))]),
    ]
)


class Colour(IntEnum):
    RED = 3


class Five:
    def __index__(self) -> int:
        return 5


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), schemas())
def test_dicts_lists_pairs_and_other_mappings_give_equal_snapshots(data: Any, schema: Schema) -> None:
    world = data.draw(worlds(schema, 5))
    plain = world.to_dict()
    listed = {entity: {c: list(values) for c, values in held.items()} for entity, held in plain.items()}
    for entities in (plain, listed, UserDict(plain), list(plain.items()), {e: UserDict(h) for e, h in plain.items()}):
        made = Snapshot.of(schema, tick=5, entities=entities)
        assert made == world
        assert made.to_dict() == plain


CASES: tuple[Any, ...] = (
    {1: {1: (1, 2, True)}},
    {1: {1: (Colour.RED, Five(), 1)}},
    {1: {1: (300, 2, 7)}},
    {1: {1: (True, 2, True)}},
    {1: {2: (True,)}},
    {1: {2: (1,)}},
    {1: {1: (1, -1, True)}},
    {1: {1: (1, 2**64, True)}},
    {1: {1: (1, 2**64 - 1, True)}},
    {1: {1: (2**63, 2, True)}},
    {1: {1: (-(2**63), 2, True)}},
    {1: {1: (1.0, 2, True)}},
    {1: {1: ("1", 2, True)}},
    {1: {1: (1, 2)}},
    {1: {1: (1, 2, True, 4)}},
    {1: {3: (1,)}},
    {1: {1: None}},
    {1: {1: 5}},
    {-1: {}},
    {2**32: {}},
    {True: {}},
    {"a": {}},
    {5: {}, 4: {2: (1,)}, 6: {1: (0, 0, False)}},
    [(4, {2: (1,)}), (4, {2: (0,)})],
    [(4,)],
    [(1, {1: (1, 2, "x")}), (-1, {})],
    {1: {1: (1, 2, True), 2: (2**80,)}},
)


def story(case: int) -> list[str]:
    return [outcome(lambda: list(Snapshot.of(SCHEMA, tick=1, entities=CASES[case]).entities()))]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_both_forms_agree_on_every_value_and_every_error(case: int, twin: Twin) -> None:
    twin.agrees(story, case)


@pytest.mark.compiled_only
def test_plain_dicts_go_the_fast_way_and_what_is_wrong_does_not() -> None:
    good = [(1, {1: (1, 2, True)}), (2, {1: [1, 2, False], 2: (1,)})]
    assert columns_of_items(Snapshot, SCHEMA.table, 1, good) is not None
    assert columns_of_items(Snapshot, SCHEMA.table, 1, [*good, (3, {9: (1,)})]) is None
