"""Is a game deterministic? Runs it through the sync test, and shrinks a failure until it can be read."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from retick.errors import DeterminismError
from retick.sim.contract import located
from retick.sim.fields import FieldDifference, canonical_text, field_differences
from retick.sim.prng import seeded_inputs
from retick.testing.elsewhere import Elsewhere

# Values are compared as canonical text, so that equal values look equal in every process.


class Observation(NamedTuple):
    """The checksum and the fields of one state, as the checks compare them."""

    checksum: int
    fields: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """A hash of all fields: sixteen hexadecimal digits."""
        return hashlib.blake2b(repr(self.fields).encode(), digest_size=8).hexdigest()

    def differences(self, other: "Observation") -> tuple[FieldDifference, ...]:
        """The fields that differ, their values as text."""
        return field_differences(self.fields, other.fields)


def observe(game: Any, state: Any) -> Observation:
    """Read the checksum and the fields of ``state``."""
    fields = ((str(name), canonical_text(value)) for name, value in game.fields(state))
    return Observation(game.checksum(state), tuple(fields))


Rows = list[tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Inputs with which a game does not repeat itself."""

    seed: int
    """Given to ``initial_state``."""
    inputs: Rows
    """One row a frame, one input a player; the failure was found after the last row."""
    error: DeterminismError
    """The frame, and the fields that differed there; frame -1 is the initial state."""
    compared: tuple[str, str] = ("first", "again")
    """Names of the two runs whose values ``error`` compares."""

    def __str__(self) -> str:
        rows = "\n".join(f"  frame {frame}: {row}" for frame, row in enumerate(self.inputs))
        return f"{self.error}\nseed {self.seed}, inputs:\n{rows}"


def _fresh(game: Any) -> Any:
    """A new instance from a class or factory; an instance is used as it is."""
    return game if hasattr(game, "step") and not isinstance(game, type) else game()


def failure_in(game: Any, rows: Rows, seed: int, *, distance: int = 7, first: int = 0) -> Failure | None:
    """Look for non-determinism in one match; None if there is none.

    The initial state is made twice. From frame ``first`` on, the state given to ``step`` is read before and after the
    call, and after every frame the last ``distance`` frames are run again. The whole match is also run once more at
    another time and by another user, see ``retick.testing.elsewhere``.
    """
    first = max(first - distance, 0)
    return (
        _two_initial_states(game, seed)
        or _changed_argument(game, rows, seed, first)
        or _frame_run_again(game, rows, seed, distance, first)
        or _frame_run_elsewhere(game, rows, seed, first)
    )


def _two_initial_states(game: Any, seed: int) -> Failure | None:
    sim, other = _fresh(game), _fresh(game)
    with located(-1, seed):
        made = observe(sim, sim.initial_state(seed))
    again = observe(other, other.initial_state(seed))
    if made == again:
        return None
    text = f"initial_state({seed}) gave two different states"
    return Failure(seed=seed, inputs=[], error=_error(text, -1, made.differences(again)))


def _changed_argument(game: Any, rows: Rows, seed: int, first: int) -> Failure | None:
    sim = _fresh(game)
    state = _run_until(sim, rows, seed, first)
    for frame in range(first, len(rows)):
        before = observe(sim, state)
        after = _stepped(sim, state, rows, seed, frame)
        if (now := observe(sim, state)) != before:
            text = f"step changed the state that it was given in frame {frame}; it must return a new one"
            error = _error(text, frame, before.differences(now))
            return Failure(seed=seed, inputs=rows[: frame + 1], error=error, compared=("before step", "after step"))
        state = after
    return None


def _frame_run_again(game: Any, rows: Rows, seed: int, distance: int, first: int) -> Failure | None:
    from retick.rollback.engine.engine import SyncTest  # here, since processes that only observe a game have no engine

    sim = _fresh(game)
    test = SyncTest(sim, _run_until(sim, rows, seed, first), distance=distance)
    for frame in range(first, len(rows)):
        try:
            with located(frame, seed, rows[frame]):
                test.advance(rows[frame])
        except DeterminismError as error:
            at = first + error.frame
            found = _error(f"frame {at} came out differently when it was run again", at, error.differences)
            return Failure(seed=seed, inputs=rows[: frame + 1], error=found)
    return None


