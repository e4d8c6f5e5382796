"""Declarations: what they derive, and which are refused with words that help."""

import re
from dataclasses import dataclass, field
from enum import Enum, Flag
from typing import Annotated, Any, ClassVar

import pytest

from retick.errors import SchemaError, UsageError
from retick.sim import (
    F64,
    I64,
    U8,
    U16,
    Angle,
    Cache,
    Dice,
    FRect,
    Most,
    OwnerOnly,
    Range,
    Rect,
    Ref,
    ServerOnly,
    Thing,
    Vector2,
    World,
    kinds,
)
from retick.sim.world import Member, Visible, members, members_of
from retick.sim.world.members import declared_text
from retick.sim.world.storage import IS_COMPILED
from tests.sim.world.zoo import Animal, Mood, Spot, Zoo
from tests.test_kernels import enums_of


class Early(Thing):
    later: Ref["Late"] = None


class Late(Thing):
    early: Ref[Early] = None


class Both(World):
    num_players = 2
    earlies: Annotated[list[Early], Most(1)]
    lates: Annotated[list[Late], Most(1)]


def member(cls: type, name: str) -> Member:
    return next(found for found in members_of(cls) if found.name == name)


def test_what_a_field_holds_has_the_numbers_of_the_kernel() -> None:
    enums = enums_of("sim/world/storage.pxd")
    assert enums.pop("LAST_ID") == 0xFFFFFFFF
    marks = [enums.pop(name) for name in ("SIGNED", "IS_REAL", "BOUNDED")]
    assert marks == [16, 32, 64], "bits beside the width of a number, which is below them"
    assert {**vars(kinds), **vars(members)}.items() >= enums.items()
    assert len(enums) == 12
    assert isinstance(IS_COMPILED, bool)


def test_a_server_can_read_ranges_and_who_may_see_a_field() -> None:
    assert member(Spot, "x").range == Range(0, 640, step=1 / 16)
    assert member(Spot, "y").range is None
    assert member(Animal, "hunger").visible is OwnerOnly is Visible.OWNER
    assert member(Zoo, "dice").visible is ServerOnly
    assert member(Animal, "name").visible is Visible.ALL
    assert member(Animal, "heading").is_angle
    assert (member(Zoo, "animals").kind.inside, member(Zoo, "animals").kind.most) == (Animal, 4)
    assert member(Animal, "fed").optional


def test_a_range_is_not_checked_when_a_field_is_written() -> None:
    spot = Spot(x=-3.0)
    spot.x += 10000.0
    assert spot.x == 9997.0


def test_a_reference_may_name_a_class_that_is_declared_later() -> None:
    both = Both()
    both.lates.append(Late())
    both.earlies.append(Early(later=both.lates[0]))
    both.load(both.save())
    assert both.earlies[0].later is both.lates[0]


def test_a_reference_to_a_class_that_is_never_declared_is_an_error_when_it_is_used() -> None:
    class Lost(Thing):
        other: Ref["Nowhere"] = None  # type: ignore[name-defined] # noqa: F821 - the point of the test

    with pytest.raises(UsageError, match=r"Lost\.other refers to Nowhere, which is not declared in tests"):
        Lost().other = Spot()


def test_fields_of_a_base_come_first_and_defaults_are_inherited() -> None:
    class Bird(Spot):
        x: F64 = 5.0
        wings: U8

    bird = Bird(wings=2)
    assert [found.name for found in members_of(Bird)] == ["x", "y", "wings"]
    assert (bird.x, bird.y, bird.wings, Spot().x) == (5.0, 0.0, 2, 0.0)
    with pytest.raises(UsageError, match=r"^Bird: missing fields \['wings'\], unknown fields \['tail'\]$"):
        Bird(tail=1)


