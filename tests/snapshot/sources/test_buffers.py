"""Columns over buffers: the same snapshot and bytes whatever the item types, and the same errors in both forms."""

from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.snapshot import Bool, Codec, Component, Field, Fixed, Schema, SInt, Snapshot, UInt, VarUInt
from retick.snapshot.columns import columns_of_buffers
from tests.effort import examples
from tests.snapshot.worlds import schemas, worlds
from tests.twin import Twin, outcome

SCHEMA = Schema(
    [
        Component(1, [Field(1, SInt(16), name="x"), Field(2, UInt(64)), Field(3, Bool())], name="body"),
        Component(2, [Field(1, VarUInt()), Field(2, Fixed(min_q=0, max_q=1, scale=1))]),
    ]
)
SIGNED = "bhilq"
LETTERS = "bBhHiIlLqQ"


def columns_of(snapshot: Snapshot) -> dict[str, Any]:
    """What from_columns takes, as arrays of 64-bit integers."""
    components = snapshot.schema.components
    return {
        "ids": array("I", snapshot.ids),
        "columns": {
            component.id: [
                array("q", snapshot.column(component.id, item.id))
                if not item.codec.wraps
                else array("Q", bytes(snapshot.column(component.id, item.id)))
                for item in component.fields
            ]
            for component in components
        },
        "present": {
            component.id: bytes(snapshot.has(at, index) for at in range(snapshot.count))
            for index, component in enumerate(components)
        },
    }


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), schemas())
def test_columns_and_mappings_give_equal_snapshots_and_equal_bytes(data: Any, schema: Schema) -> None:
    world = data.draw(worlds(schema, 5))
    made = Snapshot.from_columns(schema, tick=5, **columns_of(world))
    assert made == world
    assert [made.row_count(c) for c in range(len(schema.components))] == [
        world.row_count(c) for c in range(len(schema.components))
    ]
    assert Codec(schema).encode_full(made) == Codec(schema).encode_full(world)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(0, 127), max_size=9), st.sampled_from(LETTERS), st.sampled_from([1, 2, 3]))
def test_every_integer_type_and_every_stride_give_the_same_column(values: list[int], letter: str, stride: int) -> None:
    schema = Schema([Component(1, [Field(1, UInt(8))])])
    spread = array(letter, [value for value in values for _ in range(stride)])
    ids = array("H", [at for at in range(len(values)) for _ in range(stride)])
    made = Snapshot.from_columns(
        schema, tick=1, ids=memoryview(ids)[::stride], columns={1: [memoryview(spread)[::stride]]}
    )
    assert made.to_dict() == {at: {1: (value,)} for at, value in enumerate(values)}


@pytest.mark.parametrize("letter", SIGNED)
def test_negative_numbers_keep_their_sign_in_every_width(letter: str) -> None:
    schema = Schema([Component(1, [Field(1, SInt(8))])])
    made = Snapshot.from_columns(schema, tick=1, ids=[1, 2], columns={1: [array(letter, [-128, -1])]})
    assert made.to_dict() == {1: {1: (-128,)}, 2: {1: (-1,)}}


def test_numpy_columns_of_any_integer_type_are_taken() -> None:
    np = pytest.importorskip("numpy")
    rows = np.zeros(3, dtype=[("x", np.int16), ("big", np.uint64), ("on", np.bool_)])
    rows["x"], rows["big"], rows["on"] = [-5, 0, 7], [2**64 - 1, 0, 1], [True, False, True]
    table = np.array([[1, 0], [2, 1], [3, 0]], dtype=np.uint8)
    made = Snapshot.from_columns(
        SCHEMA,
        tick=1,
        ids=np.array([1, 2, 3]),
        columns={1: [rows["x"], rows["big"], rows["on"]], 2: [table[:, 0], table[:, 1]]},
        present={2: np.array([True, True, True])},
    )
    assert made.to_dict() == {
        1: {1: (-5, 2**64 - 1, True), 2: (1, 0)},
        2: {1: (0, 0, False), 2: (2, 1)},
        3: {1: (7, 1, True), 2: (3, 0)},
    }
    assert list(made.column(1, 2)) == [-1, 0, 1]


def test_columns_of_the_right_type_are_not_copied_and_others_are() -> None:
    schema = Schema([Component(1, [Field(1, UInt(8)), Field(2, UInt(8)), Field(3, UInt(8))])])
    exact, unsigned, narrow = array("q", [1]), array("Q", [2]), array("i", [3])
    made = Snapshot.from_columns(schema, tick=1, ids=array("I", [4]), columns={1: (exact, unsigned, narrow)})
    exact[0], unsigned[0], narrow[0] = 11, 12, 13
    assert made.to_dict() == {4: {1: (11, 12, 3)}}
    with pytest.raises(BufferError):
        exact.append(5)  # it is read where it lies


