"""A game of the user's own: plain Python, with values that are no integers, and a frame on which it fails."""

from collections.abc import Iterable, Sequence
from typing import Any

FAILS_AT = 5000


class Slow:
    """Adds up inputs."""

    game_id = "tests.slow"
    game_version = 1
    num_players = 2
    input_size = 2

    def initial_state(self, seed: int) -> tuple[int, int]:
        return 0, seed

    def step(self, state: tuple[int, int], inputs: Sequence[int], /) -> tuple[int, int]:
        if state[0] == FAILS_AT:
            raise ZeroDivisionError("no such frame")
        return state[0] + 1, (state[1] * 31 + sum(inputs)) % 1_000_003

    def checksum(self, state: tuple[int, int]) -> int:
        return state[0] * 1_000_003 + state[1] & 0xFFFFFFFF

    def fields(self, state: tuple[int, int]) -> Iterable[tuple[str, Any]]:
        return (("frame", state[0]), ("share", state[1] / 4), ("words", ["x"] * 300), ("total", state[1]))
