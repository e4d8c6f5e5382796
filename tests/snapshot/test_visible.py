"""What a receiver sees of a world: ids in any order, in any mapping; what is not there is ignored."""

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.snapshot import Codec, Component, Field, Interest, Schema, Snapshot, UInt

SCHEMA = Schema([Component(1, [Field(1, UInt(8))])])


def created(world: list[int], visible: Any) -> tuple[int, ...]:
    """The ids that a receiver gets that has nothing yet."""
    now = Snapshot.of(SCHEMA, tick=2, entities={entity: {1: (1,)} for entity in world})
    return Interest(Codec(SCHEMA), budget=2000).encode(Snapshot.of(SCHEMA, tick=1, entities={}), now, visible).sent


@given(st.sets(st.integers(0, 90)), st.lists(st.integers(-2, 95), unique=True))
def test_the_visible_part_is_what_both_have_whatever_the_order(world: set[int], seen: list[int]) -> None:
    found = created(sorted(world), dict.fromkeys(seen, 1.0))
    assert found == tuple(sorted(world & set(seen)))


def test_any_mapping_says_what_is_visible_and_any_integer_is_an_id() -> None:
    assert created([1, 2, 3], MappingProxyType({3: 1, 1: 2.5})) == (1, 3)
    assert created([1, 2, 3], {True: 1.0, 2**80: 1.0, -(2**80): 1.0}) == (1,)
    np = pytest.importorskip("numpy")
    assert created([1, 2, 3], {np.uint32(2): np.float32(0.5)}) == (2,)


def test_what_is_no_id_is_refused() -> None:
    with pytest.raises(UsageError, match="given by their ids, not 'a'"):
        created([1], {"a": 1.0})
