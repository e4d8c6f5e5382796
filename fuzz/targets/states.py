"""States that another peer sends: records of the reference games, and a world that loads its own bytes."""

from collections.abc import Sequence
from typing import Any

from fuzz.target import Bug, Target, of
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.sim.world import WorldSimulation

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


def _law_of_steps(data: bytes, state: Any) -> None:
    """A state from outside is stepped, compared and packed like any other."""
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
    of("state/world", WORLD.unpack_state, bytes(16), show=lambda state: repr(state.saved)),
)  # fmt: skip
