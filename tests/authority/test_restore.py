"""Entities that make no world, and those that make one without what is missing."""

from typing import Annotated

import pytest

from retick.authority.holding import Restorer, Seat
from retick.authority.layout import FIRST_SEAT, layout_of
from retick.authority.rows import Rows
from retick.errors import DecodeError, InvalidValue, LimitExceeded
from retick.sim import U8, FRect, Most, Range, Rect, ServerOnly, Vector2, World
from tests.authority.worlds import Court

LAYOUT = layout_of(Court)
RESTORER = Restorer(LAYOUT)
KINDS = {component.name: index for index, component in enumerate(LAYOUT.components)}


def entity(name: str, **numbers: int) -> tuple[int, list[int]]:
    fields = LAYOUT.components[KINDS[name]].fields
    known = {made.name: made.default for made in fields} | numbers
    return KINDS[name], [known[made.name] for made in fields]


WORLD = entity("world", next_id=50)


def court(**held: tuple[int, list[int]]) -> Court:
    world = Court()
    world.load(RESTORER.saved(Rows.of(1, {0: WORLD} | {int(number[1:]): each for number, each in held.items()})))
    return world


def test_items_are_in_the_order_of_their_ids_with_defaults_for_what_is_not_sent() -> None:
    world = court(e9=entity("pawns", x=16), e3=entity("pawns"), e4=entity("pawns.purse", holder=9))
    assert [(pawn.id, pawn.x, pawn.luck) for pawn in world.pawns] == [(3, 0.0, 77), (9, 1.0, 77)]
    assert [coin.id for coin in world.pawns[1].purse] == [4]
    assert world.next_id == 50


def test_what_has_no_holder_is_left_out_and_a_reference_to_what_is_missing_is_none() -> None:
    world = court(e3=entity("pawns", foe=7), e5=entity("pawns.purse", holder=4))
    assert world.pawns[0].foe is None
    assert world.pawns[0].purse == []


@pytest.mark.parametrize(
    "held",
    [
        {},
        {1: WORLD},
        {0: entity("pawns")},
        {0: WORLD, 50: entity("pawns")},
        {0: WORLD, FIRST_SEAT: entity("pawns")},
        {0: WORLD, 5: entity("seat")},
        {0: WORLD, FIRST_SEAT + 3: entity("seat")},
        {0: WORLD, 3: entity("pawns", foe=4), 4: entity("rocks")},
        {0: WORLD, 3: entity("pawns", **{"best?": 1, "best": 0x7FF8 << 48})},
    ],
)
def test_entities_that_make_no_world_are_refused_and_nothing_changes(held: dict[int, tuple[int, list[int]]]) -> None:
    world = Court()
    before = world.save()
    with pytest.raises(InvalidValue):
        world.load(RESTORER.saved(Rows.of(1, held)))
    assert world.save() == before


def test_a_list_holds_no_more_than_declared() -> None:
    with pytest.raises(LimitExceeded, match="rocks holds at most 4, not 5"):
        RESTORER.saved(Rows.of(1, {0: WORLD} | {number: entity("rocks") for number in range(1, 6)}))


def test_seats_are_told_apart() -> None:
    rows = Rows.of(1, {0: WORLD, FIRST_SEAT + 1: entity("seat", connected=1, input=7)})
    assert RESTORER.seats(rows) == {1: Seat(True, 7)}
    with pytest.raises(DecodeError):
        RESTORER.seats(Rows.of(1, {9: entity("seat")}))


def test_vectors_and_texts_that_only_the_server_knows_have_their_defaults() -> None:
    class Den(World):
        num_players = 1
        spot: Annotated[Vector2, ServerOnly] = Vector2(3, -4)
        cage: Annotated[Rect | None, ServerOnly] = Rect(1, 2, 3, 4)
        none: Annotated[Rect | None, ServerOnly] = None
        shade: Annotated[FRect, ServerOnly]
        sign: Annotated[str, ServerOnly] = "z\u00f6"
        trail: Annotated[list[Vector2], Most(3), ServerOnly] = [(1, 2), (3, 4)]
        scores: Annotated[list[U8], Most(3), ServerOnly] = [7, 8]

    blank = Den()
    assert Restorer(layout_of(Den)).saved(Rows.of(1, {0: (0, [1])})) == blank.save()


class Wall(World):
    num_players = 1
    sign: Annotated[str, Most(12)] = "old"
    spot: Vector2
    nook: Annotated[Rect, Range(0, 4294967295, step=1)]


WALL = Restorer(layout_of(Wall))


def wall(**numbers: int) -> Wall:
    fields = layout_of(Wall).components[0].fields
    known = {made.name: made.default for made in fields} | {"next_id": 1} | numbers
    made = Wall()
    made.load(WALL.saved(Rows.of(1, {0: (0, [known[field.name] for field in fields])})))
    return made


def word(data: bytes) -> int:
    return int.from_bytes(data, "little")


def test_a_text_is_its_bytes_up_to_its_length_whatever_follows() -> None:
    made = wall(**{"sign.length": 10, "sign[0]": word("z\u00f6e zac".encode()), "sign[1]": word(b"k!XY")})
    assert made.sign == "z\u00f6e zack!"
    assert wall().sign == "old"
    assert wall(**{"sign.length": 0, "sign[0]": word(b"abc")}).sign == ""


@pytest.mark.parametrize(
    "numbers",
    [
        {"sign.length": 1, "sign[0]": 0xFF},
        {"sign.length": 9, "sign[0]": word(b"12345678"), "sign[1]": 0xC3},  # half of a character
        {"spot.y": 0x7FF8 << 48},
    ],
)
def test_bytes_that_are_no_text_and_floats_that_are_no_numbers_are_refused(numbers: dict[str, int]) -> None:
    with pytest.raises(InvalidValue):
        wall(**numbers)


def test_the_numbers_of_a_rectangle_stay_within_its_width() -> None:
    assert wall(**{"nook.x": 7, "nook.w": 4294967295}).nook == Rect(7, 0, 2147483647, 0)