def test_what_is_no_field_stays_an_ordinary_attribute_of_the_class() -> None:
    class Ball(Thing):
        SPEED = 3
        most: ClassVar[int] = 5
        x: F64 = 0.0

    assert (Ball.SPEED, Ball().most, [found.name for found in members_of(Ball)]) == (3, 5, ["x"])
    with pytest.raises(AttributeError, match=r"Ball\.SPEED is read-only, .* to make it a field, write SPEED: int = 3"):
        Ball().SPEED = 4


class Plain:
    x: F64 = 0.0


class Bits(Flag):
    A = 1


@pytest.mark.parametrize(
    ("hint", "default", "text"),
    [
        (list, None, r"Bad\.it cannot be list: write what it holds: list\[Bullet\]"),
        (dict[str, int], None, r"Bad\.it cannot be dict\[str, int\]: write list\[\.\.\.\] of a Thing"),
        (set, None, r"Bad\.it cannot be set: write list"),
        (tuple[int, int], None, r"Bad\.it cannot be tuple\[int, int\]: write Vector2 or Rect for a position"),
        (bytes, None, r"Bad\.it cannot be bytes: write list\[U8\]"),
        (Any, None, r"Bad\.it cannot be Any: write the type of the value"),
        (Early | Late, None, r"Bad\.it cannot be one of several classes, Early \| Late: write a list for each"),
        (Plain, None, r"not Plain: if this is a class of yours, write class Plain\(Thing\)"),
        ("NotYet", None, r"Bad\.it: NotYet is not declared yet: move its class above Bad, or write Ref\[.NotYet.\] if"),
        ("list[NotYet]", None, r"Bad\.it: NotYet is not declared yet"),
        (Annotated[list[Spot], Most(2)] | None, None, "may be empty, never None"),
        (list[str], None, r"Bad\.it: a list holds things, numbers, bools, enums, vectors or rectangles"),
        (int, 1 << 63, r"Bad\.it: 9223372036854775808 is not an I64"),
        (int, field(default=3), r"Bad\.it: field\(\.\.\.\) is for dataclasses\. Write the default itself"),
        (list[Spot], field(default_factory=list), r"for dataclasses\. Each object gets a default of its own here"),
        (Vector2, 3, r"Bad\.it: 3 is not a Vector2, and not 2 floats, so it cannot be the default"),
        (Rect, (1, 2), r"Bad\.it: \(1, 2\) is not a Rect, and not 4 integers of 32 bits, so it cannot be the default"),
        (
            Annotated[str, Most(2)],
            "\u00e9t",
            r"Bad\.it holds at most 2 bytes of UTF-8, not 3, so it cannot be the default",
        ),
        (str, "\ud800", r"Bad\.it: '\\ud800' is not valid text"),
        (Annotated[list[U8 | None], Most(2)], None, r"Bad\.it: a list holds things, numbers, bools, enums"),
        (Annotated[list[Ref[Spot]], Most(2)], None, r"Bad\.it: a list holds things"),
        (Ref[int], None, r"Bad\.it: a reference is to a class of things"),
        (Zoo, None, r"Bad\.it must be"),
        (Bits, None, r"Bits cannot be a field"),
        (U8, 256, r"Bad\.it: 256 is not a U8 \(0 to 255\), so it cannot be the default"),
        (Mood, "calm", r"Bad\.it: 'calm' is not a Mood, so it cannot be the default"),
        (
            int,
            1.5,
            r"Bad\.it: 1\.5 is not an I64 \(.*\): declare float, or write int\(\.\.\.\), so it cannot be the default",
        ),
        (Spot, Spot(), r"Bad\.it cannot have the default Spot"),
        (Annotated[list[Spot], Most(2)], [Spot()], r"Bad\.it cannot have the default"),
        (Annotated[list[U8], Most(2)], [1, 2, 3], r"Bad\.it: the default has 3 values, and Most is 2"),
        (Cache[dict[int, int]], {}, r"Bad\.it: all objects would share this default"),
    ],
)
def test_a_wrong_declaration_is_refused(hint: Any, default: Any, text: str) -> None:
    namespace: dict[str, Any] = {"__annotations__": {"it": hint}, "__module__": __name__}
    if default is not None:
        namespace["it"] = default
    with pytest.raises(SchemaError, match=text):
        type(Spot)("Bad", (Thing,), namespace)


