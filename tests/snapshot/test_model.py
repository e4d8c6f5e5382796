"""Snapshots as columns: over a user's buffers without a copy, and their own."""

import copy
import ctypes
from array import array
from typing import Any

import pytest

from retick.errors import EncodeError, UsageError
from retick.snapshot import Codec, Component, Field, Schema, SInt, Snapshot, UInt

SCHEMA = Schema([Component(1, [Field(1, SInt(32)), Field(2, UInt(64))]), Component(2, [Field(1, UInt(8))])])


def columns() -> dict[str, Any]:
    return {
        "ids": array("I", [1, 5, 9]),
        "columns": {1: (array("q", [-4, 0, 7]), array("Q", [0, 2**64 - 1, 3])), 2: (array("q", [200, 100]),)},
        "present": {2: bytes([1, 0, 1])},
    }


EXPECTED = {1: {1: (-4, 0), 2: (200,)}, 5: {1: (0, 2**64 - 1)}, 9: {1: (7, 3), 2: (100,)}}


def test_columns_are_read_where_they_lie() -> None:
    given = columns()
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **given)
    assert snapshot.to_dict() == EXPECTED
    given["columns"][1][0][2] = 8
    assert snapshot.to_dict()[9][1] == (8, 3)
    codec = Codec(SCHEMA)
    assert codec.decode_full(codec.encode_full(snapshot)).to_dict() == snapshot.to_dict()


def test_a_copy_stays_when_the_buffers_change() -> None:
    given = columns()
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **given)
    kept = snapshot.copy(tick=4)
    given["columns"][1][0][0] = 99
    given["ids"][0] = 0
    assert kept.tick == 4
    assert kept.to_dict() == EXPECTED
    codec = Codec(SCHEMA)
    delta = codec.encode_delta(kept, Snapshot.from_columns(SCHEMA, tick=5, **given))
    assert codec.apply_delta(kept, delta).to_dict() == snapshot.to_dict()


def test_ids_that_fall_out_of_order_later_are_seen() -> None:
    given = columns()
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **given)
    Codec(SCHEMA).encode_full(snapshot)
    given["ids"][1] = 1
    with pytest.raises(EncodeError) as caught:
        Codec(SCHEMA).encode_full(snapshot)
    assert caught.value.code == "InvalidEntityOrder"


def test_numpy_arrays_are_columns() -> None:
    np = pytest.importorskip("numpy")
    given = {
        "ids": np.array([1, 5, 9], dtype=np.uint32),
        "columns": {
            1: (np.array([-4, 0, 7]), np.array([0, 2**64 - 1, 3], dtype=np.uint64)),
            2: (np.array([200, 100]),),
        },
        "present": {2: np.array([True, False, True])},
    }
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **given)
    assert snapshot.to_dict() == EXPECTED
    given["columns"][1][0][0] = -5
    assert snapshot.to_dict()[1][1] == (-5, 0)
    decoded = Codec(SCHEMA).decode_full(Codec(SCHEMA).encode_full(snapshot))
    assert np.asarray(decoded.column(1, 1)).tolist() == [-5, 0, 7]


def test_other_integers_are_converted() -> None:
    snapshot = Snapshot.from_columns(
        SCHEMA,
        tick=3,
        ids=[1, 5, 9],
        columns={1: (array("h", [-4, 0, 7]), [0, 2**64 - 1, 3]), 2: ([200, 100],)},
        present={2: [1, 0, 1]},
    )
    assert snapshot.to_dict() == EXPECTED


@pytest.mark.parametrize(
    "change",
    [
        {"ids": [1, 2]}, {"ids": [-1, 5, 9]}, {"columns": {1: ([1, 2, 3],), 2: ([1, 2],)}}, {"present": {2: [1, 1, 1]}},
        {"present": {2: [1, 0, 2]}}, {"columns": {}}, {"tick": -1}, {"tick": 1 << 32}, {"ids": ["a", "b", "c"]},
        {"columns": {1: ([1.5, 2, 3], [1, 2, 3]), 2: ([1, 2],)}},
    ],
)  # fmt: skip
def test_columns_that_do_not_match_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Snapshot.from_columns(SCHEMA, **{"tick": 1, **columns(), **change})


def test_order_is_kept_and_to_dict_sorts() -> None:
    snapshot = Snapshot.of(SCHEMA, tick=1, entities={9: {}, 5: {2: (1,)}})
    assert snapshot.ids == [9, 5]
    assert list(snapshot.to_dict()) == [5, 9]
    assert (len(snapshot), repr(snapshot)) == (2, "Snapshot(tick=1, 2 entities)")


