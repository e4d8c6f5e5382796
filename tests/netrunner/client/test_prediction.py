"""The client's clocks against machines that run too fast, too slowly, or stand still."""

from typing import Any

import pytest

from retick.games.runner import CourseBot
from retick.netrunner import Client, ClientConfig, NetRunner, RunnerConfig
from retick.netrunner.config import ServerConfig
from retick.netrunner.events import Reconciled, Resynced
from retick.netrunner.messages import ResyncHint
from retick.transport import Conditions
from tests.netrunner.courses import Field, seeded


def run_at(
    rate: float, seconds: float, config: ClientConfig | None = None
) -> tuple[Client, list[int], list[Any], Field]:
    """A client whose loop runs at another rate than the server's."""
    field = Field(conditions=Conditions(latency=0.04, jitter=0.004))
    client = Client(field.profile, "server", entropy=seeded(9), config=config)
    bot = CourseBot(4)
    pending: list[int] = []
    events: list[Any] = []
    field.network.attach("client", client, polled=True)

    def loop() -> None:
        events.extend(field.network.poll("client"))
        if client.player is not None and client.prediction is not None:
            client.tick(bot.decide(client.player), now=field.network.now)
            pending.append(len(client.prediction.pending))
        field.network.flush("client")

    field.network.every(1 / rate, loop, owner="client")
    field.run(seconds)
    return client, pending, events, field


def late_corrections(events: list[Any]) -> list[float]:
    found = [event.correction for event in events if isinstance(event, Reconciled)]
    return [correction for correction in found[len(found) // 3 :] if correction > 0.0005]


@pytest.mark.long
def test_a_fast_machine_sheds_its_lead_and_stays_in_time() -> None:
    client, pending, events, field = run_at(62.0, 40.0)
    assert client.stats.shed > 10
    assert max(pending[200:]) < 30
    assert late_corrections(events) == []
    assert field.server.rooms[""].players[2].stats.dropped_future == 0


@pytest.mark.long
def test_without_shedding_a_fast_machine_runs_away() -> None:
    """The detector: the same run, and commands are refused in the end for being too far ahead."""
    _, pending, _, field = run_at(62.0, 60.0, ClientConfig(shed_lead=False))
    assert max(pending) > 60
    assert field.server.rooms[""].players[2].stats.dropped_future > 0


def test_a_slow_machine_makes_several_commands_a_tick_and_misses_none() -> None:
    client, pending, events, field = run_at(40.0, 15.0)
    assert late_corrections(events) == []
    assert max(pending[200:]) < 30
    stats = field.server.rooms[""].players[2].stats
    assert stats.ticks_buffered > 0.95 * 60 * 13
    assert client.stats.resyncs == 0


def test_a_server_that_skipped_a_second_is_followed() -> None:
    field = Field(config=ServerConfig(catch_up_ticks=2))
    client = field.join("a")
    field.run(4.0)
    field.network.pause("server", 1.0)
    field.run(5.0)
    assert field.server.skipped_ticks > 50
    room = field.server.rooms[""]
    assert client.prediction is not None
    assert abs(client.prediction.clock.estimate(field.network.now) - room.tick) <= 3
    assert field.of("a", Resynced)
    assert max(event.correction for event in field.of("a", Reconciled)[-20:]) == 0.0


def test_lost_snapshots_alone_are_not_drift() -> None:
    field = Field()
    client = field.join("a")
    field.run(4.0)
    for _ in range(10):
        field.network.path("server", "a").cut_until = field.network.now + 0.3
        field.run(0.8)
    assert client.stats.resyncs == 0
    assert client.stats.epochs == 0
    assert max(event.correction for event in field.of("a", Reconciled)[-20:]) == 0.0


def test_a_hint_starts_the_client_afresh() -> None:
    field = Field()
    client = field.join("a")
    field.run(3.0)
    room = field.server.rooms[""]
    hint = field.profile.encode_control(ResyncHint(room.tick))
    room.players[2].connection.send_reliable(hint)
    field.run(2.0)
    assert client.stats.resyncs == 1
    assert max(event.correction for event in field.of("a", Reconciled)[-20:]) == 0.0


def test_a_client_that_cannot_be_heard_gives_up_its_history_and_not_its_mind() -> None:
    field = Field()
    client = field.join("a", config=ClientConfig(timeout=30.0))
    field.run(3.0)
    field.network.path("a", "server").cut_until = field.network.now + 4.5
    field.run(4.5)
    assert client.prediction is not None
    assert len(client.prediction.pending) < 256
    field.run(4.0)
    assert client.is_joined
    assert max(event.correction for event in field.of("a", Reconciled)[-20:]) == 0.0


def test_losing_and_gaining_focus_raises_the_epoch_twice() -> None:
    field = Field()
    client = field.join("a")
    field.run(2.0)
    client.lose_focus(now=field.network.now)
    field.run(0.1)
    client.gain_focus(now=field.network.now)
    field.run(2.0)
    assert field.server.rooms[""].players[2].epoch == 3
    assert max(event.correction for event in field.of("a", Reconciled)[-20:]) == 0.0


@pytest.mark.parametrize("rate", [30, 120])
def test_a_client_follows_the_servers_rates(rate: int) -> None:
    config = RunnerConfig(server_tick_rate=rate, client_tick_rate=rate, snapshot_rate=rate // 3)
    field = Field(profile=NetRunner(config))
    client = field.join("a", profile=NetRunner())
    field.run(5.0)
    assert client.profile.config.server_tick_rate == rate
    assert client.stats.snapshots > rate
    reconciled = [event.correction for event in field.of("a", Reconciled)]
    assert max(reconciled[len(reconciled) // 2 :]) == 0.0
