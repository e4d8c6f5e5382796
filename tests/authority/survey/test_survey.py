"""A world to rows, which are kept and changed in place: they say what new ones say, whatever has changed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority.layout import FIRST_SEAT, layout_of
from retick.authority.views import Stage
from retick.errors import UsageError
from retick.sim import Vector2
from retick.sim.world.saved import HEAD
from tests.authority.gallery import Frame, Gallery
from tests.authority.survey.cabinet import LOST, WORLDS, Box, Where, same_as_new, surveys, tell
from tests.authority.worlds import Coin, Court, Pawn, Rock
from tests.effort import examples
from tests.twin import Twin, outcome

DEEDS = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 127), st.integers(0, 1)), max_size=40)


def test_entities_ascend_by_id_with_seats_last_and_know_holders_and_owners() -> None:
    world = Court()
    world.rocks.append(Rock())
    world.pawns = [Pawn(player=2), Pawn()]
    world.rocks.append(Rock())
    world.pawns[1].purse.append(Coin())
    world.pawns[0], world.pawns[1] = world.pawns[1], world.pawns[0]
    found = Stage(layout_of(Court), world).survey(5, [1, None, 3])
    assert list(found.ids) == [0, 1, 2, 3, 4, 5, FIRST_SEAT, FIRST_SEAT + 1, FIRST_SEAT + 2]
    assert list(found.owners) == [255, 255, 2, 255, 255, 255, 0, 1, 2]
    assert list(found.holders) == [0, 0, 0, 0, 0, 3, 0, 0, 0]
    assert found.cells[3] is world.pawns[0]
    assert [list(numbers) for _, _, numbers in found.entities()][-3:] == [[1, 1], [0, 0], [1, 3]]


def test_a_list_that_was_changed_past_its_methods_is_refused() -> None:
    world = Court()
    stage = Stage(layout_of(Court), world)
    list.append(world.pawns, Rock())
    with pytest.raises(UsageError, match="pawns was changed without its own methods"):
        stage.survey(1, [0, 0, 0])
    world = Court()
    list.append(world.pawns, Pawn())
    with pytest.raises(UsageError, match="pawns was changed without its own methods"):
        Stage(layout_of(Court), world).survey(1, [0, 0, 0])


def test_a_list_of_values_that_was_changed_past_its_methods_is_refused() -> None:
    world = Gallery()
    world.frames.append(Frame(pos=(0, 0)))
    stage = Stage(layout_of(Gallery), world)
    stage.survey(1, [0, 0, 0])
    for _ in range(4):
        list.append(world.frames[0].trail, Vector2())
    with pytest.raises(UsageError, match="trail was changed without its own methods"):
        stage.survey(2, [0, 0, 0])
    world.frames[0].trail = []
    list.append(world.frames[0].trail, "here")
    with pytest.raises((TypeError, AttributeError)):
        stage.survey(3, [0, 0, 0])


def test_ids_of_seats_are_never_those_of_items() -> None:
    world = Court()
    saved = bytearray(world.save())
    saved[HEAD.size - 4 : HEAD.size] = (FIRST_SEAT + 1).to_bytes(4, "little")
    world.load(bytes(saved))
    with pytest.raises(UsageError, match="all ids that a server can send"):
        Stage(layout_of(Court), world).survey(1, [0, 0, 0])


@pytest.mark.parametrize("name", WORLDS)
@settings(max_examples=examples(300), deadline=None)
@given(deeds=DEEDS)
def test_a_survey_that_is_kept_says_what_a_new_one_says(name: str, deeds: list[tuple[int, int, int]]) -> None:
    surveys(name, deeds)


@pytest.mark.parametrize("name", WORLDS)
def test_both_forms_say_the_same_at_every_tick(twin: Twin, name: str) -> None:
    deeds = [(0, 0, 0), (0, 1, 1)] + [(5 * step % 20, 37 * step % 128, step & 1) for step in range(1, 300)]
    twin.agrees(surveys, name, deeds)


def stage_of_box() -> tuple[Any, Stage]:
    world = Where()
    world.boxes = [Box(name="a longer name"), Box()]
    return world, Stage(layout_of(Where), world)


def test_a_survey_is_the_same_object_until_a_thing_comes_or_goes() -> None:
    world, stage = stage_of_box()
    first = stage.survey(1, [None, 3])
    before = tell(first)
    world.boxes[1].load = 50
    assert stage.survey(2, [None, 3]) is first
    assert (tell(first) != before, first.tick) == (True, 2)
    world.boxes.append(Box())
    third = stage.survey(3, [None, 3])
    assert third is not first
    assert first.tick == 2
    world.boxes.pop()
    assert stage.survey(4, [None, 3]) is not third


def failures(why: str) -> list[str]:
    """A survey that fails after others, and the next one that does not."""
    world, stage = stage_of_box()
    stage.survey(1, [1, 2])
    one, other = world.boxes
    one.levels, one.load, one.name, one.area.x = [1.0, 2.0, 3.0], 40, "", 9.0
    other.load, other.lid.label, other.lid.scratches = 45, None, []
    seats = [1, 2]
    if why == "position":
        other.hidden = LOST
    elif why == "values":
        list.append(other.levels, 1.0)
        list.extend(other.levels, [2.0, 3.0, 4.0])
    elif why == "items":
        list.append(world.boxes, Box())
    else:
        seats = [3, -1]
    lines = [outcome(stage.survey, 2, seats), outcome(lambda: stage.current)]
    other.hidden = 0
    other.levels = []
    if why == "items":
        list.pop(world.boxes)
    return [*lines, tell(same_as_new(stage, 3, [1, 2]))]


@pytest.mark.parametrize(
    ("why", "error"),
    [
        ("position", "LookupError: lost"),
        ("values", "UsageError: levels was changed without its own methods"),
        ("items", "UsageError: boxes was changed without its own methods"),
        ("seats", "OverflowError: "),
    ],
)
def test_a_survey_that_failed_in_the_middle_is_not_gone_on_from(twin: Twin, why: str, error: str) -> None:
    first, second, _ = failures(why)
    assert first.startswith(error)
    assert second == "UsageError: look at the world first: survey(tick, seats)"
    twin.agrees(failures, why)


def test_a_thing_that_took_the_place_of_another_past_the_methods_is_refused() -> None:
    world, stage = stage_of_box()
    stage.survey(1, [1, 2])
    box = world.boxes.pop()
    list.append(world.boxes, box)
    with pytest.raises(UsageError, match="boxes was changed without its own methods"):
        stage.survey(2, [1, 2])
    world, stage = stage_of_box()
    stage.survey(1, [1, 2])
    kept = world.boxes[1]
    list.__setitem__(world.boxes, 1, Box())
    with pytest.raises(UsageError, match="boxes was changed without its own methods"):
        stage.survey(2, [1, 2])
    list.__setitem__(world.boxes, 1, kept)
    same_as_new(stage, 3, [1, 2])
