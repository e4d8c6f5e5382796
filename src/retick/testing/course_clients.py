"""A server and clients that run the course of the runner game, each in its own loop on a simulated network.

What ``scenario_b`` and ``weather`` share. Every endpoint works at its own tick, as a program does: poll, tick, flush.
All that is random comes from one seed.
"""

# retick: floats -- measurements

from random import Random
from typing import Any, Final

from retick.authority import Client, ClientConfig, Server, ServerConfig
from retick.transport import SimulatedNetwork

__all__ = ["TICK", "CourseClient", "attach_client", "attach_server", "bot_seed", "make_client"]

TICK: Final = 1 / 60
"""Seconds between two turns of a loop."""


class CourseClient:
    """One client in its loop. Subclasses measure: they override ``on_event``, ``intent`` and ``after_tick``."""

    def __init__(self, network: SimulatedNetwork, name: str, client: Client, bot: Any) -> None:
        self.network = network
        self.name = name
        self.client = client
        self.bot = bot

    def turn(self) -> None:
        """Read events, run a tick if the client has joined, and send."""
        now = self.network.now
        for event in self.network.poll(self.name):
            self.on_event(event, now)
        client = self.client
        if client.player is not None and client.prediction is not None:
            client.tick(self.intent(client.player, now), now=now)
            self.after_tick(client.player, len(client.prediction.pending), now)
        self.network.flush(self.name)

    def on_event(self, event: Any, now: float) -> None:
        """Something that the client reported."""

    def intent(self, player: Any, now: float) -> Any:
        """What the player wants to do in this tick: by default, what the bot decides."""
        return self.bot.decide(player)

    def after_tick(self, player: Any, pending: int, now: float) -> None:
        """After a tick; ``pending`` commands are not acknowledged yet."""


def attach_server(network: SimulatedNetwork, profile: Any, seed: int) -> Server:
    """A server at the address "server", which works at every tick."""
    server = Server(profile, entropy=Random(seed).randbytes, config=ServerConfig())
    network.attach("server", server, polled=True)

    def turn() -> None:
        network.poll("server")
        network.flush("server")

    network.every(TICK, turn, owner="server")
    return server


def make_client(profile: Any, seed: int, number: int, config: ClientConfig) -> Client:
    """Client ``number`` of a run."""
    return Client(profile, "server", entropy=Random(bot_seed(seed, number) + 1).randbytes, config=config)


def attach_client(network: SimulatedNetwork, one: CourseClient, *, phase: float) -> None:
    """Let a client run its loop; ``phase`` is by how many seconds its ticks come after the server's."""
    network.attach(one.name, one.client, polled=True)
    network.every(TICK, one.turn, phase=phase, owner=one.name)


def bot_seed(seed: int, number: int) -> int:
    """The seed of the bot that plays for client ``number``."""
    return (seed << 8) + number
