"""Columns bound once: snapshots out of them and into them."""

from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.snapshot import BoundColumns, Codec, Component, Field, Schema, SInt, Snapshot, UInt
from tests.effort import examples
from tests.snapshot.worlds import schemas, successors, worlds
from tests.twin import Twin, outcome

SCHEMA = Schema([Component(1, [Field(1, SInt(32)), Field(2, UInt(64))]), Component(2, [Field(1, UInt(8))])])


def space(schema: Schema, rows: int, present: bool = True) -> dict[str, Any]:
    return {
        "ids": array("I", bytes(4 * rows)),
        "columns": {c.id: [array("q", bytes(8 * rows)) for _ in c.fields] for c in schema.components},
        "present": {c.id: bytearray(rows) for c in schema.components} if present else None,
    }


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), schemas(), st.integers(0, 3))
def test_what_is_loaded_comes_out_again_and_encodes_to_the_same_bytes(data: Any, schema: Schema, spare: int) -> None:
    before = data.draw(worlds(schema, 1))
    after = data.draw(successors(before, 2))
    codec = Codec(schema)
    bound = BoundColumns(schema, **space(schema, max(len(before), len(after)) + spare))
    for world in (before, after):
        assert bound.load(world) == len(world) == bound.count
        out = bound.snapshot(tick=world.tick)
        assert out == world
        assert codec.encode_full(out) == codec.encode_full(world)
    assert codec.encode_delta(before, bound.snapshot(tick=2)) == codec.encode_delta(before, after)


def test_a_snapshot_reads_the_arrays_and_a_loaded_one_fills_them() -> None:
    given = space(SCHEMA, 4, present=False)
    bound = BoundColumns(SCHEMA, **given)
    assert (bound.capacity, bound.count, repr(bound)) == (4, 4, "BoundColumns(4 of 4 entities)")
    made = Snapshot.of(SCHEMA, tick=3, entities={4: {1: (-5, 2**64 - 1), 2: (7,)}, 9: {1: (6, 1), 2: (8,)}})
    assert bound.load(made) == 2
    assert list(given["ids"]) == [4, 9, 0, 0]
    assert list(given["columns"][1][0]) == [-5, 6, 0, 0]
    given["columns"][2][0][1] = 99
    assert bound.snapshot(tick=4).to_dict() == {4: {1: (-5, 2**64 - 1), 2: (7,)}, 9: {1: (6, 1), 2: (99,)}}
    assert made.to_dict()[9][2] == (8,)
    assert list(bound.snapshot(tick=4).column(2, 1)) == [7, 99]


def test_the_count_says_which_rows_are_entities() -> None:
    given = space(SCHEMA, 3, present=False)
    given["ids"][:] = array("I", [1, 2, 3])
    bound = BoundColumns(SCHEMA, **given)
    bound.count = 2
    assert bound.snapshot(tick=1).ids == [1, 2]
    for wrong in (-1, 4, 1.5, None):
        with pytest.raises(UsageError, match="from 0 to 3"):
            bound.count = wrong  # type: ignore[assignment]  # an untyped caller
    assert bound.count == 2


def test_a_snapshot_that_does_not_fit_changes_nothing() -> None:
    given = space(SCHEMA, 1, present=False)
    bound = BoundColumns(SCHEMA, **given)
    whole = {1: (1, 2), 2: (3,)}
    for entities in ({1: whole, 2: whole}, {1: {1: (1, 2)}}):
        with pytest.raises(UsageError, match=r"do not fit: 1 rows|no component 2: bind presence"):
            bound.load(Snapshot.of(SCHEMA, tick=1, entities=entities))
    assert (list(given["ids"]), bound.count) == ([0], 1)


