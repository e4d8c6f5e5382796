"""Every write is checked at the line that makes it, and the error names the field."""

from math import copysign, inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import F64, I8, I16, I32, I64, U8, U16, U32, U64, Thing
from tests.sim.world.zoo import Animal, Mood, Size, Spot
from tests.twin import Twin, outcome


class Wide(Thing):
    i8: I8 = 0
    i16: I16 = 0
    i32: I32 = 0
    i64: I64 = 0
    u8: U8 = 0
    u16: U16 = 0
    u32: U32 = 0
    u64: U64 = 0
    f64: F64 = 0.0
    flag: bool = False
    mood: Mood = Mood.CALM
    some: U8 | None = None
    maybe: F64 | None = None


def written(name: str, value: Any) -> str:
    """What the field is after the write, or the error; the field is unchanged by an error."""
    thing = Wide()
    said = outcome(setattr, thing, name, value)
    return f"{said}: {getattr(thing, name)!r}"


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", "iu")
def test_integers_hold_exactly_their_width(bits: int, sign: str) -> None:
    least, greatest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign == "i" else (0, (1 << bits) - 1)
    name = f"{sign}{bits}"
    thing = Wide()
    for value in (least, greatest, 0, 1):
        setattr(thing, name, value)
        assert getattr(thing, name) == value
    for value in (least - 1, greatest + 1, 1 << 70, -(1 << 70)):
        with pytest.raises(UsageError) as raised:
            setattr(thing, name, value)
        article = "an" if sign == "i" else "a"
        assert str(raised.value) == f"Wide.{name}: {value} is not {article} {name.upper()} ({least} to {greatest})"
        assert getattr(thing, name) == 1


def test_the_error_is_the_one_of_the_documentation() -> None:
    with pytest.raises(UsageError, match=r"^Wide\.u8: 256 is not a U8 \(0 to 255\)$"):
        Wide().u8 += 256
    with pytest.raises(UsageError, match=r"^Wide\.u8: 1\.5 is not a U8 \(0 to 255\)$"):
        Wide(u8=1.5)  # type: ignore[arg-type] # the point of the test
    with pytest.raises(AttributeError, match=r"^Wide\.speed is not declared: write its name and type in the class$"):
        Wide().speed = 1  # type: ignore[attr-defined] # the point of the test


def test_a_float_keeps_its_bits_and_is_never_nan() -> None:
    thing = Wide()
    for value in (0.1, -0.0, inf, -inf, 5e-324, 1.7976931348623157e308):
        thing.f64 = value
        assert (thing.f64, copysign(1, thing.f64)) == (value, copysign(1, value))
    thing.f64 = 7
    assert type(thing.f64) is float
    for wrong in (nan, inf - inf, (1 << 53) + 1, 1 << 2000, True, "1", None):
        with pytest.raises(UsageError, match=r"^Wide\.f64: .* is not an F64"):
            thing.f64 = wrong  # type: ignore[assignment] # the point of the test
    assert thing.f64 == 7.0


def test_bools_and_enums_are_themselves() -> None:
    thing = Wide()
    thing.flag, thing.mood = True, Mood.ASLEEP
    assert thing.flag is True
    assert thing.mood is Mood.ASLEEP
    for name, wrong in (("flag", 1), ("flag", None), ("mood", "calm"), ("mood", Size.SMALL), ("mood", None)):
        with pytest.raises(UsageError, match=rf"^Wide\.{name}: .* is not a "):
            setattr(thing, name, wrong)


def test_an_optional_value_is_none_or_checked() -> None:
    thing = Wide(some=0)
    assert thing.some == 0
    thing.some = None
    assert thing.some is None
    with pytest.raises(UsageError, match=r"^Wide\.some: -1 is not a U8"):
        thing.some = -1
    thing.maybe = 0.0
    assert thing.maybe == 0.0


REALS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(st.integers(-(1 << 65), 1 << 65), REALS, st.booleans(), st.none(), st.text(max_size=3))


@given(st.lists(st.tuples(st.sampled_from([m.name for m in Wide._members]), VALUES), min_size=1, max_size=40))
@settings(max_examples=30)
def test_both_forms_accept_the_same_values(twin: Twin, pairs: list[tuple[str, Any]]) -> None:
    twin.agrees(all_written, pairs)


def all_written(pairs: list[tuple[str, Any]]) -> list[str]:
    """A story for the twin."""
    return [written(name, value) for name, value in pairs]


def test_a_field_cannot_be_read_through_another_class() -> None:
    """This is so where a field has a descriptor. The others are read from boxes, which are not state."""
    for field, name in ((Animal.at, "at"), (Animal.friend, "friend")):
        with pytest.raises(AttributeError, match=rf"this Spot has no Animal\.{name}"):
            field.__get__(Spot(), Spot)  # type: ignore[union-attr] # a descriptor, which mypy sees as its value


def test_a_part_is_a_thing_of_its_class_that_is_nowhere_else() -> None:
    animal, spot = Animal(name=1), Spot(x=5)
    animal.burrow = spot
    assert animal.burrow is spot
    animal.burrow = spot
    with pytest.raises(UsageError, match=r"Animal\.spot: this Spot is in another place already"):
        animal.spot = spot
    with pytest.raises(UsageError, match=r"Animal\.spot: None is not a Spot"):
        animal.spot = None  # type: ignore[assignment] # the point of the test
    with pytest.raises(UsageError, match=r"Animal\.burrow: 3 is not a Spot"):
        animal.burrow = 3  # type: ignore[assignment] # the point of the test
    animal.burrow = None
    animal.spot = spot
    assert animal.spot is spot
