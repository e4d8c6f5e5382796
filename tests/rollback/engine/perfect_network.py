"""An engine on a seed that all tests here share, and what a perfect network would have given."""

from typing import Any

from retick.rollback import RollbackEngine

SEED = 7


def straight(sim: Any, inputs: list[list[int]]) -> Any:
    """The state after ``inputs[player][frame]`` with a perfect network."""
    state = sim.initial_state(SEED)
    for frame_inputs in zip(*inputs, strict=True):
        state = sim.step(state, frame_inputs)
    return state


def engine(sim: Any, **options: Any) -> RollbackEngine:
    options.setdefault("local_player", 0)
    return RollbackEngine(sim, sim.initial_state(SEED), **options)
