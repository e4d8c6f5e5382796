"""Pictures of two times: past members from older bytes, references to what is not there are none."""

from typing import Annotated

from hypothesis import given
from hypothesis import strategies as st

from retick.sim import F64, U8, Cache, Most, Player, Ref, Thing, Vector2, World
from retick.sim.world.hosting import Splicer, past_members


class Spot(Thing):
    predicted = False
    x: F64 = 0.0


class Crumb(Thing):
    of: Ref["Hen"] = None


class Hen(Thing):
    x: F64 = 0.0
    rival: Ref["Hen"] = None
    egg: Ref["Egg"] = None
    crumbs: Annotated[list[Crumb], Most(3)]


class Egg(Thing):
    predicted = False
    of: Ref[Hen] = None
    spot: Spot | None = None
    marks: Annotated[list[U8], Most(3)]
    crumbs: Annotated[list[Crumb], Most(2)]
    best: U8 | None = None
    name: str = "egg"
    nick: str | None = None
    at: Vector2 = Vector2(1, 2)
    aim: Vector2 | None = None
    trail: Annotated[list[Vector2], Most(2)]


class Farm(World):
    num_players = 1
    sun: Spot
    hens: Annotated[list[Hen], Most(6)]
    grid: Cache[dict[int, int] | None]
    eggs: Annotated[list[Egg], Most(6)]
    first: Ref[Egg]
    moon: Spot | None
    day: U8

    def advance(self, inputs: object) -> None: ...

    def do(self, what: int) -> None:
        self.day = (self.day + 1) & 255
        self.sun.x += 1
        hens, eggs = self.hens, self.eggs
        if what < 2 and len(hens) < 6:
            hens.append(Hen(rival=hens[0] if hens else None, egg=eggs[-1] if eggs else None))
        elif what < 4 and len(eggs) < 6:
            eggs.append(Egg(of=hens[-1] if hens else None, marks=[what, 7], best=what if what == 2 else None))
            eggs[-1].name, eggs[-1].nick = "egg" * what, "ä" if what == 2 else None
            eggs[-1].aim, eggs[-1].trail = (Vector2(what, 1) if what == 3 else None), [Vector2(0, what)]
            self.first = eggs[0]
        elif what == 4 and hens:
            hens.pop(0)
        elif what == 5 and eggs:
            eggs.pop(0)
        elif what == 6 and eggs:
            eggs[-1].spot = None if eggs[-1].spot else Spot(x=3.0)
            eggs[-1].crumbs = [Crumb(of=hens[0] if hens else None)]
            self.moon = None if self.moon else Spot(x=9.0)
        elif what == 7 and hens:
            hens[-1].crumbs = [Crumb(of=hens[0]), Crumb()]


@given(st.lists(st.integers(0, 7), max_size=30), st.lists(st.integers(0, 7), max_size=30))
def test_a_picture_has_its_past_members_from_then_and_all_others_from_now(before: list[int], after: list[int]) -> None:
    farm = Farm()
    for what in before:
        farm.do(what)
    then = farm.save()
    for what in after:
        farm.do(what)
    now = farm.save()
    shown, past, present = Farm(), Farm(), Farm()
    past.load(then)
    present.load(now)
    shown.load(Splicer(Farm).spliced(now, then, 0))
    assert [each.id for each in shown.eggs] == [each.id for each in past.eggs]
    assert [(each.marks, each.best) for each in shown.eggs] == [(each.marks, each.best) for each in past.eggs]
    assert [each.id for each in shown.hens] == [each.id for each in present.hens]
    assert (shown.sun.x, shown.day) == (past.sun.x, present.day)
    assert (shown.moon is None) == (past.moon is None)
    hens = {each.id for each in present.hens}
    for egg, old in zip(shown.eggs, past.eggs, strict=True):
        expected = old.of.id if old.of is not None and old.of.id in hens else None
        assert (egg.of.id if egg.of is not None else None) == expected
    eggs = {each.id for each in past.eggs}
    for hen, new in zip(shown.hens, present.hens, strict=True):
        expected = new.egg.id if new.egg is not None and new.egg.id in eggs else None
        assert (hen.egg.id if hen.egg is not None else None) == expected


def test_the_past_members_of_a_world_are_those_whose_class_is_not_predicted() -> None:
    assert [member.name for member in past_members(Farm)] == ["sun", "eggs", "moon"]
    assert Splicer(Farm).is_needed


class Boat(Thing):
    predicted = False
    cargo: Annotated[list[U8], Most(2)]
    player: Player
    x: F64 = 0.0


class Sea(World):
    num_players = 3
    boats: Annotated[list[Boat], Most(4)]

    def advance(self, inputs: object) -> None: ...


def test_own_things_are_in_the_present_whatever_their_class() -> None:
    sea = Sea()
    sea.boats = [Boat(player=0, cargo=[1]), Boat(player=1), Boat(player=2)]
    then = sea.save()
    for boat in sea.boats:
        boat.x = 5.0
    sea.boats.append(Boat(player=0, x=9.0))
    del sea.boats[2]
    shown = Sea()
    for seat, expected in ((0, [(1, 5.0), (2, 0.0), (3, 0.0), (4, 9.0)]), (1, [(1, 0.0), (2, 5.0), (3, 0.0)])):
        shown.load(Splicer(Sea).spliced(sea.save(), then, seat))
        assert [(boat.id, boat.x) for boat in shown.boats] == expected
