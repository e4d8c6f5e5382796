"""Small games as source text, so that tests know their lines: builds that differ in one place each."""

from pathlib import Path

BOX = '''\
"""A box that players push; states are named tuples."""

from typing import NamedTuple

from retick.sim.checksum import fnv1a

SPEED = 40


class State(NamedTuple):
    frame: int
    x: int
    y: int


class Game:
    num_players = 2

    def initial_state(self, seed):
        return State(0, seed % 7, 0)

    def step(self, state, inputs):
        x = self.pushed(state.x, inputs[0])
        y = state.y
        if inputs[1] >= 3:
            y = y + 5
        else:
            y = y - 1
        return state._replace(frame=state.frame + 1, x=x, y=y)

    def pushed(self, x, button):
        # Players push to the right.
        far = x + SPEED * (button & 3)
        return far % 100000

    def checksum(self, state):
        return fnv1a(state)

    def fields(self, state):
        return state._asdict().items()

    def pack_state(self, state):
        return ",".join(map(str, state)).encode()

    def unpack_state(self, data):
        return State(*map(int, data.split(b",")))
'''

RECORD = '''\
"""Two ships in a record of records: the whole state is built in one statement at the end."""

from retick.sim import I32, U32, Record


class Ship(Record):
    x: I32
    fuel: I32


class Duel(Record):
    frame: U32
    a: Ship
    b: Ship
    score: I32
    wind: I32
    gusts: I32


class Game:
    num_players = 2

    def initial_state(self, seed):
        ship = Ship(x=0, fuel=1000)
        return Duel(frame=0, a=ship, b=ship, score=0, wind=1, gusts=0)

    def step(self, state, inputs):
        ships = [state.a, state.b]
        for number, pressed in enumerate(inputs):
            ships[number] = ships[number].replace(x=ships[number].x + 3 * (pressed & 1) + 100)
        other = ships[1]
        other = other.replace(fuel=other.fuel - 7)
        return state.replace(
            frame=state.frame + 1,
            a=ships[0],
            b=other,
            score=state.score + inputs[0] * 2,
            wind=self.blown(state),
        )

    def blown(self, state):
        return state.wind * 5 % 9973

    def checksum(self, state):
        return state.checksum()

    def fields(self, state):
        return state.fields()

    def pack_state(self, state):
        return state.to_bytes()

    def unpack_state(self, data):
        return Duel.from_bytes(data)
'''

WORLD = '''\
"""A mutable world with an attribute that it may forget to save."""

from retick.sim.world import WorldSimulation


class Pit:
    num_players = 2

    def __init__(self):
        self.reset(1)

    def reset(self, seed):
        self.gold = seed
        self.depth = 0

    def advance(self, inputs):
        self.depth += 1
        self.dig(inputs[0])
        self.gold = self.gold + inputs[1]

    def dig(self, power):
        if power > 3:
            self.gold -= 7

    def save(self):
        return f"{self.gold},{self.depth}".encode()

    def load(self, saved):
        self.gold, self.depth = map(int, saved.split(b","))

    def fields(self):
        return [("gold", self.gold), ("depth", self.depth)]


def make():
    return WorldSimulation(Pit())
'''


def line_of(source: str, text: str) -> int:
    """The number of the one line that reads ``text``."""
    found = [number for number, line in enumerate(source.splitlines(), 1) if line.strip() == text]
    assert len(found) == 1
    return found[0]


def write_build(folder: Path, name: str, source: str, *changes: tuple[str, str]) -> str:
    """A build in a folder of its own, with some text changed; its path."""
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    place = folder / name
    place.mkdir()
    file = place / "rules.py"
    file.write_text(source, encoding="utf-8")
    return str(file)
