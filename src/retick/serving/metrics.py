"""The counters of servers, their workers and relays as Prometheus metrics, each with its type and its help text."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from retick.host.stats import TICK_BOUNDS
from retick.netrunner import Room
from retick.relay import RelayServer

_ROOM_COUNTERS: Final[dict[str, tuple[str, Callable[[Room], float]]]] = {
    "retick_room_snapshots": ("Snapshot packets handed to links", lambda room: room.stats.snapshots),
    "retick_room_snapshot_bytes": ("Bytes of these, without the link's own", lambda room: room.stats.snapshot_bytes),
    "retick_room_shots": ("Shots judged", lambda room: room.stats.shots),
    "retick_room_messages_dropped": (
        "Messages of the game that are not known to have arrived",
        lambda room: room.stats.messages_dropped,
    ),
    "retick_room_ticks_over_budget": (
        "Ticks that took longer than the server's tick budget",
        lambda room: room.stats.tick_cost.over_budget,
    ),
}
_ROOM_GAUGES: Final[dict[str, tuple[str, Callable[[Room], float]]]] = {
    "retick_room_tick": ("The tick simulated last", lambda room: room.tick),
    "retick_room_players": ("Players in the room, with those whose connection is lost", lambda room: len(room.players)),
    "retick_room_longest_tick_seconds": (
        "The longest time that a tick took",
        lambda room: room.stats.tick_cost.longest,
    ),
}
_PLAYER_GAUGES: Final = ("missing_streak", "missing_streak_max", "delay_ticks", "rtt_ms", "jitter_ms")
"""Fields of InputStats that are gauges; its other fields only grow."""


def families_of(server: Any) -> list[Metric]:
    """All metrics of a server, as they are now."""
    return list(_families(server))


def _families(server: Any) -> Iterator[Metric]:
    rooms = list(server.rooms.values())
    yield CounterMetricFamily("retick_cpu_seconds", "CPU time of the process", time.process_time())
    yield CounterMetricFamily("retick_ticks_skipped", "Ticks that a late server left out", server.skipped_ticks)
    yield GaugeMetricFamily("retick_rooms", "Rooms that are open", len(rooms))
    yield GaugeMetricFamily("retick_connections", "Connections, with those that have no player yet", len(server.links))
    yield GaugeMetricFamily("retick_draining", "1 while the server lets no new players in", int(server.is_draining))
    refused = CounterMetricFamily("retick_refused", "What was dropped, by reason", labels=("reason",))
    for reason, count in server.refused.items():
        refused.add_metric((reason,), count)
    yield refused
    for name, (text, value) in _ROOM_COUNTERS.items():
        counter = CounterMetricFamily(name, text, labels=("room",))
        for room in rooms:
            counter.add_metric((room.name,), value(room))
        yield counter
    for name, (text, value) in _ROOM_GAUGES.items():
        gauge = GaugeMetricFamily(name, text, labels=("room",))
        for room in rooms:
            gauge.add_metric((room.name,), value(room))
        yield gauge
    yield _tick_seconds(rooms)
    yield from _players(rooms)


def _tick_seconds(rooms: list[Room]) -> Metric:
    ticks = HistogramMetricFamily("retick_room_tick_seconds", "How long a tick of the room took", labels=("room",))
    bounds = [*(f"{bound:g}" for bound in TICK_BOUNDS), "+Inf"]
    for room in rooms:
        cost = room.stats.tick_cost
        ticks.add_metric((room.name,), list(zip(bounds, accumulate(cost.counts), strict=True)), cost.seconds)
    return ticks


def _players(rooms: list[Room]) -> Iterator[Metric]:
    """The InputStats of each player: how its commands were run, and how far away it is."""
    found: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for room in rooms:
        for player in room.players.values():
            for field, value in player.stats._asdict().items():
                if field not in found:
                    kind = GaugeMetricFamily if field in _PLAYER_GAUGES else CounterMetricFamily
                    found[field] = kind(f"retick_player_{field}", "As in InputStats", labels=("room", "peer"))
                found[field].add_metric((room.name, str(player.peer_id)), value)
    yield from found.values()


# Metrics of worker processes on one page: each sample gets the label ``worker``. They travel as JSON.


def packed(families: Iterable[Metric]) -> list[Any]:
    """Pack metrics for JSON."""
    return [
        [family.name, family.documentation, family.type, [[s.name, s.labels, s.value] for s in family.samples]]
        for family in families
    ]


def labelled(by_worker: Mapping[str, list[Any]]) -> list[Metric]:
    """Merge the packed metrics of all workers; each sample gets the label ``worker``."""
    found: dict[str, Metric] = {}
    for worker, families in by_worker.items():
        for name, text, kind, samples in families:
            if name not in found:
                found[name] = Metric(name, text, kind)
            for sample, labels, value in samples:
                found[name].add_sample(sample, {**labels, "worker": worker}, value)
    return list(found.values())


# A relay's counters as Prometheus metrics, and what the HTTP page asks of a relay.


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