def test_select_keeps_what_is_there() -> None:
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **columns())
    assert snapshot.select([9, 1, 77]).to_dict() == {1: EXPECTED[1], 9: EXPECTED[9]}
    assert snapshot.select([5]).to_dict() == {5: EXPECTED[5]}
    assert snapshot.select([]).to_dict() == {}


def test_a_column_is_a_read_only_view() -> None:
    snapshot = Snapshot.of(SCHEMA, tick=3, entities=EXPECTED)
    for held in (snapshot, snapshot.copy()):
        view = held.column(2, 1)
        assert list(view) == [200, 100]
        assert view.readonly
        assert list(held.column(1, 2)) == [0, -1, 3]
    with pytest.raises(UsageError):
        snapshot.column(3, 1)
    with pytest.raises(UsageError):
        snapshot.column(1, 9)
    empty = Snapshot.of(SCHEMA, tick=1, entities={})
    assert (
        list(empty.column(1, 1)) == list(Codec(SCHEMA).decode_full(Codec(SCHEMA).encode_full(empty)).column(1, 1)) == []
    )


def test_snapshots_compare_by_value_and_are_not_hashable() -> None:
    one = Snapshot.of(SCHEMA, tick=3, entities=EXPECTED)
    assert one == one.copy()
    assert one != one.copy(tick=4)
    assert one != 3
    with pytest.raises(TypeError):
        hash(one)


@pytest.mark.parametrize("entity", [-1, 1 << 32, True, "a"])
def test_ids_that_do_not_fit_are_refused(entity: Any) -> None:
    with pytest.raises(EncodeError):
        Snapshot.of(SCHEMA, tick=1, entities={entity: {}})


def test_a_caller_can_bring_the_buffer() -> None:
    codec = Codec(SCHEMA)
    snapshot = Snapshot.of(SCHEMA, tick=3, entities=EXPECTED)
    other = snapshot.copy(tick=4)
    buffer = bytearray(200)
    size = codec.encode_full_into(snapshot, buffer)
    assert bytes(buffer[:size]) == codec.encode_full(snapshot)
    size = codec.encode_delta_into(snapshot, other, buffer)
    assert bytes(buffer[:size]) == codec.encode_delta(snapshot, other)
    with pytest.raises(EncodeError, match="needs"):
        codec.encode_full_into(snapshot, bytearray(10))
    with pytest.raises(UsageError):
        codec.encode_full_into(snapshot, bytes(200))


@pytest.mark.parametrize("wrong", [None, 3, {}])
def test_what_is_no_snapshot_is_refused(wrong: Any) -> None:
    codec = Codec(SCHEMA, version=2)
    good = Snapshot.of(SCHEMA, tick=3, entities=EXPECTED)
    for call in (
        lambda: codec.encode_full(wrong),
        lambda: codec.encode_delta(good, wrong),
        lambda: codec.encode_delta(wrong, good),
        lambda: codec.apply_delta(wrong, b""),
        lambda: codec.apply_frame(wrong, b"", last_tick=1),
        lambda: codec.encode_frame(wrong, good, last_tick=1),
    ):
        with pytest.raises(UsageError, match="takes a Snapshot"):
            call()


def test_indices_are_checked() -> None:
    snapshot = Snapshot.of(SCHEMA, tick=3, entities=EXPECTED)
    assert (snapshot.value(2, 1), snapshot.has(1, 1), snapshot.row_count(1)) == (100, False, 2)
    for call in (
        lambda: snapshot.value(3, 0),
        lambda: snapshot.value(2, 2),
        lambda: snapshot.value(-1, 0),
        lambda: snapshot.has(3, 0),
        lambda: snapshot.has(0, 2),
        lambda: snapshot.row_count(-1),
    ):
        with pytest.raises(UsageError, match="is not one of"):
            call()


def test_presence_cannot_be_changed_from_outside() -> None:
    given = columns()
    given["present"] = {2: bytearray([1, 0, 1])}
    snapshot = Snapshot.from_columns(SCHEMA, tick=3, **given)
    given["present"][2][1] = 1
    assert snapshot.to_dict() == EXPECTED
    assert Codec(SCHEMA).decode_full(Codec(SCHEMA).encode_full(snapshot)) == snapshot


