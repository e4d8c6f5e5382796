"""Rows of slots: records that were never filled, and descriptors that stay inside their record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Fighter, FighterState
from retick.sim.checksum import fnv1a
from retick.sim.flat import SlotField, fill_record, make_record, slots_checksum
from retick.sim.kinds import I32, U64
from retick.sim.record import Record


def test_a_record_that_was_never_filled_is_refused_and_harmless() -> None:
    blank = FighterState.__new__(FighterState)
    for read in (lambda: blank.frame, lambda: blank.p1, lambda: blank.to_bytes(), lambda: repr(blank)):
        with pytest.raises((AttributeError, TypeError)):
            read()
    with pytest.raises(UsageError, match="was never given its values"):
        Fighter().step(blank, (0, 0))


@pytest.mark.compiled_only
def test_a_descriptor_reads_nothing_outside_of_its_record() -> None:
    state = Fighter().initial_state(1)
    for index in (-1, 24, 2**28, 2**30, 2**60):
        with pytest.raises(AttributeError, match="of another class"):
            SlotField(index, False).__get__(state, None)


class Pair(Record):
    left: I32
    right: U64


def test_a_record_is_filled_once() -> None:
    pair = make_record(Pair, [-1, -1])
    assert (pair.left, pair.right) == (-1, 2**64 - 1)
    with pytest.raises(AttributeError, match="Pair is immutable"):
        fill_record(pair, [0, 0])
    assert pair == make_record(Pair, [-1, -1])
    assert hash(pair) == hash(make_record(Pair, [-1, -1]))
    assert pair != make_record(Pair, [-1, 0])


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6), st.data())
def test_the_checksum_takes_a_second_round_for_a_wide_slot(slots: list[int], data: st.DataObject) -> None:
    wide = data.draw(st.lists(st.booleans(), min_size=len(slots), max_size=len(slots)))
    rounds = [half for slot, is_wide in zip(slots, wide, strict=True) for half in (slot, slot >> 32)[: 1 + is_wide]]
    assert slots_checksum(slots, wide) == fnv1a(rounds)
