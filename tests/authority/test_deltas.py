"""What is sent of a change: its cost is known beforehand, and a base is carried on as the format page says."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.authority.compact import decode_body
from retick.authority.deltas import carried_on, costs_of, encode_body
from retick.authority.layout import layout_of
from retick.authority.rows import Rows
from tests.authority.test_bodies import rows
from tests.authority.worlds import Court
from tests.effort import examples
from tests.twin import Twin

COURT = layout_of(Court)
SLOW = settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))


@given(rows(), rows())
@SLOW
def test_a_body_never_takes_more_than_its_costs(base: Rows, target: Rows) -> None:
    for before in (base, Rows.none(), target):
        destroyed, found = costs_of(before, target, COURT)
        assert 8 * len(encode_body(before, target, COURT)) <= destroyed + sum(bits for _, bits, _ in found)


@given(rows(), rows())
@SLOW
def test_costs_name_each_entity_that_is_new_or_has_changed_and_no_other(base: Rows, target: Rows) -> None:
    old = {entity: (kind, list(numbers)) for entity, kind, numbers in base.entities()}
    wanted = {}
    for index, (entity, kind, numbers) in enumerate(target.entities()):
        if old.get(entity) != (kind, list(numbers)):
            wanted[index] = entity not in old or old[entity][0] != kind
    assert {index: is_new for index, _, is_new in costs_of(base, target, COURT)[1]} == wanted


def expected(here: int, before: int, smooth: int, span: int, ahead: int, apart: int) -> int:
    """A number carried on, with Python's own whole numbers."""
    moved = here - before
    if smooth == 2:
        moved = (moved + 32768) % 65536 - 32768
    here += (2 * moved * ahead + apart) // (2 * apart)
    return here % 65536 if smooth == 2 else max(0, min(span, here))


@given(rows(), rows(), st.integers(1, 255), st.integers(0, 255))
@SLOW
def test_measures_go_on_as_they_changed_and_everything_else_stays(a: Rows, b: Rows, apart: int, ahead: int) -> None:
    base = Rows(1000, b.ids, b.kinds, b.starts, b.values)
    earlier = Rows(1000 - apart, a.ids, a.kinds, a.starts, a.values)
    old = {entity: (kind, list(numbers)) for entity, kind, numbers in earlier.entities()}
    kept = bytes(base.values)
    found = carried_on(base, earlier, 1000 + ahead, COURT)
    assert (found.tick, bytes(base.values)) == (1000 + ahead, kept)
    for (entity, kind, numbers), (same, _, carried) in zip(base.entities(), found.entities(), strict=True):
        assert same == entity
        wanted = list(numbers)
        if entity in old and old[entity][0] == kind:
            for at, made in enumerate(COURT.components[kind].fields):
                if made.smooth:
                    wanted[at] = expected(numbers[at], old[entity][1][at], made.smooth, made.span, ahead, apart)
        assert list(carried) == wanted


def story(seed: int, count: int, ahead: int) -> list[str]:
    """Bodies, costs and carried rows of entities from a seed."""
    dice = Random(seed)
    before = earlier = Rows.none()
    lines = []
    for tick in range(1, count):
        held: dict[int, tuple[int, Sequence[int]]] = {}
        for entity in (*dice.sample(range(40), 6), dice.randrange(2**32)):
            kind = dice.randrange(len(COURT.components))
            values = [
                dice.choice((made.default, 0, made.span, dice.randint(0, made.span)))
                for made in COURT.components[kind].fields
            ]
            held[entity] = (kind, values)
        target = Rows.of(tick, held)
        base = before if tick < 3 else carried_on(before, earlier, tick + ahead, COURT)
        body = encode_body(base, target, COURT)
        lines += [body.hex(), repr(costs_of(base, target, COURT)), bytes(base.values).hex()]
        lines.append(str(decode_body(base, tick, body, COURT).same_as(target)))
        earlier, before = before, target
    return lines


@pytest.mark.compiled_only
def test_compiled_and_uncompiled_send_the_same_bits(twin: Twin) -> None:

    @given(st.integers(0, 2**32), st.integers(2, 12), st.integers(0, 250))
    @settings(max_examples=25, deadline=None)
    def agree(seed: int, count: int, ahead: int) -> None:
        twin.agrees(story, seed, count, ahead)

    agree()
