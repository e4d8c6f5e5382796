"""A server and its clients on a very bad network for minutes, then on a good one; on virtual time.

The *storm*: bursts of loss, 250 ms round trips, and every ten seconds a process that stops for a while. The checks: no
client is stuck, memory does not grow, and from two seconds after the storm on no correction is made.
"""

# retick: floats -- measurements

import gc
import tracemalloc
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from retick.games.runner import CourseBot
from retick.netrunner import Client, ClientConfig, NetRunner
from retick.netrunner.events import Reconciled
from retick.studio.server.course import TICK, CourseClient, attach_client, attach_server, bot_seed, make_client
from retick.transport import Conditions, SimulatedNetwork

__all__ = ["STORM", "Weather", "run_weather"]

STORM: Final = Conditions(latency=0.125, jitter=0.02, burst_enter=0.05, burst_leave=0.2, burst_loss=1.0)
"""250 ms there and back; bursts of loss, five datagrams long on average, which lose a fifth of all."""
CLEAR: Final = Conditions(latency=0.125)
"""The network after the storm."""
HEALING: Final = 2.0
"""Seconds after the storm in which corrections are still allowed."""
AFTER: Final = 10.0
"""Seconds that are watched after the storm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What was measured."""

    seconds: float
    """How long the storm lasted."""
    loss: float
    """Share of datagrams lost in the storm, from 0 to 1."""
    late_corrections: int
    """Corrections later than two seconds after the storm."""
    healed_after: float
    """Seconds from the end of the storm to the last correction."""
    stuck: int
    """Clients that had not joined, or got no acknowledgement, in the last second."""
    longest_gap: float
    """The longest time in the storm without an acknowledged command, in seconds, of any client."""
    pending: int
    """The most commands that were not acknowledged at one time, of any client."""
    rejoins: int
    """Times that clients joined again, all together."""
    resyncs: int
    """Times that clients asked for a full snapshot, all together."""
    memory_growth: int
    """Bytes by which traced memory grew in the second half of the storm; 0 when not measured."""


class _WatchedClient(CourseClient):
    """One client, and when its commands were acknowledged and corrected."""

    def __init__(self, network: SimulatedNetwork, name: str, client: Client, seed: int) -> None:
        super().__init__(network, name, client, CourseBot(seed))
        self.acked_at = 0.0
        self.ack = (0, 0)
        self.longest_gap = 0.0
        self.corrected_at = 0.0
        self.late = 0
        self.pending = 0
        self.clear_at = float("inf")

    def on_event(self, event: Any, now: float) -> None:
        if isinstance(event, Reconciled):
            self._note(event, now)

    def after_tick(self, player: Any, pending: int, now: float) -> None:
        self.pending = max(self.pending, pending)

    def _note(self, event: Reconciled, now: float) -> None:
        ack = (self.client.stats.rejoins, event.ack)
        if ack > self.ack:
            if self.ack != (0, 0) and now < self.clear_at:
                self.longest_gap = max(self.longest_gap, now - self.acked_at)
            self.ack, self.acked_at = ack, now
        if event.correction > 0.0005 and now > self.clear_at:
            self.corrected_at = now
            self.late += now > self.clear_at + HEALING


def run_weather(seed: int, *, seconds: float = 300.0, clients: int = 4, measure_memory: bool = False) -> Weather:
    """A storm of so many seconds, then ten seconds on a good network; every ten seconds one process stops."""
    network = SimulatedNetwork(seed=seed, conditions=STORM)
    profile = NetRunner()
    attach_server(network, profile, seed)
    watched = []
    for number in range(clients):
        client = make_client(profile, seed, number, ClientConfig(rejoin_attempts=1000))
        one = _WatchedClient(network, f"client {number}", client, bot_seed(seed, number))
        attach_client(network, one, phase=(number + 1) * TICK / (clients + 2))
        watched.append(one)
    dice = Random(seed)
    names = ["server", *(one.name for one in watched)]
    for moment in range(10, int(seconds) - 2, 10):
        name, length = dice.choice(names), dice.uniform(0.1, 1.5)
        network.at(float(moment), lambda name=name, length=length: network.pause(name, length))  # type: ignore[misc]  # bound early
    growth = _storm(network, seconds, measure_memory)
    sent = [network.path(a, b) for a in names for b in names if a != b and "server" in (a, b)]
    loss = sum(path.lost for path in sent) / max(1, sum(path.sent for path in sent))
    for one in watched:
        one.clear_at = network.now
        network.link("server", one.name, CLEAR)
    network.run(until=network.now + AFTER)
    stats = [one.client.stats for one in watched]
    return Weather(
        seconds=seconds,
        loss=loss,
        late_corrections=sum(one.late for one in watched),
        healed_after=max(0.0, max(one.corrected_at - one.clear_at for one in watched)),
        stuck=sum(not one.client.is_joined or network.now - one.acked_at > 1.0 for one in watched),
        longest_gap=max(one.longest_gap for one in watched),
        pending=max(one.pending for one in watched),
        rejoins=sum(found.rejoins for found in stats),
        resyncs=sum(found.resyncs for found in stats),
        memory_growth=growth,
    )


def _storm(network: SimulatedNetwork, seconds: float, measure_memory: bool) -> int:
    if not measure_memory:
        network.run(until=seconds)
        return 0
    network.run(until=seconds / 4)
    tracemalloc.start()
    network.run(until=seconds / 2)
    gc.collect()
    early, _ = tracemalloc.get_traced_memory()
    network.run(until=seconds)
    gc.collect()
    late, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return late - early
