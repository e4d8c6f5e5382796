"""What a player sees of the others: drawn without jumps."""

from itertools import pairwise

import pytest

from retick.games.runner import CourseWorld
from retick.netrunner import NetRunner
from retick.transport import Conditions
from tests.netrunner.courses import BackAndForth, Field, Still


@pytest.mark.long
@pytest.mark.parametrize("conditions", [Conditions(latency=0.06, jitter=0.01, loss=0.005), Conditions()])
def test_a_runner_is_drawn_without_jumps(conditions: Conditions) -> None:
    """At 9 m/s and 60 pictures a second a picture is 0.15 m further than the last."""
    field = Field(profile=NetRunner(world=CourseWorld()), conditions=conditions, seed=4)
    field.join("runner", bot=BackAndForth())
    watcher = field.join("watcher", bot=Still())
    drawn: list[float] = []

    def draw() -> None:
        views = watcher.others(now=field.network.now)
        if views and field.network.now > 4.0:
            drawn.append(next(iter(views.values())).position[2])

    field.network.every(1 / 60, draw, phase=0.011)
    field.run(16.0)
    steps = [abs(b - a) for a, b in pairwise(drawn)]
    assert len(steps) > 650
    assert max(steps) < 0.22
    running = sorted(steps)[len(steps) // 3 :]
    assert sum(0.12 < step < 0.18 for step in running) / len(running) > 0.9
    assert watcher.stats.teleports == 0
