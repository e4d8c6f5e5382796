"""Is a game deterministic? Runs it through the sync test, and shrinks a failure until it can be read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from retick.errors import DeterminismError
from retick.rollback.engine.synctest import SyncTest
from retick.sim.seeded_inputs import seeded_inputs

__all__ = ["Failure", "assert_deterministic", "find_failure", "random_inputs", "shrink"]

Rows = list[tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Inputs with which a game does not repeat itself."""

    seed: int
    """Given to ``initial_state``."""
    inputs: Rows
    """One row a frame, one input a player; the failure was found after the last row."""
    error: DeterminismError
    """The frame, and the fields that differed there."""

    def __str__(self) -> str:
        rows = "\n".join(f"  frame {frame}: {row}" for frame, row in enumerate(self.inputs))
        return f"{self.error}\nseed {self.seed}, inputs:\n{rows}"


def _fresh(game: Any) -> Any:
    """A new instance from a class or factory; an instance is used as it is."""
    return game if hasattr(game, "step") and not isinstance(game, type) else game()


def _fails(game: Any, rows: Rows, seed: int, distance: int) -> Failure | None:
    sim = _fresh(game)
    test = SyncTest(sim, sim.initial_state(seed), distance=distance)
    for count, row in enumerate(rows, start=1):
        try:
            test.advance(row)
        except DeterminismError as error:
            return Failure(seed=seed, inputs=rows[:count], error=error)
        except Exception as error:
            error.add_note(f"in frame {count - 1} of the run with seed {seed}, with the inputs {row}")
            raise
    return None


def _still_fails(game: Any, rows: Rows, seed: int, distance: int) -> Failure | None:
    try:
        return _fails(game, rows, seed, distance)
    except Exception:  # what a game raises on other inputs is not the failure that is shrunk
        return None


def random_inputs(game: Any, frames: int, seed: int) -> Rows:
    """``frames`` rows of one input a player, from one seed; each input is held for 1 to 12 frames."""
    return list(seeded_inputs(game, seed, frames))


def find_failure(game: Any, *, frames: int = 600, seed: int = 1, distance: int = 7) -> Failure | None:
    """Run ``frames`` of random inputs through the sync test; the first failure, not shrunk, or None."""
    return _fails(game, random_inputs(_fresh(game), frames, seed), seed, distance)


def shrink(
    game: Any, failure: Failure, *, distance: int = 7, tries: int = 2000, tell: Callable[[int], None] | None = None
) -> Failure:
    """A shorter and simpler run that still fails: frames are left out, then inputs are set to 0.

    ``tell`` is called with the number of frames left whenever that number falls.
    """
    left = tries
    size = max(len(failure.inputs) // 2, 1)
    while size and left > 0:
        at = 0
        while at < len(failure.inputs) and left > 0:
            left -= 1
            smaller = _still_fails(game, failure.inputs[:at] + failure.inputs[at + size :], failure.seed, distance)
            if smaller is None:
                at += size
                continue
            failure = smaller
            if tell is not None:
                tell(len(failure.inputs))
        size //= 2
    return _clear_inputs(game, failure, distance, left)


def _clear_inputs(game: Any, failure: Failure, distance: int, left: int) -> Failure:
    """Set one input after the other to 0 if the run still fails then."""
    for frame in range(len(failure.inputs)):
        for player in range(len(failure.inputs[0])):
            if frame >= len(failure.inputs) or not failure.inputs[frame][player] or left <= 0:
                continue
            left -= 1
            rows = list(failure.inputs)
            row = list(rows[frame])
            row[player] = 0
            rows[frame] = tuple(row)
            failure = _still_fails(game, rows, failure.seed, distance) or failure
    return failure


def assert_deterministic(game: Any, *, frames: int = 300, distance: int = 7, seeds: Sequence[int] = (1, 2, 3)) -> None:
    """AssertionError with the shortest run found if ``game`` (a class, factory or instance) does not repeat itself."""
    for seed in seeds:
        failure = find_failure(game, frames=frames, seed=seed, distance=distance)
        if failure is not None:
            raise AssertionError(str(shrink(game, failure, distance=distance)))
