"""Scripted runners really run: laps, walls, wall jumps, and the same each time from one seed."""

from dataclasses import dataclass, field

import pytest

from retick.games.runner import ARENA, COURSE, CourseBot, CourseWorld, Mode, RunnerState, Wanderer
from retick.games.runner.bots import RunnerBot
from retick.netrunner import NetRunner


@dataclass
class Outing:
    """What one bot did."""

    states: list[RunnerState] = field(default_factory=list)
    wall_jumps: int = 0

    def share(self, mode: Mode) -> float:
        return sum(state.mode == mode for state in self.states) / len(self.states)

    def longest_climb(self) -> int:
        """The most ticks in a row going up outside of a wall run."""
        longest = climbing = 0
        for state in self.states:
            climbing = climbing + 1 if state.vy > 0 and state.mode != Mode.WALL_RUN else 0
            longest = max(longest, climbing)
        return longest


def outing(bot: RunnerBot, world: CourseWorld, peer: int, ticks: int) -> Outing:
    net = NetRunner(world=world)
    state, builder, found = net.motor.spawn(peer), net.builder(), Outing()
    for tick in range(1, ticks + 1):
        intent = bot.decide(state)
        builder.sample(intent, state)
        after = net.motor.step(state, builder.build(intent, seq=tick, tick=tick, epoch=1))
        found.wall_jumps += state.mode == Mode.WALL_RUN and after.vy > state.vy + 5
        state = after
        found.states.append(state)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3, 1337, 0xFFFFFFFF, 0])
def test_a_course_bot_runs_laps_on_walls_too(seed: int) -> None:
    bot = CourseBot(seed)
    found = outing(bot, COURSE, seed, 60 * 90)
    assert bot.laps >= 2
    assert found.share(Mode.WALL_RUN) >= 0.1
    assert found.share(Mode.GROUNDED) >= 0.2
    assert found.wall_jumps >= 5
    assert found.longest_climb() <= 60


def test_a_seed_fixes_what_a_bot_does() -> None:
    assert outing(CourseBot(5), COURSE, 2, 600).states == outing(CourseBot(5), COURSE, 2, 600).states
    assert outing(CourseBot(5), COURSE, 2, 600).states != outing(CourseBot(6), COURSE, 2, 600).states
    assert outing(Wanderer(5), ARENA, 2, 600).states == outing(Wanderer(5), ARENA, 2, 600).states


def test_a_wanderer_stays_in_the_arena_and_finds_its_walls() -> None:
    found = outing(Wanderer(1), ARENA, 3, 60 * 60)
    assert all(abs(state.x) < 13 and abs(state.z) < 13 for state in found.states)
    assert found.share(Mode.WALL_RUN) > 0.01
    assert found.longest_climb() <= 60
