"""Records: one declaration, and everything that follows from it."""

import copy
import pickle
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, SchemaError, TrailingData, Truncated, UsageError
from retick.sim.checksum import fnv1a
from retick.sim.kinds import I8, I16, I32, I64, U8, U16, U32, U64, Width
from retick.sim.record import Record, Times


class Ship(Record):
    x: I32
    heading: I8
    fuel: U16


class Match(Record):
    frame: U32
    small: I16
    flag: U8
    ships: Annotated[tuple[Ship, ...], Times(2)]
    cells: Annotated[tuple[I8, ...], Times(3)]
    leader: Ship
    signed: I64
    unsigned: U64


def bounds(bits: int, signed: bool) -> st.SearchStrategy[int]:
    width = Width(bits, signed)
    return st.integers(width.least, width.greatest)


ships = st.builds(Ship, x=bounds(32, True), heading=bounds(8, True), fuel=bounds(16, False))
matches = st.builds(
    Match,
    frame=bounds(32, False),
    small=bounds(16, True),
    flag=bounds(8, False),
    ships=st.tuples(ships, ships),
    cells=st.tuples(*[bounds(8, True)] * 3),
    leader=ships,
    signed=bounds(64, True),
    unsigned=bounds(64, False),
)


@given(matches)
def test_bytes_and_back(match: Match) -> None:
    data = match.to_bytes()
    assert len(data) == 4 + 2 + 1 + 2 * 7 + 3 + 7 + 8 + 8
    again = Match.from_bytes(data)
    assert again == match
    assert hash(again) == hash(match)
    assert again.checksum() == match.checksum()
    assert list(again.fields()) == list(match.fields())


@given(matches)
def test_copies_and_pickles_are_equal(match: Match) -> None:
    assert pickle.loads(pickle.dumps(match)) == match
    assert copy.copy(match) is match
    assert copy.deepcopy(match) is match


@given(matches, ships)
def test_replace_changes_only_what_it_names(match: Match, ship: Ship) -> None:
    changed = match.replace(leader=ship, ships=(ship, match.ships[1]))
    assert changed.leader == ship
    assert changed.ships == (ship, match.ships[1])
    assert changed.replace(leader=match.leader, ships=match.ships) == match
    names = {difference.name.split(".")[0] for difference in match.diff(changed)}
    assert names <= {"leader", "ships[0]"}


@given(matches)
def test_checksum_is_fnv_over_the_fields_with_two_rounds_for_64_bits(match: Match) -> None:
    numbers = []
    for name, value in match.fields():
        numbers.append(value)
        if name in ("signed", "unsigned"):
            numbers.append(value >> 32)
    assert match.checksum() == fnv1a(numbers)


def sample() -> Match:
    ship = Ship(x=-5, heading=-1, fuel=9)
    return Match(
        frame=1, small=-2, flag=3, ships=(ship, ship), cells=(1, 2, 3), leader=ship, signed=-7, unsigned=2**64 - 1
    )


def test_fields_are_named_by_path_in_declared_order() -> None:
    names = [name for name, _ in sample().fields()]
    assert names[:5] == ["frame", "small", "flag", "ships[0].x", "ships[0].heading"]
    assert names[9:14] == ["cells[0]", "cells[1]", "cells[2]", "leader.x", "leader.heading"]
    assert dict(sample().fields())["unsigned"] == 2**64 - 1


def test_a_difference_reads_as_a_sentence() -> None:
    one = sample()
    two = one.replace(leader=one.leader.replace(x=4000))
    (difference,) = one.diff(two)
    assert difference == ("leader.x", -5, 4000)
    assert str(difference) == "leader.x: -5 here, 4000 there"


def test_records_do_not_change() -> None:
    match = sample()
    for name in ("frame", "leader", "cells", "unknown"):
        with pytest.raises(AttributeError):
            setattr(match, name, 1)
    with pytest.raises(AttributeError):
        match.__init__(  # type: ignore[misc] # what a careless caller might try
            **{member.name: getattr(match, member.name) for member in Match.layout.members}
        )
    assert match == sample()


def test_records_of_other_classes_are_not_equal() -> None:
    class Twin(Record):
        x: I32
        heading: I8
        fuel: U16

    assert Twin(x=1, heading=1, fuel=1) != Ship(x=1, heading=1, fuel=1)
    with pytest.raises(UsageError, match="a Ship cannot be compared with a Twin"):
        Ship(x=1, heading=1, fuel=1).diff(Twin(x=1, heading=1, fuel=1))


def test_repr_shows_the_declaration() -> None:
    assert repr(Ship(x=1, heading=-1, fuel=2)) == "Ship(x=1, heading=-1, fuel=2)"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"x": 2**31, "heading": 0, "fuel": 0}, "Ship.x: 2147483648 is not an I32 (-2147483648 to 2147483647)"),
        ({"x": 0, "heading": -129, "fuel": 0}, "Ship.heading: -129 is not an I8 (-128 to 127)"),
        ({"x": 0, "heading": 0, "fuel": -1}, "Ship.fuel: -1 is not a U16 (0 to 65535)"),
        ({"x": 0.5, "heading": 0, "fuel": 0}, "Ship.x: 0.5 is not an I32"),
        ({"x": 0, "heading": 0}, "Ship: missing fields ['fuel']"),
        ({"x": 0, "heading": 0, "fuel": 0, "speed": 1}, "Ship: unknown fields ['speed']"),
        ({}, "missing fields ['x', 'heading', 'fuel']"),
    ],
)
def test_values_that_do_not_fit_are_named(values: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        Ship(**values)
    assert words in str(caught.value)


def test_nested_values_are_checked() -> None:
    match = sample()
    for changes, words in (
        ({"leader": match}, "Match.leader is a Ship, not a Match"),
        ({"ships": (match.leader,)}, "Match.ships takes 2 values"),
        ({"cells": (1, 2, 300)}, r"Match.cells\[2\]: 300 is not an I8"),
        ({"speed": 1}, "Match has no field 'speed'"),
    ):
        with pytest.raises(UsageError, match=words):
            match.replace(**changes)


def test_wrong_lengths_are_decode_errors() -> None:
    data = sample().to_bytes()
    with pytest.raises(Truncated) as short:
        Match.from_bytes(data[:-1])
    assert (short.value.needed, short.value.available) == (len(data), len(data) - 1)
    with pytest.raises(TrailingData):
        Match.from_bytes(data + b"\0")
    assert issubclass(Truncated, DecodeError)


def test_declarations_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"Bad\.x must be an int, a float, an integer with a width"):
        type(Record)("Bad", (Record,), {"__annotations__": {"x": str}})
    with pytest.raises(SchemaError, match="Empty declares no field"):
        type(Record)("Empty", (Record,), {})
    with pytest.raises(SchemaError, match="a field is 8, 16, 32 or 64 bits wide, not 12"):
        Width(12, signed=False)


@pytest.mark.parametrize("name", ["fields", "checksum", "layout", "replace", "diff", "to_bytes", "from_bytes"])
def test_a_field_cannot_hide_what_every_record_has(name: str) -> None:
    with pytest.raises(SchemaError, match=f"Bad.{name} cannot be a field"):
        type("Bad", (Record,), {"__annotations__": {name: I32}, "__module__": __name__})


def test_a_record_made_of_another_keeps_its_fields() -> None:
    class Base(Record):
        x: I32

    class Wider(Base):
        y: I32

    assert dict(Wider(x=1, y=2).fields()) == {"x": 1, "y": 2}