def test_numpy_arrays_are_bound() -> None:
    np = pytest.importorskip("numpy")
    xs, big, small = np.zeros(2, np.int64), np.zeros(2, np.uint64), np.zeros(2, np.int64)
    bound = BoundColumns(
        SCHEMA,
        ids=np.zeros(2, np.uint32),
        columns={1: (xs, big), 2: (small,)},
        present={2: np.zeros(2, np.bool_)},
    )
    bound.load(Snapshot.of(SCHEMA, tick=1, entities={3: {1: (-1, 2**64 - 1)}, 4: {1: (2, 3), 2: (5,)}}))
    assert (xs.tolist(), big.tolist(), small[0]) == ([-1, 2], [2**64 - 1, 3], 5)
    xs[1] = 8
    assert bound.snapshot(tick=2).to_dict() == {3: {1: (-1, 2**64 - 1)}, 4: {1: (8, 3), 2: (5,)}}


def wrong_space(case: int) -> dict[str, Any]:
    given = space(SCHEMA, 3)
    changes: list[tuple[str, Any, Any]] = [
        ("ids", None, array("q", [1, 2, 3])),
        ("ids", None, [1, 2, 3]),
        ("columns", 1, [array("i", bytes(12)), array("q", bytes(24))]),
        ("columns", 1, [array("Q", bytes(24)), array("q", bytes(24))]),
        ("columns", 1, [array("q", bytes(24))]),
        ("columns", 1, [array("q", bytes(24)), array("q", bytes(32))]),
        ("columns", 1, [array("q", bytes(24)), array("d", bytes(24))]),
        ("columns", 1, [array("q", bytes(24)), memoryview(array("q", bytes(48)))[::2]]),
        ("columns", 7, [array("q", bytes(24))]),
        ("present", 2, array("h", bytes(6))),
        ("present", 2, bytearray(2)),
        ("present", 2, bytearray()),
        ("present", 9, bytearray(3)),
    ]
    name, place, value = changes[case]
    if place is None:
        given[name] = value
    else:
        given[name][place] = value
    return given


def story(case: int) -> list[str]:
    return [outcome(BoundColumns, SCHEMA, **wrong_space(case))]


@pytest.mark.parametrize("case", range(13))
def test_what_cannot_be_bound_is_refused_and_both_forms_agree(case: int, twin: Twin) -> None:
    with pytest.raises(UsageError, match=r"ids|column 1\.|component [1279]"):
        BoundColumns(SCHEMA, **wrong_space(case))
    twin.agrees(story, case)


def test_what_cannot_be_loaded_or_taken_is_refused() -> None:
    given = space(SCHEMA, 2)
    bound = BoundColumns(SCHEMA, **given)
    other = Schema([Component(1, [Field(1, UInt(8))])])
    with pytest.raises(UsageError, match="another schema"):
        bound.load(Snapshot.of(other, tick=1, entities={}))
    with pytest.raises(UsageError, match="load takes a Snapshot"):
        bound.load({})  # type: ignore[arg-type]  # an untyped caller
    for tick in (-1, 2**32, "1", None):
        with pytest.raises(UsageError, match="a tick must be"):
            bound.snapshot(tick=tick)  # type: ignore[arg-type]  # an untyped caller
    given["present"][2][1] = 2
    with pytest.raises(UsageError, match="presence of component 2"):
        bound.snapshot(tick=1)
    given["ids"] = bytes(8)
    fixed = BoundColumns(SCHEMA, **{**given, "ids": memoryview(bytes(8)).cast("I")})
    with pytest.raises(UsageError, match="read-only"):
        fixed.load(Snapshot.of(SCHEMA, tick=1, entities={}))


def test_columns_can_be_loaded_from_their_own_snapshot() -> None:
    bound = BoundColumns(SCHEMA, **space(SCHEMA, 3))
    world = Snapshot.of(SCHEMA, tick=1, entities={1: {2: (5,)}, 2: {1: (1, 2)}, 3: {}})
    bound.load(world)
    bound.load(bound.snapshot(tick=1))
    assert bound.snapshot(tick=1) == world
