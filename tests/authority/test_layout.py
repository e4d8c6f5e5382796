"""From declarations to tables."""

from hashlib import sha256
from typing import Annotated

import pytest

from retick.authority import layout as layouts
from retick.authority import survey
from retick.authority.layout import FIRST_SEAT, WorldLayout, layout_of
from retick.errors import SchemaError
from retick.sim import (
    F64,
    U8,
    Dice,
    FRect,
    Most,
    OwnerOnly,
    Player,
    Range,
    Rect,
    Ref,
    ServerOnly,
    Thing,
    Vector2,
    World,
)
from tests.authority.worlds import Court
from tests.twin import Twin


class Turret(Thing):
    heat: U8 = 2


class Base(Thing):
    turrets: Annotated[list[Turret], Most(2)]
    dice: Dice


class Tank(Thing):
    player: Player
    x: Annotated[F64, Range(0, 640, step=1 / 16)] = 4.0
    reload: Annotated[U8, OwnerOnly] = 3
    fuse: Annotated[U8, ServerOnly] = 0
    aim: Ref["Tank"] = None
    turrets: Annotated[list[Turret], Most(2)]


class Tanks(World):
    num_players = 2
    tanks: Annotated[list[Tank], Most(4)]
    base: Base
    round: U8 | None = 1


TEXT = """\
retick world 1
players 2 input 16
component world
next_id int 32 4294967295 1 0 1
round? int 1 1 1 0 1
round int 8 255 1 0 1
component tanks
player int 8 255 255 0 1
x steps 14 10240 64 0x0.0p+0 0x1.0000000000000p-4
reload int 8 255 3 0 1
aim ref 32 4294967295 0 0 1
component tanks.turrets
holder int 32 4294967295 0 0 1
heat int 8 255 2 0 1
component base.turrets
heat int 8 255 2 0 1
component seat
connected int 1 1 0 0 1
input int 16 65535 0 0 1
"""


def test_the_text_of_the_tables_is_that_of_the_page() -> None:
    layout = WorldLayout(Tanks)
    assert layout.text == TEXT
    assert layout.hash == int.from_bytes(sha256(TEXT.encode()).digest()[:8], "little")
    assert layout_of(Tanks) is layout_of(Tanks)


def test_another_declaration_has_another_hash() -> None:
    class Other(Thing):
        x: Annotated[F64, Range(0, 640, step=1 / 8)] = 4.0

    class Others(World):
        num_players = 2
        tanks: Annotated[list[Other], Most(4)]

    class More(Others):
        num_players = 3

    assert len({WorldLayout(kind).hash for kind in (Tanks, Others, More, Court)}) == 4


@pytest.mark.parametrize("mark", [OwnerOnly, ServerOnly])
def test_whose_thing_it_is_is_no_secret(mark: object) -> None:
    class Hidden(Thing):
        who: Annotated[Player, mark]

    class Game(World):
        num_players = 2
        things: Annotated[list[Hidden], Most(2)]

    with pytest.raises(SchemaError, match=r"Hidden.who: everyone who sees a thing knows its owner"):
        WorldLayout(Game)


class Mat(Thing):
    at: Annotated[Vector2, Range(0, 640, step=1 / 16)] = Vector2(4, 1000)


class Hall(World):
    num_players = 1
    box: Rect = Rect(1, -2, 3, 4)
    shade: FRect | None = None
    near: Annotated[Rect, Range(-100, 100, step=2)]
    sign: Annotated[str, Most(12)] = "z\u00f6"
    note: Annotated[str | None, Most(3)] = None
    mat: Mat
    way: Annotated[list[Vector2], Most(2)] = [(1, -1)]
    cellar: Annotated[Vector2, ServerOnly]
    motto: Annotated[str, ServerOnly]