@pytest.mark.parametrize("name", ["id", "save", "step", "advance", "cue", "game_id", "world", "next_id"])
def test_a_field_cannot_hide_what_every_world_has(name: str) -> None:
    with pytest.raises(SchemaError, match=rf"Bad\.{name} cannot be a field"):
        type(Zoo)("Bad", (World,), {"__annotations__": {name: U8}, "num_players": 2})


def test_defaults_of_every_kind() -> None:
    class Kinds(Thing):
        mode: Mood = Mood.ANGRY
        some: U16 | None = 7
        none: U16 | None = None
        row: Annotated[list[U8], Most(3)] = [1, 2]
        turn: Angle = 1.5
        on: bool = True
        dice: Dice

    one, two = Kinds(), Kinds()
    one.row.append(3)
    assert (one.mode, one.some, one.none, one.turn, one.on, one.dice.state) == (Mood.ANGRY, 7, None, 1.5, True, 1)
    assert (one.row, two.row) == ([1, 2, 3], [1, 2])


def test_numbers_of_a_world_start_at_zero() -> None:
    zoo = Zoo()
    assert (zoo.weight, zoo.best, zoo.open, zoo.moods) == (0, None, False, [])


def test_an_enum_of_many_members_takes_two_bytes() -> None:
    many: Any = Enum("many", {f"M{number}": number for number in range(300)})
    cls: Any = type(Spot)("Holder", (World,), {"__annotations__": {"it": many}, "num_players": 1})
    world = cls()
    world.it = many.M299
    assert world.save()[-2:] == (299).to_bytes(2, "little")
    other = cls()
    other.load(world.save())
    assert other.it is many.M299


def test_plain_numbers_are_numbers_of_64_bits_and_plain_lists_and_texts_have_a_bound() -> None:
    class Spelled(Thing):
        x: F64 = 0.0
        n: I64 = 0
        row: Annotated[list[U8], Most(1024)]
        name: Annotated[str, Most(255)] = ""

    class Short(Thing):
        x: float = 0.0
        n: int = 0
        row: list[U8]
        name: str = ""

    assert declared_text(Short) == "Short" + declared_text(Spelled).removeprefix("Spelled")
    assert declared_text(Short) == "Short{x:f64,n:i64,row:[1024]u8,name:text(255)}"
    short = Short()
    short.row = [0] * 1024
    with pytest.raises(UsageError, match=r"Short\.row holds at most 1024, not 1025"):
        short.row.append(0)
    with pytest.raises(UsageError, match=r"Short\.n: 9223372036854775808 is not an I64"):
        short.n = 1 << 63
    with pytest.raises(UsageError, match=r"Short\.name holds at most 255 bytes of UTF-8, not 256"):
        short.name = "\u00e9" * 128


def test_the_declaration_of_shapes() -> None:
    class Shapes(Thing):
        at: Vector2
        box: Rect | None = None
        soft: FRect
        trail: Annotated[list[Vector2], Most(3)]
        name: Annotated[str, Most(9)] | None = None

    assert declared_text(Shapes) == "Shapes{at:vector2,box:rect?,soft:frect,trail:[3]vector2,name:text(9)?}"
    with pytest.raises(UsageError, match=r"Shapes: missing fields \['at', 'soft'\]"):
        Shapes()


def test_a_dataclass_is_refused_in_one_line() -> None:
    with pytest.raises(SchemaError, match=r"^remove @dataclass from Shot: a Thing has its arguments and its repr"):

        @dataclass
        class Shot(Thing):
            x: float = 0.0


