"""Games that do not repeat themselves are found, and the run that shows it is made short."""

import datetime as dt
import os
import random
import time
from typing import Any

import pytest

from retick.errors import DeterminismError
from retick.games.fighter import Fighter
from retick.testing import assert_deterministic, determinism, find_failure, shrink
from tests.toys import CHEATS_ON_ITS_OWN, Tally


def test_shrinking_keeps_the_failure_and_drops_the_rest() -> None:
    class BreaksOnSeven(Tally):
        """Only the input 7 of player 1 reaches the state that is not saved."""

        hidden = 0

        def step(self, state: Any, inputs: Any) -> Any:
            after = super().step(state, inputs)
            if inputs[1] == 7:
                type(self).hidden += 1
                after = after._replace(mixed=after.mixed ^ type(self).hidden)
            return after

    failure = find_failure(BreaksOnSeven, frames=600, seed=4)
    assert failure is not None
    assert len(failure.inputs) > 5
    small = shrink(BreaksOnSeven, failure)
    assert small.inputs == [(0, 7)]
    assert "frame 0: (0, 7)" in str(small)


def test_assert_deterministic_fails_with_the_short_run() -> None:
    assert_deterministic(Fighter, frames=60)
    with pytest.raises(AssertionError, match="came out differently"):
        assert_deterministic(CHEATS_ON_ITS_OWN[0], frames=60)


class Clocked(Tally):
    """Asks a clock of seconds, which gives the same answer within a test that takes less."""

    def step(self, state: Any, inputs: Any) -> Any:
        after = super().step(state, inputs)
        return after._replace(mixed=after.mixed ^ int(time.time()) % 2)


class Dated(Tally):
    def initial_state(self, seed: int) -> Any:
        return super().initial_state(seed + dt.date.today().day)


class Personal(Tally):
    def initial_state(self, seed: int) -> Any:
        return super().initial_state(seed + len(os.environ.get("USER", "")))


@pytest.mark.parametrize(("game", "frame"), [(Clocked, 0), (Dated, -1), (Personal, -1)])
def test_what_depends_on_the_time_or_the_user_is_found_within_a_moment(
    game: Any, frame: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if game is Clocked:
        monkeypatch.setattr(time, "time", lambda: 1000.0)
    monkeypatch.setenv("USER", "Ann")
    failure = find_failure(game, frames=60)
    assert failure is not None
    assert "at another time, by another user" in str(failure.error)
    assert failure.compared == ("here", "elsewhere")
    assert failure.error.frame >= frame
    assert failure.error.differences
    small = shrink(game, failure)
    assert len(small.inputs) <= len(failure.inputs)


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


class RandomStart(Tally):
    def initial_state(self, seed: int) -> Any:
        return super().initial_state(seed)._replace(mixed=random.getrandbits(32))


def test_two_different_initial_states_are_found() -> None:
    failure = find_failure(RandomStart, frames=10)
    assert failure is not None
    assert (failure.error.frame, failure.inputs) == (-1, [])
    assert "initial_state(1) gave two different states: mixed: " in str(failure)


class InPlace:
    """Returns the list that it was given, one higher."""

    num_players = 1

    def initial_state(self, seed: int) -> list[int]:
        return [0]

    def step(self, state: list[int], inputs: tuple[int]) -> list[int]:
        state[0] += 1
        return state

    def checksum(self, state: list[int]) -> int:
        return state[0]

    def fields(self, state: list[int]) -> list[tuple[str, int]]:
        return [("count", state[0])]


class ChangesWhatNobodyRunsAgain(InPlace):
    """Marks the state as seen: every later step of it gives the same, and only the state itself shows it."""

    def step(self, state: list[int], inputs: tuple[int]) -> list[int]:
        state[0] = 9
        return [0]


@pytest.mark.parametrize(("game", "after"), [(InPlace, "1"), (ChangesWhatNobodyRunsAgain, "9")])
def test_a_state_that_is_changed_in_place_is_shown_before_and_after(game: Any, after: str) -> None:
    failure = find_failure(game, frames=10)
    assert failure is not None
    assert failure.error.differences == (("count", "0", after),)
    assert failure.compared == ("before step", "after step")
    assert "step changed the state that it was given in frame 0" in str(failure)


def test_only_frames_from_the_given_one_on_are_checked_and_keep_their_numbers() -> None:
    rows = [(frame + 1,) for frame in range(10)]
    assert determinism.failure_in(Thorny, rows[:6], 1, distance=3, first=6) is not None
    failure = determinism.failure_in(Thorny, rows, 1, distance=1, first=8)
    assert failure is not None
    assert failure.error.frame == 8
    assert str(failure.error).startswith("frame 8 came out differently when it was run again: calls: ")
