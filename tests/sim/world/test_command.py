"""Commands: declared inputs that are packed into an integer."""

import copy
import pickle
from collections.abc import Sequence
from enum import Enum
from math import inf, nan, pi
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import SchemaError, UsageError
from retick.replay import Replay, verify
from retick.rollback.engine.engine import RollbackEngine, SyncTest
from retick.sim import F64, I8, I64, U8, U64, Angle, Command, Most, Range, Thing, Vector2, World, input_size_of
from retick.sim.world.command import KEPT
from retick.testing.mesh import two_peers
from tests.twin import Twin


class Gear(Enum):
    REVERSE = "r"
    NEUTRAL = "n"
    FORWARD = "f"


class Wish(Command):
    turn: Annotated[F64, Range(-1, 1, step=1 / 64)] = 0.0
    fire: bool = False
    gear: Gear = Gear.NEUTRAL
    aim: Angle = 0.0
    slot: Annotated[I8, Range(-3, 7, step=2)] = 1
    zoom: Annotated[F64, Range(1, 2.05, step=0.1)]
    safe: bool = True
    colour: U8 = 200


class Ship(Thing):
    x: F64 = 0.0
    heading: F64 = 0.0
    shots: I64 = 0


class Fleet(World):
    num_players = 2
    command = Wish
    ships: Annotated[list[Ship], Most(2)]

    def join(self, player: int) -> None:
        self.ships.append(Ship(x=float(player)))

    def advance(self, inputs: Sequence[Wish]) -> None:
        for ship, wish in zip(self.ships, inputs, strict=True):
            assert type(wish) is Wish
            ship.heading += wish.turn
            ship.x += wish.zoom * (wish.gear is Gear.FORWARD) + wish.aim
            ship.shots += wish.fire + wish.slot * 10
            if wish.fire:
                self.cue("shot", wish.aim)


def story(numbers: list[int], wishes: list[dict[str, Any]]) -> list[str]:
    """What integers unpack to, and what values pack to."""
    found = [f"{command!r} {command.packed}" for command in map(Wish.unpack, numbers)]
    return found + [f"{Wish(**wish)!r} {Wish(**wish).packed}" for wish in wishes]


NUMBERS = st.one_of(st.integers(), st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 8 * Wish.size) - 1))
ANYTHING = st.fixed_dictionaries(
    {},
    optional={
        "turn": st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.floats(-1, 1),
        "aim": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        "zoom": st.floats(0, 3),
        "fire": st.booleans(),
        "safe": st.booleans(),
        "slot": st.integers(),
        "colour": st.integers() | st.integers(0, 255),
    },
)


def is_within_bounds(wish: Wish) -> bool:
    return (
        -1 <= wish.turn <= 1
        and type(wish.turn) is float
        and type(wish.fire) is bool
        and isinstance(wish.gear, Gear)
        and -pi <= wish.aim <= pi
        and -3 <= wish.slot <= 7
        and 1 <= wish.zoom <= 2.05
        and type(wish.safe) is bool
        and 0 <= wish.colour <= 255
    )


@given(NUMBERS)
def test_any_integer_unpacks_to_values_within_bounds_and_packs_to_the_same_command(number: int) -> None:
    wish = Wish.unpack(number)
    assert is_within_bounds(wish)
    assert 0 <= wish.packed < 1 << 8 * Wish.size
    again = Wish(**{part.name: getattr(wish, part.name) for part in Wish._parts})
    assert again == wish == Wish.unpack(wish.packed)
    assert repr(again) == repr(wish) == repr(Wish.unpack(wish.packed))


@given(ANYTHING)
def test_whatever_is_wished_is_brought_within_bounds(values: dict[str, Any]) -> None:
    wish = Wish(**values)
    assert is_within_bounds(wish)
    assert Wish.unpack(wish.packed) == wish
    if -1 <= values.get("turn", 5) <= 1:
        assert abs(wish.turn - values["turn"]) <= 1 / 128


@given(st.lists(NUMBERS, max_size=5), st.lists(ANYTHING, max_size=5))
@settings(max_examples=40)
def test_both_forms_pack_the_same(twin: Twin, numbers: list[int], wishes: list[dict[str, Any]]) -> None:
    twin.agrees(story, numbers, wishes)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[Range, float]:
    step = draw(st.sampled_from((0.1, 1 / 3, 0.25, 1.0, 7.3, 1e-3)))
    low = draw(st.floats(-1000, 1000))
    high = low + draw(st.floats(step, 1000 * step))
    return Range(low, high, step=min(step, high - low)), draw(st.floats(low, high))


