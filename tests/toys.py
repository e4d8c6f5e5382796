"""Small games that the tests share: honest ones, and ones that cheat in the ways games do."""

import random
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from retick.errors import InvalidValue
from retick.sim.checksum import fnv1a

MASK = 0xFFFFFFFF


class TallyState(NamedTuple):
    """Every input leaves a trace that no later input can take back, so that no mistake cancels out."""

    frame: int
    mixed: int
    totals: tuple[int, ...]


class Tally:
    """Any number of players; order of inputs, of players and of frames all matter to its state."""

    def __init__(self, num_players: int = 2) -> None:
        self.num_players = num_players

    def initial_state(self, seed: int) -> TallyState:
        return TallyState(0, seed & MASK, (0,) * self.num_players)

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        mixed = state.mixed
        for player, value in enumerate(inputs):
            mixed = (mixed * 0x01000193 ^ (value + (player << 16)) * 0x9E3779B1) & MASK
        totals = tuple(total + value for total, value in zip(state.totals, inputs, strict=True))
        return TallyState(state.frame + 1, mixed, totals)

    def checksum(self, state: TallyState) -> int:
        return fnv1a((state.frame, state.mixed, *state.totals))

    def pack_state(self, state: TallyState) -> bytes:
        return struct.pack(f"<II{self.num_players}Q", state.frame, state.mixed, *state.totals)

    def unpack_state(self, data: bytes) -> TallyState:
        if len(data) != 8 + 8 * self.num_players:
            raise InvalidValue(f"a tally of {self.num_players} players is not {len(data)} bytes long")
        frame, mixed, *totals = struct.unpack(f"<II{self.num_players}Q", data)
        return TallyState(frame, mixed, tuple(totals))

    def fields(self, state: TallyState) -> Iterator[tuple[str, int]]:
        yield "frame", state.frame
        yield "mixed", state.mixed
        for player, total in enumerate(state.totals):
            yield f"totals[{player}]", total


class TallyWorld:
    """The same game as a mutable world, counting its saves and loads."""

    def __init__(self, num_players: int = 2) -> None:
        self.num_players = num_players
        self.game = Tally(num_players)
        self.state = self.game.initial_state(1)
        self.saves = self.loads = 0

    def reset(self, seed: int) -> None:
        self.state = self.game.initial_state(seed)

    def advance(self, inputs: Sequence[int]) -> None:
        self.state = self.game.step(self.state, inputs)

    def save(self) -> bytes:
        self.saves += 1
        return repr(tuple(self.state)).encode()

    def load(self, saved: bytes) -> None:
        self.loads += 1
        frame, mixed, totals = (int(n) if "(" not in n else n for n in _split(saved.decode()))
        self.state = TallyState(int(frame), int(mixed), tuple(int(n) for n in str(totals)[1:-1].split(",") if n))

    def fields(self) -> Iterator[tuple[str, Any]]:
        return self.game.fields(self.state)


def _split(text: str) -> tuple[str, str, str]:
    frame, mixed, totals = text[1:-1].split(", ", 2)
    return frame, mixed, totals


class CheatsWithAGlobal(Tally):
    """Reads and writes something that belongs to the class and not to the state."""

    calls = 0

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        type(self).calls += 1
        after = super().step(state, inputs)
        return after._replace(totals=(after.totals[0] + self.calls % 2, *after.totals[1:]))


class CheatsWithRandom(Tally):
    """Draws from the process's generator."""

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        return super().step(state, inputs)._replace(mixed=random.getrandbits(32))


class CheatsWithSetOrder(Tally):
    """Walks over a set, whose order depends on how it came to be: a saved and loaded one is built anew."""

    def initial_state(self, seed: int) -> Any:
        # 0 and 64 fall on the same place of a small set: the first one put in comes out first.
        return (0, {64, 0} if seed % 2 else {0, 64})

    def step(self, state: Any, inputs: Sequence[int]) -> Any:
        frame, things = state
        return frame + 1 + next(iter(things)) % 3, things

    def checksum(self, state: Any) -> int:
        return fnv1a((state[0],))

    def fields(self, state: Any) -> Any:
        yield "frame", state[0]

    def pack_state(self, state: Any) -> bytes:
        return bytes([state[0] & 255, state[0] >> 8, *sorted(state[1])])

    def unpack_state(self, data: bytes) -> Any:
        things: set[int] = set()
        for thing in data[2:]:
            things.add(thing)
        return data[0] + (data[1] << 8), things


class CheatsWithAFloatSum(Tally):
    """Carries a float sum that its packed state rounds away."""

    def initial_state(self, seed: int) -> Any:
        return (0, 0.0)

    def step(self, state: Any, inputs: Sequence[int]) -> Any:
        return state[0] + 1, state[1] + 0.1 + inputs[0] / 3

    def checksum(self, state: Any) -> int:
        return fnv1a((state[0], int(state[1] * 1000)))

    def fields(self, state: Any) -> Any:
        yield "frame", state[0]
        yield "sum", int(state[1] * 1000)

    def pack_state(self, state: Any) -> bytes:
        return f"{state[0]},{state[1]:.3f}".encode()

    def unpack_state(self, data: bytes) -> Any:
        frame, total = data.decode().split(",")
        return int(frame), float(total)


class CheatsWithAnUnsavedAttribute(TallyWorld):
    """Forgets to save a part of its world."""

    def __init__(self) -> None:
        super().__init__(2)
        self.combo = 0

    def advance(self, inputs: Sequence[int]) -> None:
        self.combo += inputs[0] & 1
        super().advance((inputs[0] + self.combo, inputs[1]))


CHEATS_ON_ITS_OWN = (CheatsWithAGlobal, CheatsWithRandom, CheatsWithSetOrder, CheatsWithAFloatSum)
