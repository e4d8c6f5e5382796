"""Columns made of other columns hold the right entities, and nothing that others can change."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.snapshot import BoundColumns, Schema, Snapshot
from retick.snapshot.columns import duplicate, select
from tests.snapshot.test_bound import space
from tests.snapshot.worlds import schemas, worlds


@given(st.data(), schemas(), st.booleans())
def test_selected_entities_are_those_that_are_wanted(data: Any, schema: Schema, owned: bool) -> None:
    source = data.draw(worlds(schema, 3))
    if not owned:
        bound = BoundColumns(schema, **space(schema, len(source)))
        bound.load(source)
        source = bound.snapshot(tick=3)
    wanted = data.draw(st.sets(st.sampled_from([*source.ids, 77_777])))
    made = select(Snapshot, source, wanted)
    assert list(made.entities()) == [(entity, held) for entity, held in source.entities() if entity in wanted]
    assert (made.tick, made.owned) == (3, True)
    assert (made is source) == (owned and len(made) == len(source))


@given(st.data(), schemas())
def test_a_duplicate_has_the_same_entities_at_another_tick(data: Any, schema: Schema) -> None:
    source = data.draw(worlds(schema, 1))
    made = duplicate(Snapshot, source, 9)
    assert list(made.entities()) == list(source.entities())
    assert (made.tick, made.owned) == (9, True)
