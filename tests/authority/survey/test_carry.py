"""What a survey takes over from the last one when things come, go and change places: it says what a new one says."""

from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority.layout import WireField, layout_of
from retick.authority.views import Stage
from retick.errors import UsageError
from retick.sim import F64, NOBODY, U32, Distance, Most, Player, Range, Thing, Vector2, World
from tests.authority.survey.cabinet import LOST, Box, Where, same_as_new, tell
from tests.effort import examples
from tests.twin import Twin

MOST = 24


class Nail(Thing):
    size: U32 = 0
    bends: Annotated[list[Vector2], Most(2)]


class Plank(Thing):
    """Has all that is kept in a way of its own, so that each is told from any other by all of it."""

    player: Player = NOBODY
    x: Annotated[F64, Range(0, 4000, step=1 / 16)] = 0.0
    pos: Vector2
    mark: Vector2 | None = None
    size: U32 = 0
    name: Annotated[str, Most(16)] = ""
    notes: Annotated[list[F64], Most(3)]
    nails: Annotated[list[Nail], Most(3)]


class Yard(World):
    num_players = 2
    interest: ClassVar[Any] = Distance(full=10, none=1000, fields=("pos",))
    left: Annotated[list[Plank], Most(MOST)]
    right: Annotated[list[Plank], Most(MOST)]
    pegs: Annotated[list[Nail], Most(MOST)]
    made: U32

    def nail(self) -> Nail:
        self.made += 1
        return Nail(size=self.made, bends=[(self.made, each) for each in range(self.made % 3)])

    def plank(self, nails: int) -> Plank:
        self.made += 1
        number = self.made
        return Plank(
            player=(0, 1, NOBODY)[number % 3], x=number * 1.5, pos=(number, -number), size=number,
            mark=None if number % 4 == 0 else (number, 0), name=f"plank {number}"[: number % 16],
            notes=[number + each / 4 for each in range(number % 4)], nails=[self.nail() for _ in range(nails)],
        )  # fmt: skip


