"""Columns made of other columns hold the right entities, and nothing that others can change."""

from array import array
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.snapshot import Schema, Snapshot
from retick.snapshot.kernels.copies import duplicate, gather
from tests.snapshot.worlds import schemas, worlds


@given(st.data(), schemas())
def test_gathered_entities_are_those_that_were_picked(data: Any, schema: Schema) -> None:
    left, right = data.draw(worlds(schema, 1)), data.draw(worlds(schema, 2))
    places = list(range(left.count)) + [~at for at in range(right.count)]
    picked = data.draw(st.lists(st.sampled_from(places), unique=True)) if places else []
    made = gather(Snapshot, left, right, array("q", picked), 3)
    here, there = list(left.entities()), list(right.entities())
    assert list(made.entities()) == [here[at] if at >= 0 else there[~at] for at in picked]
    assert (made.tick, made.owned) == (3, True)


@given(st.data(), schemas())
def test_a_duplicate_has_the_same_entities_at_another_tick(data: Any, schema: Schema) -> None:
    source = data.draw(worlds(schema, 1))
    made = duplicate(Snapshot, source, 9)
    assert list(made.entities()) == list(source.entities())
    assert (made.tick, made.owned) == (9, True)