@given(ranges(), st.data())
def test_every_range_of_floats_keeps_its_laws(drawn: tuple[Range, float], data: st.DataObject) -> None:
    bounds, default = drawn
    kind: Any = type(Command)("Pull", (Command,), {"__annotations__": {"x": Annotated[F64, bounds]}, "x": default})
    assert kind().x == default
    value = data.draw(st.floats(bounds.low, bounds.high))
    pulled = kind(x=value)
    assert bounds.low <= pulled.x <= bounds.high
    assert bounds.step is not None
    assert abs(pulled.x - value) <= bounds.step * 0.5000001
    assert kind(x=pulled.x) == pulled == kind.unpack(int(pulled))
    assert kind(x=pulled.x).x == pulled.x


def test_a_command_that_says_nothing_is_zero() -> None:
    assert Wish() == 0 == Wish().packed
    assert repr(Wish()) == (
        "Wish(turn=0.0, fire=False, gear=<Gear.NEUTRAL: 'n'>, aim=0.0, slot=1, zoom=1.0, safe=True, colour=200)"
    )


def test_bits_are_as_few_as_the_values_need() -> None:
    assert [part.bits for part in Wish._parts] == [8, 1, 2, 16, 3, 4, 1, 8]
    assert Wish.size == 6 == input_size_of(Fleet())
    assert Wish(turn=1 / 64).packed == 1
    assert Wish(turn=-1 / 64).packed == 128
    assert Wish(fire=True).packed == 1 << 8
    assert Wish(gear=Gear.REVERSE).packed == 2 << 9


def test_nan_is_the_default_and_infinity_a_bound() -> None:
    assert Wish(turn=nan, aim=nan) == 0
    assert (Wish(turn=inf).turn, Wish(turn=-inf).turn, Wish(turn=10**400).turn) == (1.0, -1.0, 1.0)
    assert Wish(aim=inf).aim == 0.0


def test_an_angle_wraps() -> None:
    assert Wish(aim=2 * pi + 1).aim == pytest.approx(1, abs=pi / 65536)
    assert Wish(aim=1e9) == Wish(aim=1e9 % (2 * pi))
    assert Wish(aim=pi).aim == -pi


def test_a_command_does_not_change_and_can_be_copied() -> None:
    wish = Wish(turn=0.5, fire=True)
    with pytest.raises(AttributeError, match="a Wish does not change"):
        wish.fire = False
    for other in (copy.deepcopy(wish), pickle.loads(pickle.dumps(wish))):
        assert type(other) is Wish
        assert repr(other) == repr(wish)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"jump": True}, "Wish has no jump"),
        ({"fire": 1}, "Wish.fire: 1 is not a bool"),
        ({"gear": "r"}, "Wish.gear: 'r' is not a Gear"),
        ({"slot": 1.0}, r"Wish.slot: 1.0 is not an I8 \(-128 to 127\)"),
        ({"turn": "left"}, "Wish.turn: 'left' is not an F64"),
    ],
)
def test_a_value_of_another_type_is_an_error_that_names_the_field(values: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError, match=error):
        Wish(**values)


@pytest.mark.parametrize(
    ("hint", "default", "error"),
    [
        (F64, 0.0, r"Odd.x: a float of a command needs its bounds and its steps"),
        (Annotated[F64, Range(0, 1)], 0.0, r"Odd.x: a float of a command needs its bounds"),
        (Annotated[F64, Range(0, 1, step=0.1)], 2.0, r"Odd.x: the default 2.0 is not from 0.0 to 1.0"),
        (Annotated[F64, Range(1e9, 1e9 + 1, step=1e-9)], 1e9, r"Odd.x: 1e-09 is too fine a step"),
        (Annotated[U8, Range(0, 256)], 0, r"Odd.x: a Range from 0 to 256 is more than a U8"),
        (Annotated[U8, Range(0, 10, step=0.5)], 0, r"Odd.x: the Range of an integer has whole numbers, not 0.5"),
        (Annotated[bool, Range(0, 1)], False, r"Odd.x: a Range is for numbers"),
        (U8, 256, r"Odd.x: 256 is not a U8 \(0 to 255\), so it cannot be the default"),
        (U8 | None, None, r"Odd.x: a command holds numbers"),
        (Annotated[list[U8], Most(2)], None, r"Odd.x: a command holds numbers"),
        (Vector2, Vector2(), r"Odd.x: a command holds numbers"),
        (complex, 0, r"Odd.x must be an int, a float, a number with a width"),
    ],
)
def test_a_declaration_that_cannot_be_packed_names_the_field(hint: Any, default: Any, error: str) -> None:
    with pytest.raises(SchemaError, match=error):
        type(Command)("Odd", (Command,), {"__annotations__": {"x": hint}, "x": default})


