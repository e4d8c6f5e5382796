"""Fields are read from boxes: which classes have them, and that box and state always agree."""

from typing import Any

import pytest

from retick.errors import SchemaError, UsageError
from retick.sim import Thing, Vector2, World
from retick.sim.world.boxes import STEP, boxes_of


class Few(Thing):
    a: int = 1
    b: float = 2.0


class Many(Few):
    c: str = "c"
    d: bool = True
    e: int | None = None
    f: list[int]


class Others(Thing):
    """Its first field is in the box that has ``a`` in the other classes."""

    g: float = 7.0
    h: Vector2 = Vector2(1, 2)


class Both(Others, Many):
    i: int = 9


class Marked:
    """A class that is no thing: what it annotates is not state."""

    marks: int = 4


class Mixed(Few, Marked):
    n: int = 6


class Slotted(Few):
    __slots__ = ("own",)


class SlottedMore(Slotted):
    j: int = 10
    k: int = 11
    m: int = 12
    n: int = 13


def shown(thing: Any) -> dict[str, Any]:
    return {member.name: getattr(thing, member.name) for member in thing._members}


def test_a_class_has_at_least_as_many_boxes_as_fields_that_need_one() -> None:
    assert len(boxes_of(Few)) == STEP
    assert len(boxes_of(Many)) == 2 * STEP
    assert len(boxes_of(Both)) >= len(Both._members)
    assert not boxes_of(Thing)


def test_fields_of_several_bases_are_apart() -> None:
    both = Both(a=2, g=8.5, e=5, i=3, h=(4, 4))
    assert shown(both) == {"a": 2, "b": 2.0, "c": "c", "d": True, "e": 5, "f": [], "g": 8.5, "h": Vector2(4, 4), "i": 3}
    both.f = [1]
    both.b = 4
    assert (both.b, type(both.b), both.f) == (4.0, float, [1])
    assert shown(Others()) == {"g": 7.0, "h": Vector2(1, 2)}


def test_what_a_mixed_in_class_annotates_is_no_field() -> None:
    assert shown(Mixed(n=5)) == {"a": 1, "b": 2.0, "n": 5}


def test_slots_of_a_games_own_stay_beside_the_boxes() -> None:
    thing = SlottedMore(a=5, n=14)
    thing.own = "anything"
    assert (thing.own, shown(thing)) == ("anything", {"a": 5, "b": 2.0, "j": 10, "k": 11, "m": 12, "n": 14})
    assert not hasattr(Slotted(), "own")


def test_slots_of_a_games_own_beside_another_class_of_things_are_refused_in_words() -> None:
    with pytest.raises(SchemaError, match=r"^class Torn cannot have Slotted, which has __slots__ of its own, beside"):
        type(Few)("Torn", (Slotted, Many), {})


def test_an_order_of_bases_that_cannot_be_is_told_without_our_classes() -> None:
    with pytest.raises(TypeError, match=r"for bases Few, Mixed$"):
        type(Few)("Odd", (Few, Mixed), {"__annotations__": {f"n{index}": int for index in range(9)}})


class Yard(World):
    num_players = 1
    things: list[Many]
    first: float = 0.0

    def start(self, seed: int) -> None:
        self.things = [Many(a=seed)]

    def advance(self, inputs: Any) -> None:
        self.first += 1
        self.things[0].a += 1


def test_after_a_load_the_boxes_have_what_was_saved() -> None:
    yard = Yard()
    yard.reset(3)
    saved = yard.save()
    thing = yard.things[0]
    thing.a, thing.b, thing.c, thing.d, thing.e = 50, -0.0, "x", False, 7
    thing.f.append(1)
    yard.load(saved)
    assert yard.things[0] is thing
    assert shown(thing) == {"a": 3, "b": 2.0, "c": "c", "d": True, "e": None, "f": []}
    assert yard.save() == saved


def test_minus_zero_is_loaded_over_zero() -> None:
    yard = Yard()
    yard.first = -0.0
    saved = yard.save()
    yard.first = 0.0
    yard.load(saved)
    assert str(yard.first) == "-0.0"


def test_a_box_that_was_written_by_hand_is_no_state() -> None:
    yard = Yard()
    before = yard.save()
    Yard.first.__set__(yard, "nonsense")  # type: ignore[attr-defined]  # a member of slots, which mypy sees as its value
    assert yard.save() == before


def test_what_replaces_a_field_in_its_class_gets_the_writes() -> None:
    class Patched(Thing):
        x: int = 1

    made = Patched()
    Patched.x = property(lambda self: 5, lambda self, value: None)  # type: ignore[assignment]  # what is tried here
    made.x = 9
    assert (made.x, Patched(x=3).x) == (5, 5)


def test_a_class_may_watch_its_writes() -> None:
    seen = []

    class Watched(Thing):
        x: int = 1

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_"):  # uncompiled, the library's own attributes are written like this too
                seen.append((name, value))
            super().__setattr__(name, value)

    made = Watched(x=4)
    made.x = 5
    assert (seen, made.x) == ([("x", 4), ("x", 5)], 5)


def test_a_name_that_is_not_interned_is_found_too() -> None:
    name = "".join(["fi", "rst"])
    yard = Yard()
    setattr(yard, name, 2)
    assert yard.first == 2.0
    with pytest.raises(UsageError, match=r"^Yard\.first: 'x' is not an F64"):
        setattr(yard, name, "x")


def test_a_thing_stays_of_its_class() -> None:
    with pytest.raises(TypeError, match=r"^a Few stays one"):
        Few().__class__ = Mixed
