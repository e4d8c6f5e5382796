"""Records of every kind of field, and their defaults."""

import struct
from enum import Enum
from math import copysign, inf, nan
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, InvalidValue, LimitExceeded, SchemaError, UsageError
from retick.sim import F64, I8, U8, U16, U32, U64, Most, Record, Times


class Mode(Enum):
    IDLE = "idle"
    RUN = "run"
    FALL = "fall"


class Shot(Record):
    x: F64
    life: U8 = 90


class Ship(Record):
    x: F64 = 1.5
    mode: Mode = Mode.RUN
    alive: bool = True
    fuel: U16 = 100
    shots: Annotated[tuple[Shot, ...], Most(2)] = ()


class Duel(Record):
    ships: Annotated[tuple[Ship, ...], Times(2)] = (Ship(), Ship(fuel=7))
    marks: Annotated[tuple[I8, ...], Most(3)] = (1, -1)
    leader: Ship = Ship(x=2)
    big: U64 = (1 << 64) - 1
    rng: U32


REALS = st.floats(allow_nan=False)
SHOTS = st.builds(Shot, x=REALS, life=st.integers(0, 255))
SHIPS = st.builds(
    Ship, x=REALS, mode=st.sampled_from(Mode), alive=st.booleans(), fuel=st.integers(0, 65535),
    shots=st.lists(SHOTS, max_size=2).map(tuple),
)  # fmt: skip
DUELS = st.builds(
    Duel, ships=st.tuples(SHIPS, SHIPS), marks=st.lists(st.integers(-128, 127), max_size=3).map(tuple), leader=SHIPS,
    big=st.integers(0, (1 << 64) - 1), rng=st.integers(0, 0xFFFFFFFF),
)  # fmt: skip


def test_a_default_is_there_when_the_field_is_not_given() -> None:
    duel = Duel(rng=1)
    assert duel.ships == (Ship(), Ship(x=1.5, mode=Mode.RUN, alive=True, fuel=7, shots=()))
    assert (duel.marks, duel.leader.x, duel.big) == ((1, -1), 2.0, (1 << 64) - 1)
    with pytest.raises(UsageError, match=r"^Duel: missing fields \['rng'\], unknown fields \['speed'\]$"):
        Duel(speed=1)  # type: ignore[call-arg] # the point of the test


def test_defaults_are_inherited_and_can_be_changed() -> None:
    class Fast(Ship):
        x: F64 = 9.0
        boost: U8 = 1

    assert (Fast().x, Fast().boost, Fast().fuel, Ship().x) == (9.0, 1, 100, 1.5)


def test_a_default_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"Bad\.it: 256 is not a U8 \(0 to 255\), so it cannot be the default"):
        type(Record)("Bad", (Record,), {"__annotations__": {"it": U8}, "it": 256})


@given(DUELS)
def test_a_record_of_every_kind_comes_back_from_its_bytes(duel: Duel) -> None:
    again = Duel.from_bytes(duel.to_bytes())
    assert again == duel
    assert again.checksum() == duel.checksum()
    assert len(duel.to_bytes()) == Duel.layout.packed.size
    assert dict(again.fields()) == dict(duel.fields())
    assert duel.replace() == duel


@given(DUELS, DUELS)
def test_records_with_different_fields_differ_by_these(one: Duel, other: Duel) -> None:
    changed = {difference.name for difference in one.diff(other)}
    assert bool(changed) == (one != other)


def test_values_are_read_as_they_were_given() -> None:
    ship = Ship(x=-0.0, mode=Mode.FALL, alive=False, shots=(Shot(x=inf),))
    assert (copysign(1, ship.x), ship.mode, ship.alive, ship.shots[0].x) == (-1, Mode.FALL, False, inf)
    assert ship.alive is False
    assert Ship(x=3).x == 3.0


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"x": nan}, r"Ship\.x: nan is not an F64"),
        ({"x": "1"}, r"Ship\.x: '1' is not an F64"),
        ({"mode": "run"}, r"Ship\.mode: 'run' is not a Mode"),
        ({"alive": 1}, r"Ship\.alive: 1 is not a bool"),
        ({"shots": (Shot(x=0.0),) * 3}, r"Ship\.shots takes up to 2 values"),
        ({"shots": (1,)}, r"Ship\.shots\[0\] is a Shot, not a int"),
    ],
)
def test_a_wrong_value_is_named(values: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        Ship(**values)
    with pytest.raises(UsageError, match=text):
        Ship().replace(**values)


def test_only_what_a_tuple_holds_is_reported() -> None:
    names = dict(Ship(shots=(Shot(x=0.5),)).fields())
    assert [name for name in names if name.startswith("shots")] == ["shots.length", "shots[0].x", "shots[0].life"]


def test_bytes_from_outside_are_checked() -> None:
    data = Ship().to_bytes()  # x 8, mode 1, alive 1, fuel 2, length 2, shots 2 * 9
    for at, new, error, text in (
        (6, b"\xf8\x7f", InvalidValue, r"Ship\.x: NaN"),
        (8, b"\3", InvalidValue, r"Ship\.mode: 3 is not from 0 to 2"),
        (9, b"\2", InvalidValue, r"Ship\.alive: 2 is not from 0 to 1"),
        (12, b"\3", LimitExceeded, r"Ship\.shots\.length is at most 2, not 3"),
        (14, b"\1", InvalidValue, "Ship: the unused items of a tuple must be 0"),
    ):
        with pytest.raises(error, match=text):
            Ship.from_bytes(data[:at] + new + data[at + len(new) :])


@given(st.binary(min_size=Ship.layout.packed.size, max_size=Ship.layout.packed.size))
def test_any_bytes_of_the_right_length_are_read_or_refused(data: bytes) -> None:
    try:
        ship = Ship.from_bytes(data)
    except DecodeError:
        return
    assert ship.to_bytes() == data


def test_the_checksum_of_a_float_has_two_rounds() -> None:
    assert Shot.layout.wide == (True, False)
    assert Shot(x=0.0).checksum() != Shot(x=-0.0).checksum()


def test_plain_numbers_are_numbers_of_64_bits() -> None:
    class Plain(Record):
        n: int
        x: float = 0.5

    plain = Plain(n=-(1 << 63))
    assert plain.to_bytes() == struct.pack("<qd", -(1 << 63), 0.5)
    assert Plain.from_bytes(plain.to_bytes()) == plain
    with pytest.raises(UsageError, match="9223372036854775808 is not an I64"):
        Plain(n=1 << 63)
