"""The metrics: each has a type and a help text, and tick durations are a histogram."""

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from retick.netrunner import NetRunner, Server, ServerConfig
from retick.serving.metrics import families_of
from tests.netrunner.courses import Field, seeded

TYPES = {
    "retick_cpu_seconds": "counter",
    "retick_ticks_skipped": "counter",
    "retick_rooms": "gauge",
    "retick_connections": "gauge",
    "retick_draining": "gauge",
    "retick_refused": "counter",
    "retick_room_snapshots": "counter",
    "retick_room_snapshot_bytes": "counter",
    "retick_room_shots": "counter",
    "retick_room_messages_dropped": "counter",
    "retick_room_ticks_over_budget": "counter",
    "retick_room_tick": "gauge",
    "retick_room_players": "gauge",
    "retick_room_longest_tick_seconds": "gauge",
    "retick_room_tick_seconds": "histogram",
    "retick_player_dropped_old": "counter",
    "retick_player_dropped_future": "counter",
    "retick_player_ticks_buffered": "counter",
    "retick_player_ticks_held": "counter",
    "retick_player_ticks_neutral": "counter",
    "retick_player_missing_streak": "gauge",
    "retick_player_missing_streak_max": "gauge",
    "retick_player_delay_ticks": "gauge",
    "retick_player_rtt_ms": "gauge",
    "retick_player_jitter_ms": "gauge",
}


class Collected:
    def __init__(self, server: Server) -> None:
        self.server = server

    def collect(self) -> list[Metric]:
        return families_of(self.server)


def read_back(server: Server) -> dict[str, Metric]:
    """As a Prometheus server would read it."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collected(server))
    text = generate_latest(registry).decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_every_metric_has_its_type_and_its_help() -> None:
    field = Field()
    field.join("a")
    field.run(1.0)
    found = read_back(field.server)
    assert {name: family.type for name, family in found.items()} == TYPES
    assert all(family.documentation for family in found.values())


def test_tick_durations_are_a_histogram_for_each_room() -> None:
    readings = iter(range(10_000))
    config = ServerConfig(rooms=("red", "blue"), tick_budget=0.0005)
    server = Server(NetRunner(), entropy=seeded(1), config=config, clock=lambda: next(readings) / 1000)
    for number in range(30):
        server.handle_timeout(now=number / 60)
    found = read_back(server)
    samples = {
        (sample.name, sample.labels.get("le")): sample.value
        for sample in found["retick_room_tick_seconds"].samples
        if sample.labels["room"] == "red"
    }
    assert samples["retick_room_tick_seconds_bucket", "0.0005"] == 0
    assert samples["retick_room_tick_seconds_bucket", "0.002"] == 30
    assert samples["retick_room_tick_seconds_bucket", "+Inf"] == 30
    assert samples["retick_room_tick_seconds_count", None] == 30
    [red, blue] = found["retick_room_ticks_over_budget"].samples
    assert (red.value, blue.value) == (30, 30)