def test_a_command_has_at_most_64_bits_and_at_least_one_field() -> None:
    whole: Any = type(Command)("Whole", (Command,), {"__annotations__": {"all": U64}})
    assert whole.size == 8
    assert whole(all=(1 << 64) - 1).all == (1 << 64) - 1
    with pytest.raises(SchemaError, match="Wide takes 65 bits, and a command has at most 64"):
        type(Command)("Wide", (Command,), {"__annotations__": {"all": U64, "more": bool}})
    with pytest.raises(SchemaError, match="Empty declares no field"):
        type(Command)("Empty", (Command,), {})
    with pytest.raises(SchemaError, match=r"Odd\.real cannot be a field"):
        type(Command)("Odd", (Command,), {"__annotations__": {"real": bool}})
    with pytest.raises(UsageError, match="declare a command"):
        Command()


def test_the_layout_says_all_that_decides_the_bits() -> None:
    class Small(Command):
        turn: Annotated[F64, Range(-1, 1, step=0.5)] = 0.0
        gear: Gear = Gear.NEUTRAL

    assert Small.layout == "{turn:f64(-1.0,1.0,0.5,0.0),gear:enum Gear(REVERSE,NEUTRAL,FORWARD)(0,2,1,1)}"


def test_only_so_many_commands_are_kept() -> None:
    for number in range(2 * KEPT):
        assert Wish.unpack(number).packed == Wish(**vars(Wish.unpack(number))).packed
    assert Wish.unpack.cache_info().currsize == KEPT  # type: ignore[attr-defined]  # what lru_cache adds


def test_a_subclass_adds_fields_behind_those_that_are_there() -> None:
    class Base(Command):
        fire: bool = False

    class More(Base):
        jump: bool = False

    assert (More(fire=True).packed, More(jump=True).packed) == (1, 2)


def test_the_world_says_which_command_it_takes() -> None:
    assert Fleet.input_size == 6
    with pytest.raises(SchemaError, match=r"Odd\.command is a class of commands"):
        type(World)("Odd", (World,), {"num_players": 1, "command": 5})
    with pytest.raises(SchemaError, match=r"Odd\.input_size follows from Wish: it is 6"):
        type(World)("Odd", (World,), {"num_players": 1, "command": Wish, "input_size": 2})


def test_a_world_takes_commands_and_integers_alike() -> None:
    fleet = Fleet()
    state = fleet.initial_state(1)
    wish = Wish(turn=0.5, fire=True, gear=Gear.FORWARD)
    assert fleet.step(state, (wish, 0)) == fleet.step(state, (wish.packed, Wish()))

    class Other(Command):
        fire: bool = False

    with pytest.raises(UsageError, match=r"an input is a Wish or the integer of one, not Other\(fire=True\)"):
        fleet.step(state, (Other(fire=True), 0))


PRESSED = st.tuples(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 48) - 1))


@given(st.lists(PRESSED, max_size=20), st.integers(0, 6))
@settings(max_examples=30)
def test_rollback_and_sync_test_end_where_a_straight_run_ends(inputs: list[tuple[int, int]], late: int) -> None:
    straight = Fleet()
    straight.reset(1)
    for row in inputs:
        straight._advance(row)
    fleet = Fleet()
    engine = RollbackEngine(fleet, fleet.initial_state(1), local_player=0, history=64)
    for frame, row in enumerate(inputs):
        engine.advance(Wish.unpack(row[0]))
        if frame >= late:
            engine.add_remote_inputs(1, frame - late, [Wish.unpack(inputs[frame - late][1])])
    for frame in range(max(0, len(inputs) - late), len(inputs)):
        engine.add_remote_inputs(1, frame, [inputs[frame][1]])
    assert fleet.checksum(engine.state) == straight.checksum()
    fleet = Fleet()
    test = SyncTest(fleet, fleet.initial_state(1), distance=4)
    for row in inputs:
        test.advance([Wish.unpack(value) for value in row])


def test_recordings_hold_the_integers_and_are_verified() -> None:
    fleet = Fleet()
    state = fleet.initial_state(3)
    rows = [(Wish(turn=frame / 60, fire=frame % 3 == 0), Wish.unpack(frame * 1234567)) for frame in range(60)]
    for row in rows:
        state = fleet.step(state, row)
    frames = [tuple(wish.packed for wish in row) for row in rows]
    match = Replay(seed=3, frames=frames, input_size=Wish.size, game_id=fleet.game_id)
    assert {type(value) for row in frames for value in row} == {int}
    assert verify(match, Fleet(), expected_checksum=fleet.checksum(state)).ok


def test_a_match_of_two_sessions_takes_what_press_functions_wish() -> None:
    def press(player: int, state: Any) -> Wish:
        return Wish(turn=0.25 - player, fire=len(state.saved) % 2 == 0, gear=Gear.FORWARD)

    match = two_peers(Fleet, press=press)
    match.play(120)
    assert match.verify(120)
