"""The search reaches what random inputs miss, repeats itself, and ends by itself."""

from typing import Any

import pytest

from retick.audit.input_search import LONGEST, Search, SearchedMatch, SearchResult
from retick.testing.determinism import Failure, failure_in
from tests.audit.cheating_games import Honest
from tests.audit.tank_games import FIRE, RandomRespawn, Tanks, WithBot


class Locked(Honest):
    """Opens for one bit held eight frames, then for another: random inputs hardly get there."""

    def initial_state(self, seed: int) -> Any:
        return (0, 0)

    def step(self, state: Any, inputs: Any) -> Any:
        stage, held = state
        if stage < 4:
            if inputs[0] == 0x100 << stage:
                held += 1
            else:
                held = 0
            if held == 8:
                stage, held = stage + 1, 0
        return self.opened(state) if stage == 4 else (stage, held)

    def opened(self, state: Any) -> Any:
        return (4, 0)

    def checksum(self, state: Any) -> int:
        return state[0] * 100 + state[1]

    def fields(self, state: Any) -> Any:
        return zip(("stage", "held"), state, strict=True)


class Flat(Honest):
    """Has nothing to reach."""


def search(game: Any, *, seeds: tuple[int, ...] = (1,), **options: Any) -> SearchResult[Failure]:
    def check(match: SearchedMatch, first: int) -> Failure | None:
        return failure_in(game, match.rows, match.seed, first=first)

    settings = {"seconds": 60.0, "frames": 200, "patience": 4000, "clock": lambda: 0.0, **options}
    return Search(game, check, **settings).run(list(seeds))


def test_a_respawn_by_random_after_a_hit_is_found() -> None:
    found = search(RandomRespawn, patience=60_000)
    assert found.failure is not None
    names = {difference[0] for difference in found.failure.error.differences}
    assert names in ({"tanks[0].x", "tanks[0].y"}, {"tanks[1].x", "tanks[1].y"})


def test_a_place_behind_several_steps_is_reached_one_after_the_other() -> None:
    found = search(Locked, patience=60_000, frames=100)
    assert found.failure is None
    assert found.lines is not None
    assert found.lines.unrun == ()


def test_the_same_seed_searches_the_same() -> None:
    first, second = (search(Tanks, seed=5) for _ in range(2))
    assert first == second
    assert first.matches > 1


def test_it_ends_when_nothing_new_is_reached() -> None:
    found = search(Flat, patience=1000)
    assert not found.out_of_time
    assert 0 < found.frames < 5000
    assert found.lines is not None
    assert found.lines.unrun == ()


def test_it_ends_when_its_time_is_over() -> None:
    now = iter(range(100_000))
    found = search(Tanks, seconds=40.0, patience=10**9, clock=lambda: float(next(now)))
    assert found.out_of_time
    assert 0 < found.frames < 100 * 200


def test_no_seconds_are_no_search() -> None:
    found = search(Tanks, seconds=0.0)
    assert (found.matches, found.lines, found.out_of_time) == (0, None, False)


def test_a_bot_plays_the_rounds_and_the_search_goes_on_from_there() -> None:
    played: list[SearchedMatch] = []

    def check(match: SearchedMatch, first: int) -> None:
        played.append(match)

    found = Search(WithBot, check, seconds=60.0, frames=100, patience=4000, clock=lambda: 0.0).run([1])
    assert found.bot
    assert not any(value & FIRE for row in played[0].rows for value in row)
    assert any(value & FIRE for match in played[1:] for row in match.rows for value in row)


def test_few_matches_are_kept_if_so_told_and_none_grows_without_end() -> None:
    lengths: list[int] = []

    def check(match: SearchedMatch, first: int) -> None:
        lengths.append(len(match.rows))

    few: Search[Any] = Search(Tanks, check, seconds=60.0, frames=40, patience=6_000, most_kept=3, clock=lambda: 0.0)
    few.run([1, 2])
    assert len(few._kept) == 3
    assert max(lengths) <= LONGEST * 40 + 40


def test_what_the_game_raises_names_frame_and_inputs() -> None:
    class Breaks(Honest):
        def step(self, state: Any, inputs: Any) -> Any:
            if inputs[1] & 0x40 and state.frame > 20:
                raise KeyError("sword")
            return super().step(state, inputs)

    with pytest.raises(KeyError) as caught:
        search(Breaks, patience=60_000)
    assert "in frame " in caught.value.__notes__[0]


def test_a_failure_in_a_round_ends_it_at_once() -> None:
    class Odd(Honest):
        calls = 0

        def bonus(self, state: Any) -> int:
            type(self).calls += 1
            return self.calls

    found = search(Odd, seeds=(1, 2, 3))
    assert found.failure is not None
    assert (found.rounds, found.matches) == (1, 0)
