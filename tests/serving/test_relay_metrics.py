"""The metrics of a relay: each with a type, and those by reason with a label."""

import asyncio

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from retick.relay import RelayConfig
from retick.relay import packets as wire
from retick.serving.metrics import RelaySource
from tests.relay.meeting import TAG, Direct, make_server

TYPES = {
    "retick_cpu_seconds": "counter",
    "retick_relay_rooms": "gauge",
    "retick_relay_members": "gauge",
    "retick_relay_frames": "counter",
    "retick_relay_bytes": "counter",
    "retick_relay_answers": "counter",
    "retick_relay_dropped": "counter",
    "retick_relay_refused": "counter",
}


def test_all_figures_of_a_relay_are_read_back() -> None:
    server = make_server(RelayConfig(rooms=1))
    source = RelaySource(server)
    assert source.is_ready
    ann = Direct(server)
    ann.ask(wire.OPEN, places=2, tag=TAG)
    ann.ask(wire.JOIN, code=b"wrong", tag=TAG)
    ann.raw(b"nonsense")
    assert not source.is_ready

    class Collected:
        def collect(self) -> list[Metric]:
            return asyncio.run(source.families())

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collected())
    found = {family.name: family for family in text_string_to_metric_families(generate_latest(registry).decode())}
    assert {name: family.type for name, family in found.items()} == TYPES
    assert [(s.labels, s.value) for s in found["retick_relay_refused"].samples] == [({"reason": "no_such_code"}, 1.0)]
    assert [(s.labels, s.value) for s in found["retick_relay_dropped"].samples] == [({"reason": "malformed"}, 1.0)]
    assert found["retick_relay_members"].samples[0].value == 1.0
