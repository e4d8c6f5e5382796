"""States that another peer sends: records of the reference games, a world that loads its own bytes, a declared one."""

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

from fuzz.target import Bug, Target, of
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.sim import F64, I16, U8, Dice, FRect, Most, Record, RecordGame, Rect, Ref, Thing, Vector2, World
from retick.sim.world import WorldSimulation
from retick.sim.world.saved import unpack_world

__all__ = ["TARGETS"]

FIGHTER, SCRAMBLE = Fighter(), Scramble(3)


class _Tally:
    """The smallest world whose saves are bytes."""

    num_players = 2

    def __init__(self) -> None:
        self.sums = [0, 0]

    def reset(self, seed: int) -> None:
        self.sums = [seed, 0]

    def advance(self, inputs: Sequence[int]) -> None:
        self.sums = [total + pressed for total, pressed in zip(self.sums, inputs, strict=True)]

    def save(self) -> bytes:
        return b"".join(total.to_bytes(8, "little") for total in self.sums)

    def load(self, saved: bytes) -> None:
        if len(saved) != 16:
            raise IndexError(len(saved))  # a game may raise anything
        self.sums = [int.from_bytes(saved[:8], "little"), int.from_bytes(saved[8:], "little")]

    def fields(self) -> list[tuple[str, int]]:
        return [(f"p{player}", total) for player, total in enumerate(self.sums)]


WORLD: Any = WorldSimulation(_Tally())


class _Mode(Enum):
    IDLE, BUSY, GONE = range(3)


class _Spot(Thing):
    x: F64 = 0.0


class _Part(Thing):
    size: I16 = -2
    other: Ref["_Part"] = None


class _Item(Thing):
    mode: _Mode = _Mode.BUSY
    on: bool = True
    some: U8 | None = 3
    at: _Spot
    maybe: _Spot | None
    to: Ref["_Item"] = None
    parts: Annotated[list[_Part], Most(2)]
    pos: Vector2 = Vector2(1, -2)
    box: Rect | None = None
    soft: FRect = FRect(0, 0, 1, 1)
    trail: Annotated[list[Vector2], Most(2)]
    name: Annotated[str, Most(4)] = "\u00e9"
    title: str | None = None


class _Declared(World):
    """A world with a field of every kind."""

    num_players = 2
    items: Annotated[list[_Item], Most(3)]
    values: Annotated[list[I16], Most(3)]
    dice: Dice

    def advance(self, inputs: Sequence[int], /) -> None:
        self.values.append(inputs[0]) if len(self.values) < 3 else self.values.clear()
        for item in self.items:
            if item.to is not None:
                item.to.on = not item.on
        self.items = self.items[1:]

    def filled(self) -> "_Declared":
        self.items = [_Item(parts=[_Part()]), _Item(maybe=_Spot(x=1.5), box=(1, 2, -3, 4), trail=[(0, 1)], title="abc")]
        self.items[0].to = self.items[1]
        self.items[0].parts[0].other = self.items[0].parts[0]
        self.values = [1, -2]
        return self


DECLARED = _Declared()


def _law_of_worlds(data: bytes, state: Any) -> None:
    """Check that a checked state can be loaded and stepped, and saves the same bytes."""
    DECLARED.load(data)
    if DECLARED.save() != data or state.saved != data:
        raise Bug("what was read does not write the same")
    DECLARED.checksum(DECLARED.step(state, (data[0], data[1])))


class _Shots(Record):
    mode: _Mode = _Mode.IDLE
    on: bool = False
    spots: Annotated[tuple[F64, ...], Most(2)] = (1.5,)


class _Recorded(RecordGame):
    """A game over one record."""

    num_players = 2

    def initial_state(self, seed: int) -> _Shots:
        return _Shots()


RECORDED = _Recorded()


def _law_of_steps(data: bytes, state: Any) -> None:
    """Step, compare and pack a state from outside."""
    if FIGHTER.pack_state(state) != data:
        raise Bug("what was read does not write the same")
    FIGHTER.checksum(FIGHTER.step(state, (data[0], data[1])))


def _law_of_more_steps(data: bytes, state: Any) -> None:
    if SCRAMBLE.pack_state(state) != data:
        raise Bug("what was read does not write the same")
    SCRAMBLE.checksum(SCRAMBLE.step(state, (data[0], data[1], data[2])))


TARGETS: tuple[Target, ...] = (
    of("state/fighter", FIGHTER.unpack_state, FIGHTER.pack_state(FIGHTER.initial_state(1)), law=_law_of_steps,
       also=(FIGHTER.state_type.from_bytes,)),
    of("state/scramble", SCRAMBLE.unpack_state, SCRAMBLE.pack_state(SCRAMBLE.initial_state(1)),
       law=_law_of_more_steps),
    of("state/declared", DECLARED.unpack_state, _Declared().save(), _Declared().filled().save(), law=_law_of_worlds,
       also=(World.load, unpack_world), show=lambda state: repr(state.saved)),
    of("state/record", RECORDED.unpack_state, RECORDED.pack_state(_Shots()), write=RECORDED.pack_state),
    of("state/world", WORLD.unpack_state, bytes(16), show=lambda state: repr(state.saved)),
)  # fmt: skip
