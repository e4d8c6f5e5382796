"""The bytes of docs/formats/world.md, and every way in which they can be wrong."""

from typing import Annotated
from zlib import crc32

import pytest

from retick.errors import (
    BadMagic,
    DecodeError,
    InvalidValue,
    LimitExceeded,
    SchemaMismatch,
    TrailingData,
    Truncated,
    UnsupportedVersion,
    UsageError,
)
from retick.sim import F64, U8, Dice, Most, Ref, Thing, World
from retick.sim.world.members import declared_text


class Tank(Thing):
    x: F64 = 0.0
    reload: U8 = 0
    aim: Ref["Tank"] = None


class Duel(World):
    num_players = 2
    tanks: Annotated[list[Tank], Most(2)]
    dice: Dice


EXAMPLE = bytes.fromhex("52574C44 01 652C3AB2 01000000 0000 07000000")
TEXT = "{tanks:[2]Tank{x:f64,reload:u8,aim:ref Tank},dice:Dice{state:dice}}"


def duel() -> bytes:
    """Two tanks; the first aims at the second."""
    game = Duel()
    game.tanks = [Tank(x=1.0), Tank(reload=7)]
    game.tanks[0].aim = game.tanks[1]
    return game.save()


def test_the_example_of_the_page() -> None:
    assert declared_text(Duel) == TEXT
    game = Duel()
    game.dice.state = 7
    assert game.save() == EXAMPLE
    assert game.checksum() == crc32(EXAMPLE)


def test_items_are_saved_as_the_page_says() -> None:
    assert duel()[9:] == bytes.fromhex(
        "03000000"  # NextId
        "0200"
        "01000000 000000000000F03F 00 02000000"
        "02000000 0000000000000000 07 00000000"
        "01000000"
    )


@pytest.mark.parametrize(
    ("at", "new", "error", "text"),
    [
        (0, b"X", BadMagic, "begins with b'RWLD'"),
        (4, b"\2", UnsupportedVersion, "version 1, not 2"),
        (5, b"\0\0\0\0", SchemaMismatch, "saved by another declaration than that of Duel"),
        (9, b"\0\0\0\0", InvalidValue, "the next id cannot be 0"),
        (13, b"\3", LimitExceeded, r"Duel\.tanks holds at most 2, not 3"),
        (13, b"\xff\xff", LimitExceeded, r"Duel\.tanks holds at most 2, not 65535"),
        (15, b"\0", InvalidValue, r"Duel\.tanks: 0 is not a valid id"),
        (15, b"\2", InvalidValue, r"Duel\.tanks: 2 is not a valid id, or belongs to another item"),
        (15, b"\3", InvalidValue, r"Duel\.tanks: 3 is not a valid id, or belongs to another item"),
        (19, bytes.fromhex("010000000000F07F"), InvalidValue, r"Tank\.x: NaN is not an F64"),
        (19, bytes.fromhex("000000000000F8FF"), InvalidValue, r"Tank\.x: NaN is not an F64"),
        (28, b"\7", InvalidValue, r"Tank\.aim: there is no Tank of id 7"),
        (49, b"\0\0\0\0", InvalidValue, r"Dice\.state: 0 is not from 1 to 4294967295"),
    ],
)
def test_each_check_of_the_page(at: int, new: bytes, error: type[DecodeError], text: str) -> None:
    wrong = duel()
    wrong = wrong[:at] + new + wrong[at + len(new) :]
    game = Duel()
    before = game.save()
    for read in (game.unpack_state, game.load):
        with pytest.raises(error, match=text):
            read(wrong)
        assert game.save() == before


def test_every_cut_is_truncated_and_every_addition_is_trailing() -> None:
    whole = duel()
    for end in range(len(whole)):
        with pytest.raises(Truncated) as raised:
            Duel().load(whole[:end])
        assert end < raised.value.needed <= len(whole)
        assert raised.value.available == end
    with pytest.raises(TrailingData, match="3 bytes follow the last field"):
        Duel().load(whole + b"abc")


def test_infinities_and_minus_zero_are_kept() -> None:
    game = Duel()
    game.tanks = [Tank(x=float("-inf")), Tank(x=-0.0)]
    other = Duel()
    other.load(game.save())
    assert [str(tank.x) for tank in other.tanks] == ["-inf", "-0.0"]


def test_a_reference_to_an_item_of_another_class_is_refused() -> None:
    class Base(Thing):
        hold: U8 = 0

    class Flag(Thing):
        base: Ref[Base]

    class Field(World):
        num_players = 2
        bases: Annotated[list[Base], Most(2)]
        flags: Annotated[list[Flag], Most(2)]

    field = Field()
    field.bases.append(Base())
    field.flags.append(Flag(base=field.bases[0]))
    saved = field.save()
    assert saved[-4:] == b"\1\0\0\0"
    with pytest.raises(InvalidValue, match=r"Flag\.base: there is no Base of id 2"):
        field.load(saved[:-4] + b"\2\0\0\0")


def test_bytes_like_objects_are_read_and_others_are_misuse() -> None:
    game = Duel()
    for form in (bytearray, memoryview):
        game.load(form(duel()))  # type: ignore[arg-type] # any bytes will do
        assert game.save() == duel()
    with pytest.raises(UsageError, match="a saved world is bytes, not int"):
        game.load(5)  # type: ignore[arg-type] # the point of the test
