"""Rows of whole numbers: they come back as they were given, by ascending id."""

from hypothesis import given
from hypothesis import strategies as st

from retick.authority.rows import Rows

HELD = st.dictionaries(
    st.integers(0, 0xFFFFFFFF),
    st.tuples(st.integers(0, 255), st.lists(st.integers(0, 2**64 - 1), max_size=5)),
    max_size=8,
)


@given(HELD, st.integers(0, 2**32))
def test_entities_come_back_by_ascending_id(held: dict[int, tuple[int, list[int]]], tick: int) -> None:
    rows = Rows.of(tick, held)
    assert [(entity, kind, list(numbers)) for entity, kind, numbers in rows.entities()] == [
        (entity, *held[entity]) for entity in sorted(held)
    ]
    assert (len(rows), rows.tick, len(rows.starts)) == (len(held), tick, len(held) + 1)


@given(HELD, HELD)
def test_rows_are_the_same_if_their_entities_are_at_whatever_tick(
    one: dict[int, tuple[int, list[int]]], other: dict[int, tuple[int, list[int]]]
) -> None:
    assert Rows.of(1, one).same_as(Rows.of(2, one))
    assert Rows.of(1, one).same_as(Rows.of(1, other)) == (one == other)


def test_a_receiver_begins_with_no_entities() -> None:
    assert Rows.none(7).same_as(Rows.of(0, {}))
    assert (Rows.none(7).tick, list(Rows.none().entities())) == (7, [])
