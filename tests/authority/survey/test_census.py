"""A census that serves again gives the surveys that one taken anew gives."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority.layout import layout_of
from retick.authority.views import Stage
from tests.authority.worlds import Coin, Court, Pawn, Rock
from tests.effort import examples
from tests.twin import Twin

LAYOUT = layout_of(Court)
DEEDS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), max_size=14)


def act(world: Any, deed: int, which: int) -> None:
    """Change the world: things come, go, come back, change places and hold others; or only fields change."""
    pawns, rocks = world.pawns, world.rocks
    if deed == 0 and len(pawns) < 3:
        pawns.append(Pawn(player=which % 3))
    elif deed == 1 and len(rocks) < 4:
        rocks.append(Rock())
    elif deed == 2 and rocks:
        del rocks[which % len(rocks)]
    elif deed == 3 and pawns:
        del pawns[which % len(pawns)]
    elif deed == 4 and len(pawns) > 1:
        pawns[0], pawns[1] = pawns[1], pawns[0]
    elif deed == 5 and pawns and len(pawns[which % len(pawns)].purse) < 2:
        pawns[which % len(pawns)].purse.append(Coin())
    elif deed == 6 and rocks:
        rock = rocks[0]
        rocks.remove(rock)
        rocks.append(Rock())
    elif deed == 7 and pawns:
        pawns[which % len(pawns)].player = which % 3
    elif deed == 8:
        world.load(world.save())


def surveys(deeds: list[tuple[int, int]]) -> list[str]:
    """What a stage that goes on says at each tick, beside one that is new."""
    world = Court()
    stage = Stage(LAYOUT, world)
    lines = []
    for tick, (deed, which) in enumerate(deeds, 1):
        act(world, deed, which)
        seats = [tick, None, which]
        going, fresh = stage.survey(tick, seats), Stage(LAYOUT, world).survey(tick, seats)
        assert going.same_as(fresh)
        assert (going.owners, going.holders) == (fresh.owners, fresh.holders)
        assert all(one is other for one, other in zip(going.cells, fresh.cells, strict=True))
        assert repr(going.places) == repr(fresh.places)
        lines.append(f"{list(going.entities())} {going.owners} {going.holders}")
    return lines


@settings(max_examples=examples(120), deadline=None)
@given(DEEDS)
def test_a_stage_that_goes_on_surveys_what_a_new_one_surveys(deeds: list[tuple[int, int]]) -> None:
    surveys(deeds)


def test_both_forms_survey_the_same(twin: Twin) -> None:
    twin.agrees(surveys, [(deed, which) for which in range(4) for deed in (0, 1, 5, 7, 4, 2, 6, 8, 3)])


def test_nothing_is_taken_again_while_only_fields_change() -> None:
    world = Court()
    world.pawns.append(Pawn(player=1))
    stage = Stage(LAYOUT, world)
    first = stage.survey(1, [0, 0, 0]).census
    world.pawns[0].player = 2
    second = stage.survey(2, [0, 0, 0])
    assert second.census is first
    assert second.owners[1] == 2
    world.pawns.append(Pawn())
    assert stage.survey(3, [0, 0, 0]).census is not first


def test_a_thing_that_leaves_and_comes_back_has_its_new_id() -> None:
    world = Court()
    world.rocks.append(Rock())
    stage = Stage(LAYOUT, world)
    before = list(stage.survey(1, [0, 0, 0]).ids)
    rock = world.rocks.pop()
    world.rocks.append(rock)
    after = stage.survey(2, [0, 0, 0])
    assert list(after.ids) == list(Stage(LAYOUT, world).survey(2, [0, 0, 0]).ids)
    assert (list(after.ids) == before) == (rock.id == before[1])
