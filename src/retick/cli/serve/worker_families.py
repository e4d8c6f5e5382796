"""Metrics of worker processes on one page: each sample gets the label ``worker``. They travel as JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from prometheus_client.core import Metric

__all__ = ["labelled", "packed"]


def packed(families: Iterable[Metric]) -> list[Any]:
    """As JSON."""
    return [
        [family.name, family.documentation, family.type, [[s.name, s.labels, s.value] for s in family.samples]]
        for family in families
    ]


def labelled(by_worker: Mapping[str, list[Any]]) -> list[Metric]:
    """The families of all workers, those of one name together."""
    found: dict[str, Metric] = {}
    for worker, families in by_worker.items():
        for name, text, kind, samples in families:
            if name not in found:
                found[name] = Metric(name, text, kind)
            for sample, labels, value in samples:
                found[name].add_sample(sample, {**labels, "worker": worker}, value)
    return list(found.values())
