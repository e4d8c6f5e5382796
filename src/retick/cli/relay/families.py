"""A relay's counters as Prometheus metrics, and what the HTTP page asks of a relay."""

import time
from collections.abc import Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from retick.relay import RelayServer

__all__ = ["RelaySource"]


class RelaySource:
    """The metrics of one relay."""

    def __init__(self, server: RelayServer) -> None:
        self._server = server

    @property
    def is_ready(self) -> bool:
        return self._server.rooms < self._server.config.rooms

    async def families(self) -> list[Metric]:
        server = self._server
        return [
            CounterMetricFamily("retick_cpu_seconds", "CPU time of the process", time.process_time()),
            GaugeMetricFamily("retick_relay_rooms", "Rooms that are there", server.rooms),
            GaugeMetricFamily("retick_relay_members", "Members of all rooms", server.members),
            CounterMetricFamily("retick_relay_frames", "Frames sent on", server.forwarded),
            CounterMetricFamily("retick_relay_bytes", "Bytes of these, without headers", server.forwarded_bytes),
            CounterMetricFamily("retick_relay_answers", "Answers to requests", server.answered),
            _by_reason("retick_relay_dropped", "Datagrams that nothing came of", server.dropped),
            _by_reason("retick_relay_refused", "Requests that were refused", _named(server)),
        ]


def _named(server: RelayServer) -> dict[str, int]:
    return {reason.name.lower(): count for reason, count in server.refused.items()}


def _by_reason(name: str, text: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, f"{text}, by reason", labels=("reason",))
    for reason, count in counts.items():
        family.add_metric((reason,), count)
    return family
