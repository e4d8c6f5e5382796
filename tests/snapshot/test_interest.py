"""Interest within a byte budget: views, priorities, and the bound on waiting."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError, UsageError
from retick.snapshot import (
    Bool,
    Codec,
    Component,
    Field,
    Interest,
    Limits,
    Replica,
    Schema,
    Snapshot,
    UInt,
    VarUInt,
)
from tests.effort import examples
from tests.snapshot.worlds import schemas, successors, worlds

SCHEMA = Schema([Component(1, [Field(1, UInt(32)), Field(2, UInt(32))])])
TWO = Schema([Component(1, [Field(1, UInt(8))]), Component(2, [Field(1, VarUInt())])])


def crowd(count: int, tick: int, value: int) -> Snapshot:
    return Snapshot.of(SCHEMA, tick=tick, entities={at: {1: (value, at)} for at in range(count)})


def test_everything_goes_when_it_fits() -> None:
    codec = Codec(SCHEMA)
    interest = Interest(codec, budget=1200)
    base, world = crowd(10, 1, 0), crowd(10, 2, 1)
    made = interest.encode(base, world, dict.fromkeys(range(10), 1.0))
    assert made.packet == codec.encode_delta(base, world)
    assert made.result == world
    assert (made.waiting, made.destroyed, made.sent) == ((), (), tuple(range(10)))


def test_leaving_the_view_is_a_destroy_and_entering_a_create() -> None:
    codec = Codec(SCHEMA)
    interest = Interest(codec, budget=400)
    world = crowd(6, 2, 0)
    base = crowd(6, 1, 0).select([0, 1, 2])
    made = interest.encode(base, world, {1: 1.0, 2: 1.0, 4: 1.0})
    assert made.destroyed == (0,)
    assert made.sent == (4,)
    assert codec.apply_delta(base, made.packet).ids == [1, 2, 4]


def test_the_highest_priority_goes_first_and_the_rest_gain() -> None:
    interest = Interest(Codec(SCHEMA), budget=100)
    base, world = crowd(30, 1, 0), crowd(30, 2, 1)
    visible = dict.fromkeys(range(30), 1.0) | {17: 9.0, 23: 5.0}
    made = interest.encode(base, world, visible)
    assert {17, 23} <= set(made.sent)
    assert 17 not in interest.gained
    assert interest.gained[made.waiting[0]] == 1.0
    second = interest.encode(made.result, world.copy(tick=3), visible)
    assert not set(second.sent) & set(made.sent)


def test_destroys_go_before_anything_else_and_wait_only_for_room() -> None:
    codec = Codec(SCHEMA)
    interest = Interest(codec, budget=120)
    base, world = crowd(60, 1, 0), crowd(3, 2, 1)
    everyone = dict.fromkeys(range(60), 1.0)
    first = interest.encode(base, world, everyone)
    assert len(first.packet) <= 120
    assert first.sent == ()
    assert first.destroyed == tuple(range(3, 3 + len(first.destroyed)))
    held = first.result
    for tick in range(3, 8):
        held = interest.encode(held, world.copy(tick=tick), everyone).result
    assert held.to_dict() == world.to_dict()


def test_an_entity_with_other_components_is_destroyed_and_comes_back() -> None:
    codec = Codec(TWO, version=2)
    interest = Interest(codec, budget=400, packed=True)
    base = Snapshot.of(TWO, tick=1, entities={1: {1: (5,)}, 2: {1: (6,), 2: (7,)}})
    world = Snapshot.of(TWO, tick=2, entities={1: {1: (5,), 2: (1,)}, 2: {1: (6,), 2: (8,)}})
    first = interest.encode(base, world, {1: 1.0, 2: 1.0})
    assert (first.destroyed, first.sent) == ((1,), (2,))
    second = interest.encode(first.result, world.copy(tick=3), {1: 1.0, 2: 1.0})
    assert second.sent == (1,)
    assert second.result.to_dict() == world.to_dict()


def test_more_than_the_limits_allow_goes_in_several_packets() -> None:
    codec = Codec(SCHEMA, limits=Limits(max_entities_create=4))
    interest = Interest(codec, budget=2000)
    held = Snapshot.of(SCHEMA, tick=1, entities={})
    world = crowd(10, 2, 1)
    for tick, expected in ((2, 4), (3, 8), (4, 10)):
        held = interest.encode(held, world.copy(tick=tick), dict.fromkeys(range(10), 1.0)).result
        assert len(held) == expected


@pytest.mark.parametrize("budget", [40, 100_000])
def test_a_budget_must_hold_any_entity_and_be_readable(budget: int) -> None:
    with pytest.raises(UsageError):
        Interest(Codec(SCHEMA), budget=budget)
    with pytest.raises(UsageError):
        Interest(Codec(SCHEMA), budget=400, packed=True)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 24),
    st.integers(90, 240),
    st.lists(st.floats(0.25, 8.0), min_size=24, max_size=24),
)
def test_no_dirty_entity_waits_longer_than_the_budget_implies(count: int, budget: int, priorities: list[float]) -> None:
    """Every entity changes every tick, and every packet is acknowledged at once."""
    codec = Codec(SCHEMA)
    interest = Interest(codec, budget=budget)
    visible = dict(enumerate(priorities[:count]))
    held = crowd(count, 1, 0)
    entity_bytes = 4 + math.ceil((1 + 2 + 32) / 8)
    fits = max(1, (budget - 28 - 4) // entity_bytes)
    rounds = math.ceil(count / fits)
    longest = {at: math.ceil(rounds * (1 + max(visible.values()) / visible[at])) for at in visible}
    waited = dict.fromkeys(visible, 0)
    for tick in range(2, 60):
        made = interest.encode(held, crowd(count, tick, tick), visible)
        assert len(made.packet) <= budget
        assert codec.apply_delta(held, made.packet) == made.result
        held = made.result
        for at in visible:
            waited[at] = 0 if at in made.sent else waited[at] + 1
            assert waited[at] <= longest[at], (at, waited[at], longest[at])


@settings(max_examples=40, deadline=None)
@given(st.data(), schemas(thresholds=False), st.sampled_from([(0, False), (2, False), (2, True)]))
def test_no_packet_passes_its_budget_and_all_arrives_in_the_end(
    data: Any, schema: Schema, version: tuple[int, bool]
) -> None:
    codec = Codec(schema, version=version[0])
    least = 40 + schema.table.entity_worst_bytes
    interest = Interest(codec, budget=data.draw(st.integers(least, least + 60)), packed=version[1])
    held = data.draw(worlds(schema, 1))
    world = data.draw(successors(held, 2))
    visible = dict.fromkeys(world.ids, 1.0)
    for tick in range(2, 40):
        made = interest.encode(held, world.copy(tick=tick), visible)
        assert len(made.packet) <= interest.budget
        held = made.result
    assert held.to_dict() == world.to_dict()


def test_bools_alone_make_a_small_budget() -> None:
    schema = Schema([Component(1, [Field(1, Bool())])])
    assert schema.table.entity_worst_bytes < 60


def test_what_a_receiver_has_no_room_for_waits_until_something_leaves() -> None:
    codec = Codec(SCHEMA, limits=Limits(max_total_entities_after_apply=5))
    interest = Interest(codec, budget=2000)
    everyone = dict.fromkeys(range(8), 1.0)
    made = interest.encode(Snapshot.of(SCHEMA, tick=1, entities={}), crowd(8, 2, 1), everyone)
    assert (made.sent, made.waiting) == ((0, 1, 2, 3, 4), (5, 6, 7))
    still = interest.encode(made.result, crowd(8, 3, 2), everyone)
    assert (still.sent, still.waiting) == ((0, 1, 2, 3, 4), (5, 6, 7))
    freed = interest.encode(still.result, crowd(8, 4, 2), dict.fromkeys(range(3, 8), 1.0))
    assert (freed.destroyed, freed.sent, freed.waiting) == ((0, 1, 2), (5, 6, 7), ())


@pytest.mark.parametrize("priority", [0.0, -1.0, math.nan, math.inf])
def test_a_priority_is_above_zero_and_finite(priority: float) -> None:
    interest = Interest(Codec(SCHEMA), budget=400)
    with pytest.raises(UsageError, match="priority of entity 1"):
        interest.encode(crowd(2, 1, 0), crowd(2, 2, 1), {0: 1.0, 1: priority})


def test_a_base_of_tick_0_is_the_callers_mistake_and_not_the_packets() -> None:
    interest = Interest(Codec(SCHEMA), budget=400)
    with pytest.raises(EncodeError, match="tick 0"):
        interest.encode(crowd(2, 0, 0), crowd(2, 1, 1), {0: 1.0, 1: 1.0})


def test_a_schema_that_no_reader_takes_is_refused() -> None:
    with pytest.raises(UsageError, match="more components or fields"):
        Interest(Codec(SCHEMA, limits=Limits(max_fields_per_component=1)), budget=400)
    with pytest.raises(UsageError, match="more components or fields"):
        Interest(Codec(TWO, version=2, limits=Limits(max_components_per_entity=1)), budget=400, packed=True)


def test_a_compact_codec_sends_the_same_changes_in_fewer_bytes() -> None:
    plain, compact = Codec(SCHEMA, version=2), Codec(SCHEMA, compact=True)
    choosers = Interest(plain, budget=300), Interest(compact, budget=305)
    visible = {at: 1.0 + at % 3 for at in range(60)}
    replica: Replica[Snapshot] = Replica()
    held = crowd(60, 1, 0)
    lengths = [0, 0]
    for tick in range(2, 40):
        world = crowd(60, tick, tick)
        one = choosers[0].encode(held, world, visible)
        other = choosers[1].encode(held, world, visible, history=replica.history)
        assert (other.sent, other.waiting, other.result) == (one.sent, one.waiting, one.result)
        assert compact.apply_delta(held, other.packet, history=replica.history) == one.result
        lengths = [lengths[0] + len(one.packet), lengths[1] + len(other.packet)]
        held = one.result
        replica.sent(held)
        replica.acknowledge(tick)
    assert lengths[1] < 0.8 * lengths[0]


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), schemas(), st.integers(0, 60), st.booleans())
def test_no_compact_packet_is_longer_than_its_budget(data: Any, schema: Schema, more: int, sealed: bool) -> None:
    codec = Codec(schema, compact=True, sealed=sealed)
    base = data.draw(worlds(schema, 5))
    world = data.draw(successors(base, 6))
    with pytest.raises(UsageError, match="must be from") as caught:
        Interest(codec, budget=1)
    budget = int(str(caught.value).split("must be from ")[1].split(" ")[0]) + more
    interest = Interest(codec, budget=budget)
    made = interest.encode(base, world, dict.fromkeys(world.ids, 1.0))
    assert len(made.packet) <= budget
    assert codec.apply_delta(base, made.packet) == made.result