def change(yard: Yard, what: int, argument: int, aside: list[Plank]) -> None:
    """Things come, go, change places, and come back; ``aside``: those that may."""
    here, there = (yard.left, yard.right) if argument & 1 else (yard.right, yard.left)
    argument >>= 1
    at = argument % max(1, len(here))
    if what in (0, 1):
        here.extend(yard.plank(argument % 3) for _ in range(min(1 + 5 * what, MOST - len(here))))
    elif what == 2:
        yard.pegs = [*yard.pegs, yard.nail()][argument % 2 :][-MOST:]
    elif what == 3 and len(here) < MOST:
        here.insert(at, aside.pop() if aside and argument % 3 else yard.plank(1))
    elif not here:
        return
    elif what == 4:
        aside.append(here.pop(at))
    elif what == 5:  # the last one takes its place
        here[at] = here[-1]
        aside.append(here.pop())
    elif what == 6:
        here[at] = yard.plank(2)
    elif what == 7:
        here[at], here[argument // 3 % len(here)] = here[argument // 3 % len(here)], here[at]
    elif what == 8:
        here.sort(key=lambda plank: plank.size * (2 * argument + 1) % 31)
    elif what == 9 and len(there) < MOST:
        there.append(here.pop(at))
    elif what == 10:
        del here[at : at + argument % 4]
    elif what == 11:
        one, other = here[at].nails, here[-1].nails
        if one and len(other) < 3:
            other.append(one.pop())
        one.reverse()
    elif what == 12:
        one = here[at].nails
        one[argument % 4 :] = [yard.nail()] if argument % 4 < 3 else []
    elif what == 13:
        for plank in here[at:]:
            plank.x += 1
            plank.pos.y = -0.0
            plank.size ^= 1
            plank.mark = None if plank.mark else Vector2(argument, 1)
            plank.notes = [*plank.notes, argument][-3:]
            plank.name = plank.name[::-1]
    elif what == 14:
        here.reverse()


SAVE, LOAD = 15, 16
DEEDS = st.lists(st.tuples(st.integers(0, LOAD), st.integers(0, 255), st.booleans()), max_size=40)


def surveys(deeds: list[tuple[int, int, bool]]) -> list[str]:
    """What a stage that goes on says after those deeds after which it looks; a new one says the same."""
    yard = Yard()
    yard.pegs = [yard.nail()]
    yard.left = [yard.plank(each % 3) for each in range(8)]
    stage = Stage(layout_of(Yard), yard)
    saved, aside = [yard.save()], list[Plank]()
    lines = []
    for tick, (what, argument, looks) in enumerate([*deeds, (2, 0, True)], 1):
        if what == SAVE:
            saved.append(yard.save())
        elif what == LOAD:
            yard.load(saved[argument % len(saved)])
        else:
            change(yard, what, argument, aside)
        if looks:
            lines.append(tell(same_as_new(stage, tick, [tick % 3, None if argument & 1 else argument])))
    return lines


@settings(max_examples=examples(400), deadline=None)
@given(DEEDS)
def test_a_survey_after_things_came_and_went_says_what_a_new_one_says(deeds: list[tuple[int, int, bool]]) -> None:
    surveys(deeds)


def test_both_forms_say_the_same(twin: Twin) -> None:
    twin.agrees(surveys, [(7 * step % 17, 89 * step % 256, step % 3 > 0) for step in range(1, 400)])


def test_ids_ascend_however_the_lists_are_ordered() -> None:
    yard = Yard()
    for number in range(3 * MOST):
        if number % 3 == 0:
            yard.pegs.append(yard.nail())
        else:
            (yard.left, yard.right)[number % 2].append(yard.plank(number % 2))
    stage = Stage(layout_of(Yard), yard)
    for tick in range(40):
        for planks in (yard.left, yard.right):
            planks.sort(key=lambda plank: plank.size * (2 * tick + 1) % 61)
        found = same_as_new(stage, tick, [0, None])
        assert list(found.ids) == sorted(set(found.ids))
        assert all(cell.id == number for cell, number in zip(found.cells[:-2], found.ids[:-2], strict=True))
        yard.left[tick % MOST] = yard.plank(1)


def test_what_stays_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = layout_of(Yard)  # the first time, this asks for the numbers of all defaults
    made: list[float] = []
    number_of = WireField.number_of

    def counted(field: WireField, value: float) -> int:
        made.append(value)
        return number_of(field, value)

    monkeypatch.setattr(WireField, "number_of", counted)
    yard = Yard()
    yard.left = [Plank(pos=(0, 0), notes=[each, 0.5]) for each in range(10)]
    stage = Stage(layout, yard)
    stage.survey(1, [None, None])
    assert len(made) == 20
    made.clear()
    yard.left.insert(3, Plank(pos=(0, 0), notes=[77.0]))
    del yard.left[7]
    yard.left.reverse()
    yard.left[0].notes[1] = 88.0
    stage.survey(2, [None, None])
    assert sorted(made) == [77.0, 88.0]


def test_a_thing_with_the_id_of_one_that_another_held_has_its_own_holder() -> None:
    yard = Yard()
    yard.left = [yard.plank(0), yard.plank(0)]
    stage, before = Stage(layout_of(Yard), yard), yard.save()
    for holder in (0, 1, 0):
        yard.load(before)
        yard.left[holder].nails.append(yard.nail())
        found = same_as_new(stage, 1, [None, None])
        assert list(found.holders) == [0, 0, 0, yard.left[holder].id, 0, 0]


def test_a_thing_with_the_id_of_one_in_another_list_has_its_own_numbers() -> None:
    yard = Yard()
    stage, before = Stage(layout_of(Yard), yard), yard.save()
    for planks in (yard.left, yard.right, yard.left):
        yard.load(before)
        planks.append(yard.plank(1))
        same_as_new(stage, 1, [None, None])
        planks.append(yard.plank(0))
        same_as_new(stage, 2, [None, None])


def test_a_thing_that_is_in_lists_twice_past_their_methods_is_told_as_a_new_stage_tells_it() -> None:
    yard = Yard()
    yard.left = [yard.plank(1), yard.plank(1)]
    stage = Stage(layout_of(Yard), yard)
    for tick, planks in enumerate((yard.left, yard.right, yard.left), 1):
        same_as_new(stage, tick, [None, 1])
        list.append(planks, yard.left[0])
        same_as_new(stage, tick, [None, 1])
        yard.left[0].x += 1
        yard.pegs.append(yard.nail())
    same_as_new(stage, 9, [None, 1])


def test_a_thing_that_was_put_beside_others_past_the_methods_is_refused_when_others_come_too() -> None:
    yard = Yard()
    yard.left = [yard.plank(1), yard.plank(1)]
    stage = Stage(layout_of(Yard), yard)
    for wrong in (Nail(), Plank(pos=(0, 0))):
        same_as_new(stage, 1, [None, None])
        yard.left.append(yard.plank(2))
        list.insert(yard.left, 1, wrong)
        with pytest.raises(UsageError, match="left was changed without its own methods"):
            stage.survey(2, [None, None])
        list.remove(yard.left, wrong)
    same_as_new(stage, 3, [None, None])


def test_a_survey_that_failed_after_things_came_is_not_gone_on_from() -> None:
    world = Where()
    world.boxes = [Box(name="one", hidden=0), Box(name="two")]
    stage = Stage(layout_of(Where), world)
    stage.survey(1, [1, 2])
    del world.boxes[0]
    world.boxes.append(Box(name="three", hidden=LOST))
    world.boxes[0].name = "other"
    with pytest.raises(LookupError):
        stage.survey(2, [1, 2])
    world.boxes[1].hidden = 0
    same_as_new(stage, 3, [1, 2])
