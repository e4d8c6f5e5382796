"""From declarations to tables."""

from hashlib import sha256
from typing import Annotated

import pytest

from retick.authority.world import layout as layouts
from retick.authority.world import survey
from retick.authority.world.layout import FIRST_SEAT, Layout, layout_of
from retick.errors import SchemaError
from retick.sim import F64, U8, Dice, Most, OwnerOnly, Player, Range, Rect, Ref, ServerOnly, Thing, Vector2, World
from tests.authority.world.worlds import Court
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
    layout = Layout(Tanks)
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

    assert len({Layout(kind).hash for kind in (Tanks, Others, More, Court)}) == 4


@pytest.mark.parametrize("mark", [OwnerOnly, ServerOnly])
def test_whose_thing_it_is_is_no_secret(mark: object) -> None:
    class Hidden(Thing):
        who: Annotated[Player, mark]

    class Game(World):
        num_players = 2
        things: Annotated[list[Hidden], Most(2)]

    with pytest.raises(SchemaError, match=r"Hidden.who: whose thing it is is known to all"):
        Layout(Game)


@pytest.mark.parametrize("hint", [Vector2, Rect | None, str, Annotated[list[Vector2], Most(2)]])
def test_vectors_and_texts_are_refused_by_name_unless_only_the_server_knows_them(hint: object) -> None:
    def world(kind: object) -> type[World]:
        return type(World)("Game", (World,), {"num_players": 1, "__annotations__": {"spot": kind}})  # type: ignore[return-value]  # a class of worlds

    with pytest.raises(SchemaError, match=r"Game\.spot: a server does not send vectors, rectangles and texts"):
        Layout(world(hint))
    assert [made.name for made in Layout(world(Annotated[hint, ServerOnly])).components[0].fields] == ["next_id"]


def test_ranges_that_cannot_be_sent_are_named() -> None:
    class Fine(World):
        num_players = 1
        x: Annotated[F64, Range(0, 1, step=1e-12)]

    class Odd(World):
        num_players = 1
        x: Annotated[U8, Range(0, 9, step=0.5)]

    with pytest.raises(SchemaError, match=r"Fine.x: a Range has at most 4294967295 steps"):
        Layout(Fine)
    with pytest.raises(SchemaError, match=r"Odd.x: low and step of an integer's Range are whole"):
        Layout(Odd)


def test_lists_fields_and_players_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MOST_COMPONENTS", 4)
    with pytest.raises(SchemaError, match="Tanks has 5 lists"):
        Layout(Tanks)
    monkeypatch.setattr(layouts, "MOST_COMPONENTS", 5)
    monkeypatch.setattr(layouts, "MOST_FIELDS", 3)
    with pytest.raises(SchemaError, match=r"Tanks.tanks has 4 fields"):
        Layout(Tanks)

    class Many(World):
        num_players = 256
        time: U8

    with pytest.raises(SchemaError, match="256 players; a server has at most 255"):
        Layout(Many)
    assert FIRST_SEAT == 4294967040


def numbers_of_ops() -> list[str]:
    names = ("PLAIN", "REAL_STEPS", "WHOLE_STEPS", "WIDE_STEPS", "REAL_TURN", "REAL_BITS", "HAS_PART", "OP_WIDTH")
    return [f"{name} {getattr(layouts, name)} {getattr(survey, name, None)}" for name in names]


def test_the_kernel_reads_fields_by_the_same_numbers() -> None:
    with Twin() as twin:
        for line in twin.tells(numbers_of_ops):
            name, here, there = line.split()
            assert here == there, name
