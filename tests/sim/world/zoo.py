"""A world with a field of every kind, driven by its inputs, for the laws."""

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import Annotated

from retick.sim import (
    F64,
    I8,
    I16,
    I32,
    I64,
    NOBODY,
    U8,
    U16,
    U32,
    U64,
    Angle,
    Cache,
    Cooldown,
    Dice,
    FRect,
    Jumps,
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
    jump,
)
from retick.sim.world import WorldState


class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"
    ASLEEP = None


class Size(IntEnum):
    SMALL = 10
    LARGE = 20


class Spot(Thing):
    x: Annotated[F64, Range(0, 640, step=1 / 16)] = 0.0
    y: F64 = 0.0


class Flea(Thing):
    jump: I8 = -1
    host: Ref["Animal"] = None


class Animal(Thing):
    name: U32
    spot: Spot
    heading: Angle = 0.0
    mood: Mood = Mood.CALM
    size: Size = Size.LARGE
    hunger: Annotated[U8, OwnerOnly] = 3
    burrow: Spot | None = None
    fed: U16 | None = None
    friend: Ref["Animal"] = None
    fleas: Annotated[list[Flea], Most(2)]
    tricks: Annotated[list[I16], Most(3)]
    tame: bool = False
    at: Vector2 = Vector2(3, -4)
    cage: Rect | None = None
    shade: FRect = FRect(0, 0, 1, 1)
    trail: Annotated[list[Vector2], Most(3)]
    sign: Annotated[str, Most(12)] = "z\u00f6"
    nickname: str | None = None
    weight: float = 1.5
    age: int = 0
    keeper: Player = NOBODY
    jumps: Jumps
    bite: Cooldown


class Zoo(World):
    num_players = 2
    animals: Annotated[list[Animal], Most(4)]
    guards: Annotated[list[Spot], Most(2)]
    dice: Annotated[Dice, ServerOnly]
    weight: I64
    visitors: U64
    best: F64 | None
    moods: Annotated[list[Mood], Most(4)]
    open: bool
    left: I32
    by_name: Cache[dict[int, int] | None]

    def start(self, seed: int) -> None:
        self.dice.seed(seed)
        self.animals.append(Animal(name=1))

    def join(self, player: int) -> None:
        self.animals[0].keeper = player
        self.animals[0].spot.y += player + 0.5
        self.cue("hello", player)

    def rebuild(self) -> None:
        self.by_name = {animal.name: index for index, animal in enumerate(self.animals)}

    def advance(self, inputs: Sequence[int]) -> None:
        """Each input is an operation and its argument."""
        for player, pressed in enumerate(inputs):
            self.do(pressed & 15, pressed >> 4, player)
        self.visitors = (self.visitors * 6364136223846793005 + 1) & 0xFFFFFFFFFFFFFFFF
        self.weight = -self.weight - 1
        self.rebuild()

    def do(self, what: int, argument: int, player: int) -> None:
        animals = self.animals
        one = animals[argument % len(animals)] if animals else None
        if what == 0 and len(animals) < 4:
            animals.append(Animal(name=self.dice.below(100), hunger=argument & 255, friend=one))
            self.cue("born", animals[-1].name)
        elif one is None:
            self.left += 1
        elif what == 1:
            animals.remove(one)
            self.cue("left", one.name)
        elif what == 2:
            one.spot.x += one.heading * 0.1 + self.dice.uniform(-1, 1)
            one.heading = one.heading / 3 - argument
            one.at += Vector2(argument, 1).rotate(argument) * 0.1
            one.weight = one.at.length()
            if one.bite.use(every=argument % 5 + 1, burst=3):
                one.spot.y = -one.spot.y
                jump(one)
        elif what == 3:
            one.mood = list(Mood)[argument % 3]
            one.size = list(Size)[argument % 2]
            one.tame = not one.tame
            one.shade.center = one.at
            one.nickname = None if one.tame else "no. " + "x" * (argument & 63)
        elif what == 4:
            one.burrow = None if one.burrow else Spot(x=argument, y=-0.0)
        elif what == 5:
            one.fed = None if argument & 1 else argument
            one.cage = None if argument & 1 else Rect(one.at, (argument, 7)).move(-9, 0)
            one.age -= argument
        elif what == 6:
            one.bite.rest()
            one.keeper = player
            one.friend = animals[player % len(animals)]
        elif what == 7 and len(one.fleas) < 2:
            one.fleas.append(Flea(jump=argument % 100, host=one))
        elif what == 8:
            one.fleas[:] = one.fleas[1:]
        elif what == 9:
            one.tricks = [*one.tricks, argument][-3:]
            one.trail = [*one.trail, one.at][-3:]
            one.sign = f"{argument}\u20ac"
        elif what == 10:
            animals[0], animals[-1] = animals[-1], animals[0]
        elif what == 11:
            animals.sort(key=lambda animal: animal.name)
        elif what == 12:
            self.guards = [*self.guards, Spot(x=argument)][-2:]
        elif what == 13:
            self.best = None if self.best else 1 / (argument + 1)
            self.moods = [animal.mood for animal in animals]
        elif what == 14 and one.friend is not None:
            one.friend.hunger = (one.friend.hunger + 1) & 255
            one.name = (self.by_name or {}).get(one.name, 0)
        else:
            self.open = not self.open


def played(inputs: Sequence[Sequence[int]], seed: int = 1) -> tuple[Zoo, list[WorldState]]:
    """A zoo, and its states before each frame and after the last."""
    zoo = Zoo()
    states = [zoo.initial_state(seed)]
    for pressed in inputs:
        states.append(zoo.step(states[-1], pressed))
    return zoo, states


def story(inputs: Sequence[Sequence[int]], seed: int) -> list[str]:
    """Everything about a match, for the comparison of two processes."""
    zoo, states = played(inputs, seed)
    told = [f"{zoo.checksum(state)} {state.saved!r} {state.cues!r}" for state in states]
    return [*told, repr(zoo.fields(states[-1]))]