def buffers(case: int) -> dict[str, Any]:
    """Arguments of from_columns that are wrong, or only unusual."""
    given: dict[str, Any] = {
        "tick": 1,
        "ids": array("I", [10, 20, 30]),
        "columns": {
            1: [array("q", [1, 2, 3]), array("Q", [4, 5, 6]), array("B", [0, 1, 0])],
            2: [array("q", [7, 8]), array("q", [1, 0])],
        },
        "present": {2: bytearray([1, 0, 1])},
    }
    changes: list[tuple[str, Any, Any]] = [
        ("columns", (1, 0), array("d", [1.0, 2.0, 3.0])),
        ("columns", (1, 0), [1, 2.5, 3]),
        ("columns", (1, 0), [1, "two", 3]),
        ("columns", (1, 0), [1, 2, 2**63]),
        ("columns", (1, 0), array("Q", [1, 2**63, 3])),
        ("columns", (1, 1), [1, 2, 2**64]),
        ("columns", (1, 1), [1, -(2**63) - 1, 3]),
        ("columns", (1, 0), array("q", [1, 2])),
        ("columns", (1, 0), memoryview(bytes(12)).cast("i", (3, 1))),
        ("columns", (1, 0), memoryview(bytes(24)).cast("q", (3, 1))),
        ("columns", (1, 0), memoryview(b"abc").cast("c")),
        ("columns", (1, 0), 5),
        ("columns", (2, 1), [1, None]),
        ("columns", (2, 1), array("q", [1, 0, 0])),
        ("ids", None, [10, -1, 30]),
        ("ids", None, array("q", [10, 2**32, 30])),
        ("ids", None, array("f", [1.0, 2.0, 3.0])),
        ("ids", None, array("I", [1, 2])),
        ("ids", None, array("h", [1, 2, 3])),
        ("present", 2, bytes([1, 0, 2])),
        ("present", 2, bytes([1, 0])),
        ("present", 2, [1, 0, 1]),
        ("present", 2, [1, 0, 3]),
        ("present", 2, array("q", [1, 0, 1])),
        ("present", 7, bytes([1, 0, 1])),
        ("present", 1, None),
        ("columns", (7, None), [array("q", [1])]),
        ("columns", (2, None), [array("q", [1, 2])]),
        ("columns", (2, None), (array("q", [1, 2]), array("q", [1, 2]))),
        ("tick", None, -1),
        ("tick", None, 1.5),
        ("tick", None, 2**32),
        ("columns", (1, 0), array("d")),
    ]
    name, place, value = changes[case]
    if isinstance(place, tuple):
        component, field = place
        if field is None:
            given[name][component] = value
        else:
            given[name][component][field] = value
    elif place is None:
        given[name] = value
    else:
        given[name][place] = value
    return given


CASES = 33


def story(case: int) -> list[str]:
    return [outcome(lambda: Snapshot.from_columns(SCHEMA, **buffers(case)).to_dict())]


@pytest.mark.parametrize("case", range(CASES))
def test_both_forms_agree_on_every_error_and_every_unusual_buffer(case: int, twin: Twin) -> None:
    twin.agrees(story, case)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (0, r"column 1\.1 \(body\.x\) must hold integers, not items of format 'd'"),
        (1, r"column 1\.1 \(body\.x\), entity 20: 2\.5 is not an integer"),
        (3, r"column 1\.1 \(body\.x\), entity 30: 9223372036854775808 is not from"),
        (4, r"column 1\.1 \(body\.x\), entity 20: 9223372036854775808 is not from"),
        (5, r"column 1\.2, entity 30: 18446744073709551616 is not from"),
        (7, r"column 1\.1 \(body\.x\) must have 3 rows, not 2"),
        (8, r"column 1\.1 \(body\.x\) must have one dimension, not 2"),
        (12, r"column 2\.2, entity 30: None is not an integer"),
        (14, r"ids, index 1: -1 is not from 0 to 4294967295"),
        (16, r"ids must hold integers"),
        (19, r"presence of component 2, entity 30: 2 is not 0 or 1"),
        (22, r"presence of component 2, entity 30: 3 is not from 0 to 1"),
    ],
)
def test_an_error_names_column_and_entity(case: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Snapshot.from_columns(SCHEMA, **buffers(case))


@pytest.mark.compiled_only
def test_usual_buffers_go_the_fast_way() -> None:
    np = pytest.importorskip("numpy")
    ids = np.array([1, 2], dtype=np.uint32)
    columns = {1: [np.array([1, 2]), np.array([1, 2], dtype=np.uint64), np.array([True, False])], 2: [ids, ids]}
    assert columns_of_buffers(Snapshot, SCHEMA.table, 1, ids, columns, None) is not None
    assert columns_of_buffers(Snapshot, SCHEMA.table, 1, ids, columns, {2: np.array([True, True])}) is not None
    assert columns_of_buffers(Snapshot, SCHEMA.table, 1, ids, {**columns, 2: [ids, [1, 2]]}, None) is None
