"""Shrinking a failure of the sync test."""

from retick.errors import DeterminismError
from retick.testing import determinism


class Thorny:
    """Counts its own calls, and breaks where an input is left out."""

    num_players = 1

    def __init__(self) -> None:
        self.calls = 0

    def initial_state(self, seed: int) -> tuple[int, int]:
        return (0, 0)

    def step(self, state: tuple[int, int], inputs: tuple[int]) -> tuple[int, int]:
        if inputs[0] != state[0] + 1:
            raise RuntimeError("out of order")
        self.calls += 1
        return (state[0] + 1, self.calls if state[0] >= 5 else 0)

    def checksum(self, state: tuple[int, int]) -> int:
        return state[1]

    def fields(self, state: tuple[int, int]) -> list[tuple[str, int]]:
        return [("calls", state[1])]


def test_shrinking_steps_over_inputs_on_which_the_game_breaks_otherwise() -> None:
    rows = [(frame + 1,) for frame in range(10)]
    failure = determinism.Failure(seed=1, inputs=rows, error=DeterminismError("calls", frame=6))
    assert determinism.shrink(Thorny, failure, distance=3).inputs == rows[:6]
