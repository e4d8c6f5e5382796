"""The choice under a budget, against a plain form of its rule; and both forms of the kernel against each other."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import EncodeError, UsageError
from retick.snapshot import Codec, Component, Field, Interest, Limits, Schema, Snapshot, UInt
from tests.effort import examples
from tests.snapshot.worlds import entities_of, schemas, successors, worlds
from tests.twin import Twin, outcome

SCHEMA = Schema([Component(1, [Field(1, UInt(32)), Field(2, UInt(32), threshold=2)])])


class PlainInterest:
    """The rule of retick.snapshot.interest, entity by entity: a packet is encoded for every choice that is tried."""

    def __init__(self, codec: Codec, budget: int, packed: bool) -> None:
        self.codec, self.budget, self.packed = codec, budget, packed
        self.scores: dict[int, float] = {}

    def encode(self, base: Snapshot, world: Snapshot, visible: dict[int, float]) -> tuple[Any, ...]:
        before, now = base.to_dict(), world.to_dict()
        seen = {
            entity: held
            for entity, held in now.items()
            if entity in visible and (entity not in before or before[entity].keys() == held.keys())
        }
        gone = [entity for entity in before if entity not in seen]
        dirty = [entity for entity in seen if self.differs(base, world, entity)]
        scores = {entity: self.scores.get(entity, 0.0) + visible[entity] for entity in dirty}
        chosen: list[int] = []
        for entity in sorted(dirty, key=lambda entity: (-scores[entity], entity)):
            if len(self.packet(base, world, gone, [*chosen, entity])) <= self.budget:
                chosen.append(entity)
        self.scores = {entity: score for entity, score in scores.items() if entity not in chosen}
        packet = self.packet(base, world, gone, chosen)
        return packet, tuple(sorted(chosen)), tuple(gone), tuple(sorted(self.scores)), self.scores

    def differs(self, base: Snapshot, world: Snapshot, entity: int) -> bool:
        empty = self.codec.encode_delta(base, base.copy(tick=world.tick), packed=self.packed)
        return self.packet(base, world, [], [entity]) != empty

    def packet(self, base: Snapshot, world: Snapshot, gone: list[int], chosen: list[int]) -> bytes:
        now = world.to_dict()
        target = {entity: held for entity, held in base.to_dict().items() if entity not in gone}
        target.update({entity: now[entity] for entity in chosen})
        made = Snapshot.of(base.schema, tick=world.tick, entities=dict(sorted(target.items())))
        packet = Codec(base.schema, version=self.codec.version).encode_delta(base, made, packed=self.packed)
        if not self.packed and self.codec.version == 2:
            packet = Codec(base.schema, version=0).encode_delta(base, made)
            packet = packet[:4] + b"\x02" + packet[5:]
        return packet


@settings(max_examples=examples(80), deadline=None)
@given(st.data(), schemas(), st.sampled_from([(0, False), (2, False)]), st.integers(0, 40))
def test_packets_and_scores_are_those_of_the_plain_rule(
    data: Any, schema: Schema, version: tuple[int, bool], spare: int
) -> None:
    codec = Codec(schema, version=version[0])
    budget = 40 + schema.table.entity_worst_bytes + spare
    interest, plain = Interest(codec, budget=budget, packed=version[1]), PlainInterest(codec, budget, version[1])
    base = data.draw(worlds(schema, 1))
    for tick in (2, 3, 4):
        world = data.draw(successors(base, tick))
        if data.draw(st.booleans()) and len(world):
            # One entity with other components: it is destroyed first.
            changed = world.to_dict() | {world.ids[0]: data.draw(entities_of(schema))}
            world = Snapshot.of(schema, tick=tick, entities=dict(sorted(changed.items())))
        ids = data.draw(st.permutations([*world.ids, 5_000_000])) if data.draw(st.booleans()) else world.ids
        visible = {entity: float(data.draw(st.integers(1, 3))) for entity in ids if data.draw(st.integers(0, 5))}
        gone = set(base.ids) - set(visible)
        if 4 * (len(gone) + len(base)) + 39 > budget:
            return  # not all destroys would fit, which the plain form does not know
        made = interest.encode(base, world, visible)
        found = (made.packet, made.sent, made.destroyed, made.waiting, interest.gained)
        assert found == plain.encode(base, world, visible)
        assert made.result == codec.apply_delta(base, made.packet)
        base = made.result


def crowd(ids: Any, tick: int, value: int) -> Snapshot:
    return Snapshot.of(SCHEMA, tick=tick, entities={at: {1: (value, at)} for at in ids})


def tale(budget: int, count: int, ticks: int, limits: int) -> list[str]:
    """A receiver whose view moves through a world that changes, grows and shrinks."""
    codec = Codec(SCHEMA, limits=Limits(max_entities_create=limits, max_entities_update=limits))
    interest = Interest(codec, budget=budget)
    base = crowd([], 1, 0)
    lines = []
    for tick in range(2, 2 + ticks):
        world = crowd(range(tick % 5, count + 3 * tick, 1 + tick % 2), tick, tick // 2)
        visible = {at: 0.25 + at % 7 for at in range(count + 40, tick, -2 if tick % 3 else -1)}
        made = interest.encode(base, world, visible)
        lines.append(f"{made.packet.hex()} {made.sent} {made.destroyed} {made.waiting} {interest.gained}")
        base = made.result if tick % 4 else base
    return lines


@pytest.mark.parametrize("budget", [80, 120, 1200])
@pytest.mark.parametrize("limits", [3, 1000])
def test_both_forms_make_the_same_packets(budget: int, limits: int, twin: Twin) -> None:
    twin.agrees(tale, budget, 30, 12, limits)


CASES: tuple[Any, ...] = (
    {1: 0.0}, {1: -1}, {1: float("nan")}, {1: float("inf")}, {1: "x"}, {1: None}, {"a": 1.0}, {1.5: 1.0}, {1: 10**400},
    {True: 2}, {-1: 1.0, 2**32: 1.0, 2**70: 1.0, 1: 1.0}, {}, {1: 3},
)  # fmt: skip


def priorities(case: int) -> list[str]:
    interest = Interest(Codec(SCHEMA), budget=400)
    told = outcome(lambda: interest.encode(crowd([1], 1, 0), crowd([1, 2], 2, 1), CASES[case]).packet)
    return [told, repr(interest.gained)]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_both_forms_agree_on_priorities(case: int, twin: Twin) -> None:
    twin.agrees(priorities, case)


def test_an_error_leaves_the_scores_as_they_were() -> None:
    interest = Interest(Codec(SCHEMA), budget=80)
    base = crowd(range(9), 1, 0)
    interest.encode(base, crowd(range(9), 2, 1), dict.fromkeys(range(9), 1.0))
    before = interest.gained
    assert before
    wrong = Snapshot.of(SCHEMA, tick=3, entities={1: {1: (2**40, 0)}})
    disordered = Snapshot.of(SCHEMA, tick=3, entities={2: {1: (1, 0)}, 1: {1: (1, 0)}})
    for world, error in ((wrong, EncodeError), (disordered, EncodeError), (crowd([1], 3, 5), UsageError)):
        with pytest.raises(error):
            interest.encode(base, world, {1: -1.0 if error is UsageError else 1.0, 2: 1.0})
        assert interest.gained == before


def test_scores_survive_a_world_that_outgrows_the_working_space() -> None:
    interest = Interest(Codec(SCHEMA), budget=80)
    base = crowd(range(12), 1, 0)
    made = interest.encode(base, crowd(range(12), 2, 1), dict.fromkeys(range(12), 1.0))
    waiting = made.waiting
    interest.encode(made.result, crowd(range(400), 3, 1), dict.fromkeys(range(400), 1.0))
    # Those that waited were first, and what did not fit has gained twice.
    assert set(interest.gained.values()) <= {1.0, 2.0}
    assert all(interest.gained.get(entity, 2.0) == 2.0 for entity in waiting)