def test_ctypes_arrays_are_read_where_they_lie() -> None:
    ids = (ctypes.c_uint32 * 2)(3, 7)
    x, y = (ctypes.c_int64 * 2)(-1, 5), (ctypes.c_uint64 * 2)(2**64 - 1, 9)
    snapshot = Snapshot.from_columns(SCHEMA, tick=1, ids=ids, columns={1: (x, y), 2: ([1, 2],)})
    assert snapshot.to_dict() == {3: {1: (-1, 2**64 - 1), 2: (1,)}, 7: {1: (5, 9), 2: (2,)}}
    x[1] = 6
    assert snapshot.to_dict()[7][1] == (6, 9)


def test_the_other_byte_order_is_converted() -> None:
    np = pytest.importorskip("numpy")
    foreign = np.array([-3, 4], dtype=np.dtype(np.int64).newbyteorder())
    swapped = (ctypes.c_int64.__ctype_be__ * 2)(8, 9)
    given: dict[int, Any] = {1: (foreign, swapped), 2: ([1, 2],)}
    snapshot = Snapshot.from_columns(SCHEMA, tick=1, ids=[1, 2], columns=given)
    assert snapshot.to_dict() == {1: {1: (-3, 8), 2: (1,)}, 2: {1: (4, 9), 2: (2,)}}


def test_an_unsigned_number_that_a_signed_field_cannot_hold_does_not_become_negative() -> None:
    for column in (array("Q", [2**64 - 1]), [2**64 - 1]):
        with pytest.raises(UsageError, match=r"column 1\.1"):
            Snapshot.from_columns(SCHEMA, tick=1, ids=[1], columns={1: (column, [0]), 2: ([0],)})


@pytest.mark.parametrize("change", [{"columns": {9: ([1],)}}, {"present": {9: [1]}}])
def test_columns_of_components_that_are_not_in_the_schema_are_refused(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"columns": {1: ([1], [2]), 2: ([3],)}, "present": {}}
    merged = {name: entries | change.get(name, {}) for name, entries in given.items()}
    with pytest.raises(UsageError, match="component 9"):
        Snapshot.from_columns(SCHEMA, tick=1, ids=[1], **merged)


@pytest.mark.parametrize("tick", [-1, 2**32, 2**40, "5", 1.5])
def test_a_copy_gets_no_tick_that_a_snapshot_cannot_have(tick: Any) -> None:
    snapshot = Snapshot.of(SCHEMA, tick=1, entities={})
    with pytest.raises(UsageError, match="a tick must be"):
        snapshot.copy(tick=tick)


def test_a_snapshot_is_not_made_by_calling_the_class() -> None:
    with pytest.raises(UsageError, match="is made by"):
        Snapshot()
    # Whoever copies one by other means gets it whole or not at all.
    made = Snapshot.of(SCHEMA, tick=1, entities={4: {2: (6,)}})
    try:
        twin = copy.copy(made)
    except TypeError:
        return
    assert twin == made


@pytest.mark.compiled_only
def test_a_blank_snapshot_is_refused_by_the_codec() -> None:
    with pytest.raises(UsageError, match="blank"):
        Codec(SCHEMA).encode_full(Snapshot.__new__(Snapshot))


@pytest.mark.parametrize("last_tick", [-1, 2**32, 2**63, -(2**63), 2**80, 1.5, "1", None, True])
def test_a_sessions_last_tick_is_a_tick(last_tick: Any) -> None:
    codec = Codec(SCHEMA, version=2)
    base = Snapshot.of(SCHEMA, tick=3, entities={})
    for call in (
        lambda: codec.encode_frame(base, base.copy(tick=4), last_tick=last_tick),
        lambda: codec.apply_frame(base, b"\x02\x01\x01\x00", last_tick=last_tick),
        lambda: codec.decode_frame_header(b"\x02\x01\x01\x00", last_tick=last_tick),
        lambda: codec.decode_full_frame(b"\x01\x01\x00\x00", last_tick=last_tick),
    ):
        with pytest.raises(UsageError, match="last_tick"):
            call()


def test_a_codec_takes_only_what_it_is_made_of() -> None:
    wrong: list[dict[str, Any]] = [{"version": 2.0}, {"version": False}, {"limits": 5}, {"limits": {}}, {"schema": []}]
    for change in wrong:
        with pytest.raises(UsageError):
            Codec(**({"schema": SCHEMA} | change))
    for identity in ("x", 0, 2**64, 1.0):
        with pytest.raises(UsageError, match="session_id"):
            Codec(SCHEMA, version=2).encode_session_init(tick=1, session_id=identity)  # type: ignore[arg-type] # the point
