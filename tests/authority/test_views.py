"""What a player sees of the others: evenly moving pictures, and shots that hit what was seen."""

from itertools import pairwise
from math import atan2
from typing import Any

import pytest

from retick.authority import Client, GameMessageReceived, ServerConfig
from retick.games.runner import Intent, NetRunner, World
from retick.games.runner.netrunner.fire import FireResult
from retick.transport import Conditions
from tests.authority.courses import Field, Still


class BackAndForth:
    """Runs along z at full speed and turns round every second and a half."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(move_y=1.0 if self.ticks // 90 % 2 else -1.0)


class Marksman:
    """Aims at the middle of what he sees, and fires twice a second."""

    client: Client

    def __init__(self, field: Field) -> None:
        self.field = field
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        seen = list(self.client.others(now=self.field.network.now).values())
        if not seen:
            return Intent()
        x, y, z = (there - here for there, here in zip(seen[0].position, state.position, strict=True))
        flat = (x * x + z * z) ** 0.5
        yaw, pitch = atan2(-x, -z), atan2(y + 0.9 - 1.55, flat)
        return Intent(yaw=yaw, pitch=pitch, fire=self.ticks > 180 and self.ticks % 30 == 0)


def share_of_hits(config: ServerConfig) -> float:
    field = Field(
        profile=NetRunner(world=World()), conditions=Conditions(latency=0.05, jitter=0.002), config=config, seed=3
    )
    field.join("target", bot=BackAndForth())
    field.run(0.5)
    marksman = Marksman(field)
    marksman.client = field.join("marksman", bot=marksman)
    field.run(14.0)
    told = [event.message for event in field.of("marksman", GameMessageReceived)]
    results = [message for message in told if isinstance(message, FireResult)]
    assert len(results) > 15
    return sum(result.hit == field.clients["target"].peer_id for result in results) / len(results)


def test_shots_hit_what_the_shooter_saw() -> None:
    assert share_of_hits(ServerConfig()) >= 0.9


def test_without_the_lead_of_commands_shots_at_runners_miss() -> None:
    assert share_of_hits(ServerConfig(rewind_input_delay=False)) < 0.6


@pytest.mark.parametrize("conditions", [Conditions(latency=0.06, jitter=0.01, loss=0.005), Conditions()])
def test_a_runner_is_drawn_without_jumps(conditions: Conditions) -> None:
    """At 9 m/s and 60 pictures a second a picture is 0.15 m further than the last."""
    field = Field(profile=NetRunner(world=World()), conditions=conditions, seed=4)
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
