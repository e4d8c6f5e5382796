"""Hypothesis strategies: what players press, and when it arrives."""

from typing import Any, NamedTuple

from hypothesis import strategies as st

from retick.sim.contract import input_size_of


class InputArrival(NamedTuple):
    """A batch of one player's inputs that arrives after a frame was advanced."""

    player: int
    first: int
    size: int


def input_rows(game: Any, *, min_frames: int = 1, max_frames: int = 120) -> st.SearchStrategy[list[tuple[int, ...]]]:
    """Rows of inputs: one row per frame, one input per player, biased to the low buttons."""
    full = (1 << (8 * input_size_of(game))) - 1
    one = st.one_of(st.integers(0, 15), st.integers(0, full))
    return st.lists(st.tuples(*[one] * game.num_players), min_size=min_frames, max_size=max_frames)


@st.composite
def arrival_schedules(
    draw: st.DrawFn, *, players: int, frames: int, history: int, local_player: int = 0
) -> list[list[InputArrival]]:
    """For each frame, the batches that arrive after it was advanced.

    Batches are late, early, repeated, overlapping, out of order and full of gaps, but every input arrives in time for
    a rollback: at most ``history - 1`` frames after its own, or after the last frame.
    """
    due: list[list[InputArrival]] = [[] for _ in range(frames)]
    for player in range(players):
        if player == local_player:
            continue
        first = 0
        while first < frames:
            count = min(draw(st.integers(1, 6)), frames - first)
            latest = min(first + history - 1, frames - 1)
            due[draw(st.integers(max(first - 3, 0), latest))].append(InputArrival(player, first, count))
            for _ in range(draw(st.integers(0, 1))):
                due[draw(st.integers(max(first - 3, 0), frames - 1))].append(InputArrival(player, first, count))
            first += count
    return [draw(st.permutations(batches)) for batches in due]