def test_names_of_pygame_are_answered_with_ours() -> None:
    pygame = pytest.importorskip("pygame")
    for name, text in (("Vector2", "from retick.sim import Vector2"), ("Surface", "keep pictures out of the world")):
        namespace = {"__annotations__": {"it": getattr(pygame, name)}, "__module__": __name__}
        with pytest.raises(SchemaError, match=rf"Bad\.it cannot be pygame's {name}: .*{text}"):
            type(Spot)("Bad", (Thing,), namespace)


@pytest.mark.parametrize("name", ["Sprite", "DirtySprite", "Group", "OrderedUpdates", "GroupSingle"])
def test_fields_that_hold_sprites_and_groups_are_answered_with_lists_of_things(name: str) -> None:
    pygame = pytest.importorskip("pygame")
    namespace = {"__annotations__": {"it": getattr(pygame.sprite, name)}, "__module__": __name__}
    with pytest.raises(SchemaError, match=rf"Bad\.it cannot be pygame's {name}: .*write .*Thing"):
        type(Spot)("Bad", (Thing,), namespace)


def test_a_sprite_of_the_game_is_offered_thing_in_place_of_sprite() -> None:
    pygame = pytest.importorskip("pygame")
    alien = type("Alien", (pygame.sprite.Sprite,), {})
    namespace = {"__annotations__": {"it": alien}, "__module__": __name__}
    with pytest.raises(SchemaError, match=r"Bad\.it cannot be Alien, .*: write class Alien\(Thing\)"):
        type(Spot)("Bad", (Thing,), namespace)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_thing_that_is_a_sprite_too_says_what_to_write(order: tuple[int, int]) -> None:
    pygame = pytest.importorskip("pygame")
    bases = [(Thing, pygame.sprite.Sprite)[index] for index in order]
    text = r"^class Alien cannot be a Thing and pygame's Sprite: write class Alien\(Thing\).* rect: Rect"
    with pytest.raises(SchemaError, match=text):
        type(Spot)("Alien", tuple(bases), {"__annotations__": {"rect": Rect}, "__module__": __name__})


@pytest.mark.parametrize("hint", [Spot | Animal, list[Spot | Animal], Spot | Animal | None])
def test_several_classes_in_one_field_are_answered_with_lists_or_a_kind(hint: Any) -> None:
    text = r"^Bad\.it cannot be one of several classes, Spot \| Animal: write a list for each, .* one class"
    with pytest.raises(SchemaError, match=text):
        type(Spot)("Bad", (Thing,), {"__annotations__": {"it": hint}, "__module__": __name__})


@pytest.mark.parametrize(("hint", "shown"), [(int | float, "int | float"), (list[int | str], "int | str")])
def test_several_types_in_one_field_are_answered_with_one(hint: Any, shown: str) -> None:
    with pytest.raises(SchemaError, match=rf"^Bad\.it cannot be one of several types, {re.escape(shown)}: write one"):
        type(Spot)("Bad", (Thing,), {"__annotations__": {"it": hint}, "__module__": __name__})


def test_a_font_that_is_written_to_a_thing_is_sent_to_the_module() -> None:
    pygame = pytest.importorskip("pygame")
    pygame.font.init()
    text = r"^Spot\.font is not declared, and cannot be pygame's Font: keep fonts out of the world"
    with pytest.raises(AttributeError, match=text):
        Spot().font = pygame.font.Font(None, 20)  # type: ignore[attr-defined] # the mistake that is meant


def test_a_thing_that_may_be_missing_is_offered_a_reference() -> None:
    namespace = {"__annotations__": {"it": Spot}, "__module__": __name__, "it": None}
    text = r"Bad\.it cannot have the default None: write Ref\[Spot\] if .*, or Spot \| None if"
    with pytest.raises(SchemaError, match=text):
        type(Spot)("Bad", (Thing,), namespace)
