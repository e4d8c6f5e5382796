"""Vectors, rectangles and texts as fields: always there, never shared, copied when they are written."""

import struct
from typing import Annotated, Any

import pytest

from retick.errors import DecodeError, InvalidValue, LimitExceeded, UsageError
from retick.sim import FRect, Most, Rect, Thing, Vector2, World


class Ship(Thing):
    pos: Vector2 = Vector2(10, 20)
    vel: Vector2 = (1, 0)
    hull: Rect = Rect(0, 0, 8, 8)
    goal: Vector2 | None = None
    soft: FRect | None = None
    trail: Annotated[list[Vector2], Most(2)] = [(1, 2)]
    name: Annotated[str, Most(4)] = "ann"
    title: str | None = None


class Space(World):
    num_players = 2
    ships: Annotated[list[Ship], Most(2)]
    middle: Vector2
    bounds: Rect
    name: Annotated[str, Most(3)]


def test_a_default_is_copied_for_each_object() -> None:
    one, two = Ship(), Ship()
    one.pos += one.vel
    one.trail[0].x = 9
    one.hull.move_ip(1, 1)
    assert (one.pos, two.pos, Ship().pos) == ((11, 20), (10, 20), (10, 20))
    assert (one.trail, two.trail) == ([(9, 2)], [(1, 2)])
    assert (one.hull, two.hull, type(two.vel)) == ((1, 1, 8, 8), (0, 0, 8, 8), Vector2)


def test_writing_copies_and_never_aliases() -> None:
    one, two = Ship(), Ship()
    one.pos = two.pos
    one.pos.x = 1
    assert (one.pos, two.pos) == ((1, 20), (10, 20))
    given = Vector2(5, 5)
    one.pos = two.goal = given
    given.x = 7
    assert (one.pos, two.goal) == ((5, 5), (5, 5))
    one.trail.append(one.pos)
    one.pos.x = 3
    assert one.trail[1] == (5, 5)


def test_a_name_for_the_old_value_keeps_it_as_in_an_ordinary_object() -> None:
    ship = Ship()
    old = ship.pos
    ship.pos = ship.pos + Vector2(1, 1)
    assert (old, ship.pos) == ((10, 20), (11, 21))
    ship.pos = old
    assert ship.pos == (10, 20)
    same = ship.pos
    ship.pos += (1, 1)
    assert ship.pos is same


def test_any_pair_or_rectangle_may_be_written() -> None:
    ship = Ship(pos=(1, 2), hull=((1, 2), (3, 4)))
    ship.soft = ship.hull
    assert (ship.pos, ship.hull, type(ship.soft)) == ((1, 2), (1, 2, 3, 4), FRect)
    ship.goal, ship.soft = [3, 4], None
    assert ship.goal == (3, 4)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("pos", None, r"Ship\.pos: None is not a Vector2, and not 2 floats"),
        ("pos", 3, r"Ship\.pos: 3 is not a Vector2, and not 2 floats"),
        ("goal", (1, float("nan")), r"Ship\.goal: \(1, nan\) is not a Vector2"),
        ("hull", (1, 2), r"Ship\.hull: \(1, 2\) is not a Rect, and not 4 integers of 32 bits"),
        ("hull", (1, 2, 3, 1 << 31), r"Ship\.hull: .* is not a Rect"),
        ("soft", "abcd", r"Ship\.soft: 'abcd' is not a FRect, and not 4 floats"),
        ("trail", [1], r"Ship\.trail\[\]: 1 is not a Vector2"),
        ("trail", [(1, 1)] * 3, r"Ship\.trail holds at most 2, not 3"),
        ("name", "annie", r"Ship\.name holds at most 4 bytes of UTF-8, not 5"),
        ("name", None, r"Ship\.name: None is not a str"),
        ("title", b"x", r"Ship\.title: b'x' is not a str"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_field(name: str, value: Any, text: str) -> None:
    ship = Ship()
    before = repr(ship)
    with pytest.raises(UsageError, match=text):
        setattr(ship, name, value)
    assert repr(ship) == before


def filled() -> Space:
    space = Space()
    space.ships = [Ship(), Ship(goal=(1, 2), soft=(1, 2, 3, 4), title="\u00e9", trail=[(0, 1), (2, 3)])]
    space.middle.update(0.5, -1)
    space.bounds.size = (-640, 480)
    space.name = "abc"
    return space


def test_the_bytes_of_docs_formats_world() -> None:
    tail = struct.pack("<2d4iH3s", 0.5, -1.0, 0, 0, -640, 480, 3, b"abc")
    assert filled().save().endswith(tail)
    first = struct.pack("<I4d4iBBH2dH3sB", 1, 10, 20, 1, 0, 0, 0, 8, 8, 0, 0, 1, 1, 2, 3, b"ann", 0)
    assert filled().save()[13:].startswith(struct.pack("<H", 2) + first)
    assert len(Space().save()) == 13 + 2 + 16 + 16 + 2


def test_a_load_brings_everything_back_and_changes_no_other_world() -> None:
    space, other = filled(), Space()
    saved = space.save()
    other.load(saved)
    assert other.save() == saved
    assert other.fields() == space.fields()
    space.ships[1].pos.x = 99
    space.ships[1].goal = None
    space.ships[0].goal = (7, 7)
    space.middle = (0, 0)
    assert other.save() == saved
    space.load(saved)
    assert space.save() == saved
    assert (space.ships[0].goal, space.ships[1].goal, space.ships[1].title) == (None, (1, 2), "\u00e9")
    names = dict(space.fields())
    assert (names["ships[id 2].goal.y"], names["ships[id 1].goal"], names["bounds.w"]) == (2.0, None, -640)
    assert (names["ships[id 2].trail[1].x"], names["name"]) == (2.0, "abc")


def test_wrong_bytes_are_refused_and_nothing_changes() -> None:
    space = filled()
    saved = space.save()
    text = saved[:-5] + b"\x03\x00" + b"a\xff\xff"
    with pytest.raises(InvalidValue, match=r"Space\.name: these bytes are not UTF-8"):
        space.load(text)
    with pytest.raises(LimitExceeded, match=r"Space\.name holds at most 3, not 4"):
        space.load(saved[:-5] + b"\x04\x00abcd")
    nan = bytes.fromhex("000000000000f87f")
    middle = len(saved) - 5 - 16 - 16
    with pytest.raises(InvalidValue, match=r"Space\.middle\.x: NaN is not an F64"):
        space.load(saved[:middle] + nan + saved[middle + 8 :])
    for cut in range(len(saved)):
        with pytest.raises(DecodeError):
            space.load(saved[:cut])
    assert space.save() == saved