FORMS = """\
retick world 1
players 1 input 16
component world
next_id int 32 4294967295 1 0 1
box.x int 32 4294967295 2147483649 -2147483648 1
box.y int 32 4294967295 2147483646 -2147483648 1
box.w int 32 4294967295 2147483651 -2147483648 1
box.h int 32 4294967295 2147483652 -2147483648 1
shade? int 1 1 0 0 1
shade.x float 64 18446744073709551615 0 0 1
shade.y float 64 18446744073709551615 0 0 1
shade.w float 64 18446744073709551615 0 0 1
shade.h float 64 18446744073709551615 0 0 1
near.x steps 7 100 50 -0x1.9000000000000p+6 0x1.0000000000000p+1
near.y steps 7 100 50 -0x1.9000000000000p+6 0x1.0000000000000p+1
near.w steps 7 100 50 -0x1.9000000000000p+6 0x1.0000000000000p+1
near.h steps 7 100 50 -0x1.9000000000000p+6 0x1.0000000000000p+1
mat.at.x steps 14 10240 64 0x0.0p+0 0x1.0000000000000p-4
mat.at.y steps 14 10240 10240 0x0.0p+0 0x1.0000000000000p-4
way.length int 2 2 1 0 1
way[0].x float 64 18446744073709551615 4607182418800017408 0 1
way[0].y float 64 18446744073709551615 13830554455654793216 0 1
way[1].x float 64 18446744073709551615 0 0 1
way[1].y float 64 18446744073709551615 0 0 1
sign.length int 4 12 3 0 1
sign[0] text 64 18446744073709551615 11977594 0 1
sign[1] text 32 4294967295 0 0 1
note? int 1 1 0 0 1
note.length int 2 3 0 0 1
note[0] text 24 16777215 0 0 1
component seat
connected int 1 1 0 0 1
input int 16 65535 0 0 1
"""


def test_vectors_rectangles_and_texts_are_flattened_as_the_page_says() -> None:
    assert WorldLayout(Hall).text == FORMS


def test_the_hash_of_a_world_without_them_is_as_it_always_was() -> None:
    assert f"{layout_of(Court).hash:016x}" == "5b76052adb09d55d"


def test_ranges_that_cannot_be_sent_are_named() -> None:
    class Fine(World):
        num_players = 1
        x: Annotated[F64, Range(0, 1, step=1e-12)]

    class Odd(World):
        num_players = 1
        x: Annotated[U8, Range(0, 9, step=0.5)]

    with pytest.raises(SchemaError, match=r"Fine.x: a Range has at most 4294967295 steps"):
        WorldLayout(Fine)

    class Halves(World):
        num_players = 1
        box: Annotated[Rect, Range(0, 9, step=0.5)]

    with pytest.raises(SchemaError, match=r"Halves.box: low and step of an integer's Range are whole"):
        WorldLayout(Halves)
    with pytest.raises(SchemaError, match=r"Odd.x: low and step of an integer's Range are whole"):
        WorldLayout(Odd)


def test_lists_fields_and_players_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MOST_COMPONENTS", 4)
    with pytest.raises(SchemaError, match="Tanks has 5 lists"):
        WorldLayout(Tanks)
    monkeypatch.setattr(layouts, "MOST_COMPONENTS", 5)
    monkeypatch.setattr(layouts, "MOST_FIELDS", 3)
    with pytest.raises(SchemaError, match=r"Tanks.tanks has 4 fields"):
        WorldLayout(Tanks)

    class Many(World):
        num_players = 256
        time: U8

    with pytest.raises(SchemaError, match="256 players; a server has at most 255"):
        WorldLayout(Many)
    assert FIRST_SEAT == 4294967040


def numbers_of_ops() -> list[str]:
    names = ("PLAIN", "REAL_STEPS", "WHOLE_STEPS", "WIDE_STEPS", "REAL_TURN", "REAL_BITS", "HAS_PART")
    names += ("SHAPE_STEPS", "SHAPE_BITS", "SHAPE_WHOLE", "OP_WIDTH")
    return [f"{name} {getattr(layouts, name)} {getattr(survey, name, None)}" for name in names]


def test_the_kernel_reads_fields_by_the_same_numbers(twin: Twin) -> None:
    for line in twin.tells(numbers_of_ops):
        name, here, there = line.split()
        assert here == there, name
