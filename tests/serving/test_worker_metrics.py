"""Metrics of several processes on one page."""

import json

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families

from retick.serving.metrics import labelled, packed


class Fixed:
    def __init__(self, families: list[Metric]) -> None:
        self.collect = lambda: families


def test_samples_of_all_workers_are_in_one_family_with_a_label_and_the_page_can_be_read() -> None:
    ticks = HistogramMetricFamily("tick_seconds", "How long", labels=("room",))
    ticks.add_metric(("a",), [("0.1", 2), ("+Inf", 3)], 0.5)
    one = json.loads(json.dumps(packed([CounterMetricFamily("shots", "Shots", 4), ticks])))
    two = json.loads(json.dumps(packed([CounterMetricFamily("shots", "Shots", 5)])))
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Fixed(labelled({"1": one, "2": two})))  # type: ignore[arg-type]  # it has the one call
    found = {each.name: each for each in text_string_to_metric_families(generate_latest(registry).decode())}
    assert {(s.labels["worker"], s.value) for s in found["shots"].samples} == {("1", 4.0), ("2", 5.0)}
    assert found["shots"].type == "counter"
    assert found["tick_seconds"].type == "histogram"
    assert {(s.name, s.labels.get("le")) for s in found["tick_seconds"].samples} == {
        ("tick_seconds_bucket", "0.1"),
        ("tick_seconds_bucket", "+Inf"),
        ("tick_seconds_count", None),
        ("tick_seconds_sum", None),
    }
