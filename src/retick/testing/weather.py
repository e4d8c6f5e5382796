"""Bad weather on virtual time: minutes of burst loss, a long way and stops of both machines, and then sunshine.

What is asked of it: no client is stuck, memory stays flat, and two seconds after the weather clears no correction is
made.
"""

# retick: floats -- measurements

import gc
import tracemalloc
from dataclasses import dataclass
from random import Random
from typing import Final

from retick.authority import Client, ClientConfig, Reconciled, Server, ServerConfig
from retick.games.runner import CourseBot, NetRunner
from retick.transport import Conditions, SimulatedNetwork

__all__ = ["STORM", "Weather", "run_weather"]

STORM: Final = Conditions(latency=0.125, jitter=0.02, burst_enter=0.05, burst_leave=0.2, burst_loss=1.0)
"""250 ms there and back; bursts of five datagrams on average that take a fifth of all."""
CLEAR: Final = Conditions(latency=0.125)
TICK: Final = 1 / 60
HEALING: Final = 2.0
AFTER: Final = 10.0
"""Seconds of clear weather that are watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What came of it."""

    seconds: float
    loss: float
    """Share of datagrams lost in the storm."""
    late_corrections: int
    """Corrections later than two seconds after it cleared."""
    healed_after: float
    """Seconds from the clearing to the last correction."""
    stuck: int
    """Clients that were not in, or got no acknowledgement, in the last second."""
    longest_gap: float
    """Seconds without an acknowledged command, over all clients, in the storm."""
    pending: int
    """Most commands pending, over all."""
    rejoins: int
    resyncs: int
    memory_growth: int
    """Bytes by which traced memory grew in the second half of the storm; 0 when not measured."""


class _Walker:
    """One client in its loop, with an eye on its acknowledgements."""

    def __init__(self, network: SimulatedNetwork, name: str, client: Client, seed: int) -> None:
        self.network, self.name, self.client = network, name, client
        self.bot = CourseBot(seed)
        self.acked_at = 0.0
        self.ack = (0, 0)
        self.longest_gap = 0.0
        self.corrected_at = 0.0
        self.late = 0
        self.pending = 0
        self.clear_at = float("inf")

    def tick(self) -> None:
        now = self.network.now
        for event in self.network.poll(self.name):
            if isinstance(event, Reconciled):
                self._note(event, now)
        client = self.client
        if client.player is not None and client.prediction is not None:
            client.tick(self.bot.decide(client.player), now=now)
            self.pending = max(self.pending, len(client.prediction.pending))
        self.network.flush(self.name)

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
    """A storm of so many seconds, with a stop of the server or of a client every ten, then ten of clear weather."""
    network = SimulatedNetwork(seed=seed, conditions=STORM)
    profile = NetRunner()
    server = Server(profile, entropy=Random(seed).randbytes, config=ServerConfig())
    network.attach("server", server, polled=True)

    def serve() -> None:
        network.poll("server")
        network.flush("server")

    network.every(TICK, serve, owner="server")
    walkers = []
    for number in range(clients):
        name = f"client {number}"
        client = Client(
            profile,
            "server",
            entropy=Random((seed << 8) + number + 1).randbytes,
            config=ClientConfig(rejoin_attempts=1000),
        )
        walker = _Walker(network, name, client, (seed << 8) + number)
        network.attach(name, client, polled=True)
        network.every(TICK, walker.tick, phase=(number + 1) * TICK / (clients + 2), owner=name)
        walkers.append(walker)
    dice = Random(seed)
    names = ["server", *(walker.name for walker in walkers)]
    for moment in range(10, int(seconds) - 2, 10):
        name, length = dice.choice(names), dice.uniform(0.1, 1.5)
        network.at(float(moment), lambda name=name, length=length: network.pause(name, length))  # type: ignore[misc]  # bound early
    growth = _storm(network, seconds, measure_memory)
    sent = [network.path(a, b) for a in names for b in names if a != b and "server" in (a, b)]
    loss = sum(path.lost for path in sent) / max(1, sum(path.sent for path in sent))
    for walker in walkers:
        walker.clear_at = network.now
        network.link("server", walker.name, CLEAR)
    network.run(until=network.now + AFTER)
    stats = [walker.client.stats for walker in walkers]
    return Weather(
        seconds=seconds,
        loss=loss,
        late_corrections=sum(walker.late for walker in walkers),
        healed_after=max(0.0, max(walker.corrected_at - walker.clear_at for walker in walkers)),
        stuck=sum(not walker.client.is_joined or network.now - walker.acked_at > 1.0 for walker in walkers),
        longest_gap=max(walker.longest_gap for walker in walkers),
        pending=max(walker.pending for walker in walkers),
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
