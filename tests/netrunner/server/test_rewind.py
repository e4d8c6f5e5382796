"""Where others were when a shooter saw them, and shots that hit what was seen."""

from math import atan2
from typing import Any

import pytest

from retick.authority import GameMessageReceived
from retick.games.runner import CourseWorld, Intent, RunnerButton, RunnerCommand
from retick.netrunner import Client, NetRunner, RunnerConfig, ServerConfig
from retick.netrunner.packets import FireResult
from retick.netrunner.server.room import HISTORY_TICKS, Rewind, Room
from retick.transport import Conditions
from tests.netrunner.courses import BackAndForth, Field


def filled(ticks: int) -> Rewind:
    rewind = Rewind()
    for tick in range(1, ticks + 1):
        rewind.store(tick, {2: (float(tick), 0.0, 0.0), 3: (-float(tick), 0.0, 0.0)})
    return rewind


NOW = {2: (500.0, 0.0, 0.0), 3: (-500.0, 0.0, 0.0)}


def test_others_are_where_the_shooter_saw_them() -> None:
    assert filled(100).targets(94, 100, NOW, shooter=2) == {3: (-94.0, 0.0, 0.0)}


def test_nobody_is_rewound_further_than_the_history() -> None:
    found = filled(300).targets(1, 300, NOW, shooter=2)
    assert found == {3: (-float(300 - HISTORY_TICKS + 1), 0.0, 0.0)}


def test_who_was_not_there_yet_is_taken_where_he_is_now() -> None:
    now = NOW | {4: (7.0, 0.0, 0.0)}
    assert filled(100).targets(94, 100, now, shooter=2)[4] == (7.0, 0.0, 0.0)


def test_an_empty_history_gives_the_present() -> None:
    assert Rewind().targets(-3, 2, NOW, shooter=2) == {3: (-500.0, 0.0, 0.0)}


class Ear:
    """A connection that only listens."""

    rtt = 0.0
    messages_sent = messages_delivered = 0

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def send_reliable(self, data: bytes) -> bool:
        self.heard.append(data)
        return True

    def send_unreliable(self, data: bytes) -> bool:
        return True


def test_a_shot_says_the_tick_at_which_it_was_judged_and_not_one_that_is_forgotten() -> None:
    net = NetRunner(RunnerConfig(interpolation_delay_ms=5000))
    room = Room(net)
    player = room.add(b"", 0.0)
    player.connection = ear = Ear()
    for _ in range(400):
        room.advance(0.0)
    player.offer(RunnerCommand(1, room.tick + 1, 1, buttons=RunnerButton.FIRE_PRESSED.value), room.tick)
    room.advance(0.0)
    [result] = [found for found in map(net.decode, ear.heard) if isinstance(found, FireResult)]
    assert result.tick == room.tick - HISTORY_TICKS + 1


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
        profile=NetRunner(world=CourseWorld()), conditions=Conditions(latency=0.05, jitter=0.002), config=config, seed=3
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


@pytest.mark.long
def test_shots_hit_what_the_shooter_saw() -> None:
    assert share_of_hits(ServerConfig()) >= 0.9


@pytest.mark.long
def test_without_the_lead_of_commands_shots_at_runners_miss() -> None:
    assert share_of_hits(ServerConfig(rewind_input_delay=False)) < 0.6
