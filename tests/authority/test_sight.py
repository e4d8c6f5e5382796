"""Who gets which entities, and what of them: compared with the rules in words, for any world of a court."""

from array import array
from collections.abc import Sequence
from math import hypot, isnan, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority.deltas import priorities, restricted, watched
from retick.authority.layout import FIRST_SEAT, layout_of
from retick.authority.views import Stage
from tests.authority.worlds import Court, Server
from tests.twin import Twin

COURT = layout_of(Court)
HIDDEN = bytes(component.hidden for component in COURT.components)
NOBODY, SPECTATOR = 255, -1
SEATS = len(COURT.components) - 1
PRESSED = st.lists(st.tuples(*[st.integers(0, 0xFFF)] * 3), min_size=1, max_size=12)


def surveyed(ticks: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """A court after these ticks, and all that there is in it."""
    server = Server(Court())
    for pressed in ticks:
        server.advance(pressed)
    return server.world, Stage(COURT, server.world).survey(len(ticks), [1, 2, None])


class Spread:
    """Entities on a plane."""

    def __init__(self, places: Sequence[tuple[float, float]], owners: Sequence[int]) -> None:
        self.ids = array("I", range(len(places)))
        self.owners = array("B", owners)
        self.places = array("d", [each for place in places for each in place])


@given(
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.sampled_from([0, 1, NOBODY]), st.booleans())),
    st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)),
    st.floats(0, 5000),
    st.floats(0.5, 5000),
)
def test_priority_falls_from_1_to_0_with_the_distance(things: Any, point: Any, full: float, more: float) -> None:
    none = full + more
    places = [(nan, nan) if nowhere else (x, y) for x, y, _, nowhere in things]
    found = priorities(Spread(places, [owner for _, _, owner, _ in things]), 1, point, full, none)
    for (x, y), (_, _, owner, _), urgent in zip(places, things, found, strict=True):
        assert 0.0 <= urgent <= 1.0
        away = hypot(x - point[0], y - point[1])
        if owner == 1 or isnan(x) or away < full * (1 - 1e-9):
            assert urgent == 1.0
        elif away > none * (1 + 1e-9):
            assert urgent == 0.0
        else:
            assert urgent == pytest.approx((none - away) / more, abs=1e-6)


@given(PRESSED, st.sampled_from([0, 1, 2, SPECTATOR]), st.integers(0, 2**30))
@settings(max_examples=40)
def test_a_receiver_gets_what_is_visible_with_its_holder_and_the_seats_of_those_it_sees(
    ticks: Any, seat: int, hidden_things: int
) -> None:
    _, survey = surveyed(ticks)
    asked: list[Any] = []

    def visible(player: int, thing: Any) -> bool:
        assert player == seat
        asked.append(thing)
        return not hidden_things >> (thing.id % 30) & 1

    picked, seen = watched(survey, seat, None, HIDDEN, visible)
    assert list(picked) == sorted(set(picked))
    ids = [survey.ids[index] for index in picked]
    assert ids[0] == 0
    assert seen == {each for each in ids if 0 < each < FIRST_SEAT}
    for index in range(len(survey.ids)):
        entity, kind, holder = survey.ids[index], survey.kinds[index], survey.holders[index]
        if kind not in (0, SEATS) and index in picked:
            assert not hidden_things >> (entity % 30) & 1
            assert not holder or holder in seen
        elif kind not in (0, SEATS) and not HIDDEN[kind] and (not holder or holder in seen):
            assert hidden_things >> (entity % 30) & 1, "a thing that is visible was left out"
    owners = {survey.owners[index] for index in picked if survey.kinds[index] not in (0, SEATS)} | {seat}
    for index in range(len(survey.ids)):
        if survey.kinds[index] == SEATS:
            assert (index in picked) == (survey.owners[index] in owners)


@given(PRESSED)
@settings(max_examples=20)
def test_what_is_not_urgent_at_all_is_not_sent(ticks: Any) -> None:
    _, survey = surveyed(ticks)
    picked, seen = watched(survey, 0, [0.0] * len(survey.ids), HIDDEN, None)
    assert not seen
    assert {survey.kinds[index] for index in picked} <= {0, SEATS}


@given(PRESSED, st.sampled_from([0, 1, 2, SPECTATOR]), st.data())
@settings(max_examples=40)
def test_secrets_are_defaults_for_all_but_the_owner_and_links_lead_only_to_what_is_seen(
    ticks: Any, seat: int, data: st.DataObject
) -> None:
    _, survey = surveyed(ticks)
    everything = range(len(survey.ids))
    picked = sorted(data.draw(st.sets(st.sampled_from(everything), min_size=1)))
    seen = {survey.ids[index] for index in picked}
    before = bytes(survey.values)
    found = restricted(survey, seat, picked, seen, COURT)
    assert bytes(survey.values) == before
    assert list(found.ids) == [survey.ids[index] for index in picked]
    for index, (_, kind, numbers) in zip(picked, found.entities(), strict=True):
        component = COURT.components[kind]
        whole = survey.values[survey.starts[index] : survey.starts[index + 1]]
        for at, made in enumerate(component.fields):
            wanted = whole[at]
            if at in component.secrets and survey.owners[index] != seat:
                wanted = made.default
            if at in component.links and wanted not in seen:
                wanted = 0
            assert numbers[at] == wanted


def story(ticks: Sequence[Sequence[int]], seat: int, mask: int) -> list[str]:
    _, survey = surveyed(ticks)
    picked, seen = watched(survey, seat, None, HIDDEN, lambda player, thing: not mask >> (thing.id % 8) & 1)
    rows = restricted(survey, seat, picked, seen, COURT)
    places = [(float(3 * each % 17), float(each % 5)) for each in range(9)]
    urgent = priorities(Spread(places, [each % 3 for each in range(9)]), seat, (4.0, 1.5), 2.0, 9.0)
    return [repr((list(picked), sorted(seen))), bytes(rows.values).hex(), *map(float.hex, urgent)]


@pytest.mark.compiled_only
def test_compiled_and_uncompiled_see_the_same(twin: Twin) -> None:

    @given(PRESSED, st.sampled_from([0, 1, 2, SPECTATOR]), st.integers(0, 255))
    @settings(max_examples=25, deadline=None)
    def agree(ticks: Any, seat: int, mask: int) -> None:
        twin.agrees(story, ticks, seat, mask)

    agree()
