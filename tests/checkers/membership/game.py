"""The game of the model: its state is what everyone pressed last, so it never grows.

Every player presses its seat's number plus one in every frame. Neutral input is 0: a row of inputs shows who played.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

__all__ = ["Seats", "seats_game"]


class Seats:
    """A game for any number of players, of which nothing is left but who plays."""

    def __init__(self, num_players: int) -> None:
        self.num_players = num_players

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return seats_game, (self.num_players,)

    def initial_state(self, seed: int) -> tuple[int, ...]:
        return (0,) * self.num_players

    def step(self, state: tuple[int, ...], inputs: Sequence[int]) -> tuple[int, ...]:
        return tuple(inputs)

    def checksum(self, state: tuple[int, ...]) -> int:
        return sum(value << 4 * player for player, value in enumerate(state))

    def fields(self, state: tuple[int, ...]) -> Iterator[tuple[str, int]]:
        return ((f"pressed[{player}]", value) for player, value in enumerate(state))

    def reload(self, state: tuple[int, ...]) -> tuple[int, ...]:
        return state

    def pack_state(self, state: tuple[int, ...]) -> bytes:
        return bytes(state)

    def unpack_state(self, data: bytes) -> tuple[int, ...]:
        return tuple(data)


@cache
def seats_game(num_players: int) -> Seats:
    """The one game for so many players."""
    return Seats(num_players)