def _frame_run_elsewhere(game: Any, rows: Rows, seed: int, first: int) -> Failure | None:
    """Run the match twice side by side, the second time at another time and by another user."""
    sim, other, elsewhere = _fresh(game), _fresh(game), Elsewhere()
    with elsewhere, located(-1, seed):
        there = other.initial_state(seed)
    here = sim.initial_state(seed)
    for frame in range(-1, len(rows)):
        if frame >= 0:
            here = _stepped(sim, here, rows, seed, frame)
            with elsewhere:
                there = _stepped(other, there, rows, seed, frame)
        if frame >= first - 1 and sim.checksum(here) != other.checksum(there):
            differences = observe(sim, here).differences(observe(other, there))
            what = "the initial state" if frame < 0 else f"frame {frame}"
            text = f"{what} came out differently at another time, by another user (a clock, or the environment)"
            error = _error(text, frame, differences)
            return Failure(seed=seed, inputs=rows[: frame + 1], error=error, compared=("here", "elsewhere"))
    return None


def _run_until(sim: Any, rows: Rows, seed: int, frame: int) -> Any:
    state = sim.initial_state(seed)
    for number in range(frame):
        state = _stepped(sim, state, rows, seed, number)
    return state


def _stepped(sim: Any, state: Any, rows: Rows, seed: int, frame: int) -> Any:
    with located(frame, seed, rows[frame]):
        return sim.step(state, rows[frame])


def _error(text: str, frame: int, differences: Sequence[tuple[str, object, object]]) -> DeterminismError:
    named = "; ".join(f"{name}: {one} and {two}" for name, one, two in differences[:8])
    whole = f"{text}: {named or 'no named field differs'}"
    return DeterminismError(whole, frame=frame, differences=tuple(differences))


def _still_fails(game: Any, rows: Rows, seed: int, distance: int) -> Failure | None:
    try:
        return failure_in(game, rows, seed, distance=distance)
    except Exception:  # what a game raises on other inputs is not the failure that is shrunk
        return None


def random_inputs(game: Any, frames: int, seed: int) -> Rows:
    """Make ``frames`` rows of inputs from a seed, one input per player; each input is held for 1 to 12 frames."""
    return list(seeded_inputs(game, seed, frames))


def find_failure(game: Any, *, frames: int = 600, seed: int = 1, distance: int = 7) -> Failure | None:
    """Run ``frames`` of random inputs through the sync test; return the first failure, not shrunk, or None."""
    return failure_in(game, random_inputs(_fresh(game), frames, seed), seed, distance=distance)


def shrink(
    game: Any, failure: Failure, *, distance: int = 7, tries: int = 2000, tell: Callable[[int], None] | None = None
) -> Failure:
    """Find a shorter and simpler run that still fails: leave out frames, then set inputs to 0.

    ``tell`` is called with the number of frames left whenever it falls. ``tries`` bounds the runs that are made; a run
    of more than 100 frames counts as several.
    """
    # One frame run again shows most failures, and takes a third of the time.
    distance = 1 if _still_fails(game, failure.inputs, failure.seed, 1) else distance
    left = tries
    size = max(len(failure.inputs) // 2, 1)
    while size and left > 0:
        at = 0
        while at < len(failure.inputs) and left > 0:
            left -= _cost(failure)
            smaller = _still_fails(game, failure.inputs[:at] + failure.inputs[at + size :], failure.seed, distance)
            if smaller is None:
                at += size
                continue
            failure = smaller
            if tell is not None:
                tell(len(failure.inputs))
        size //= 2
    return _clear_inputs(game, failure, distance, left)


def _cost(failure: Failure) -> int:
    return 1 + len(failure.inputs) // 100


def _clear_inputs(game: Any, failure: Failure, distance: int, left: int) -> Failure:
    """Set each input to 0 if the run still fails without it."""
    for frame in range(len(failure.inputs)):
        for player in range(len(failure.inputs[0])):
            if frame >= len(failure.inputs) or not failure.inputs[frame][player] or left <= 0:
                continue
            left -= _cost(failure)
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
